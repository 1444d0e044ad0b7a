// node check.js SITE PAGE...
// Shows, as TAP, how pages of a site behave in Chromium: at two widths, in print, in the dark, without
// script. Packages are found through NODE_PATH.
"use strict";

const path = require("path");
const {pathToFileURL} = require("url");
const axe = require("axe-core");
const {chromium} = require("playwright-core");

const [site, ...pages] = process.argv.slice(2);
const root = pathToFileURL(path.resolve(site)).href + "/";
let number = 0, nFailed = 0;

// Passes when there is nothing in the list, which says what is wrong.
function tap(name, problems) {
  number++;
  if (problems.length > 0) nFailed++;
  console.log(`${problems.length > 0 ? "not ok" : "ok"} ${number} - ${name}`);
  for (const problem of problems) console.log(`# ${String(problem).replace(/\n/g, "\n# ")}`);
}

// What the browser complains of, and what a page asks for from outside of its folder.
async function open(context, name, problems) {
  const page = await context.newPage();
  page.on("console", message => {
    if (["error", "warning"].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", error => problems.push(`script: ${error.message}`));
  page.on("request", request => {
    if (!request.url().startsWith(root)) problems.push(`asks for ${request.url()}`);
  });
  page.on("requestfailed", request => problems.push(`did not get ${request.url()}`));
  await page.goto(root + name, {waitUntil: "load"});
  return page;
}

async function overflow(page) {
  const wide = await page.evaluate(() => {
    const root = document.documentElement;
    return [root.scrollWidth, root.clientWidth];
  });
  return wide[0] > wide[1] ? [`the page is ${wide[0]} px wide, the window ${wide[1]}`] : [];
}

async function violations(page) {
  await page.evaluate(axe.source);
  const result = await page.evaluate(() => globalThis.axe.run(document, {preload: false}));
  return result.violations.map(v =>
    `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map(node => node.html.slice(0, 200)).join(" ; ")}`);
}

async function looks(browser, name) {
  for (const width of [360, 1920]) {
    const problems = [];
    const context = await browser.newContext({viewport: {width, height: 900}});
    const page = await open(context, name, problems);
    problems.push(...await overflow(page));
    tap(`${name} at ${width} px: no error, no request outside, no overflow`, problems);
    tap(`${name} at ${width} px: axe-core finds nothing`, await violations(page));
    await context.close();
  }
  const problems = [];
  const context = await browser.newContext({viewport: {width: 1000, height: 900},
    colorScheme: "dark"});
  const page = await open(context, name, problems);
  tap(`${name} in the dark: axe-core finds nothing`, problems.concat(await violations(page)));
  await context.close();
}

async function prints(browser, name) {
  const problems = [];
  const context = await browser.newContext({viewport: {width: 794, height: 1123}});
  const page = await open(context, name, problems);
  await page.emulateMedia({media: "print"});
  const shown = await page.evaluate(() =>
    [...document.querySelectorAll("header.site, button, input")]
      .filter(e => e.getClientRects().length > 0).map(e => `printed: ${e.outerHTML.slice(0, 100)}`));
  const bytes = (await page.pdf()).length;
  if (bytes < 1000) problems.push(`a PDF of ${bytes} bytes`);
  tap(`${name} in print`, problems.concat(shown));
  await context.close();
}

async function isWholeWithoutScript(browser, name) {
  const problems = [], texts = [];
  for (const javaScriptEnabled of [true, false]) {
    const context = await browser.newContext({javaScriptEnabled});
    const page = await open(context, name, problems);
    // Of the elements alone: what the script adds are buttons and search fields.
    texts.push(await page.locator("main").evaluate(main => {
      const copy = main.cloneNode(true);
      copy.querySelectorAll("button, .filter").forEach(e => e.remove());
      return copy.textContent.replace(/\s+/g, "");
    }));
    if (!javaScriptEnabled && await page.locator("button").count() > 0)
      problems.push("a button that does nothing");
    await context.close();
  }
  if (texts[0] !== texts[1] || texts[0].length < 100) problems.push("another text without script");
  tap(`${name} is whole without script`, problems);
}

// Sizes sort by what they are and not by their digits; the filter hides rows and says how many are left.
async function sorts(browser, name) {
  const problems = [];
  const context = await browser.newContext();
  const page = await open(context, name, problems);
  const table = page.locator(".filter + .scroll > table.results:has(button.sort)").first();
  const column = () => table.evaluate(e =>
    [...e.tBodies[0].rows].filter(row => !row.hidden).map(row => row.cells[0].textContent.trim()));
  const bytes = text => {
    const [number, unit] = text.replace(/,/g, "").split(/\s+/);
    return parseFloat(number) * {B: 1, KiB: 1024, MiB: 1048576, GiB: 1073741824}[unit];
  };
  const before = await column();
  const button = table.locator("button.sort").first();
  await button.click();
  const up = await column();
  await button.click();
  const down = await column();
  const sorted = [...before].sort((a, b) => bytes(a) - bytes(b));
  if (up.join() !== sorted.join()) problems.push(`ascending: ${up}`);
  if (down.join() !== sorted.reverse().join()) problems.push(`descending: ${down}`);
  if (await table.locator("th[aria-sort=descending]").count() !== 1)
    problems.push("the header does not say how it is sorted");
  await page.locator(".filter:has(+ .scroll > table.results) input").first().fill(before[0]);
  const left = await column();
  if (left.length === 0 || left.length >= before.length) problems.push(`filtered: ${left}`);
  if (await page.locator(".filter:has(+ .scroll > table.results) [role=status]").first().textContent() !==
      ` ${left.length} of ${before.length}`)
    problems.push("the filter does not say how many rows it shows");
  tap(`${name}: a table is sorted and filtered`, problems);
  await context.close();
}

async function hovers(browser, name) {
  const problems = [];
  const context = await browser.newContext({viewport: {width: 1200, height: 900}});
  const page = await open(context, name, problems);
  const found = await page.evaluate(() => {
    const figure = document.querySelector("figure"), image = figure.querySelector("img");
    const svg = figure.querySelector("svg.points");
    image.scrollIntoView();
    const a = image.getBoundingClientRect(), b = svg.getBoundingClientRect();
    const circles = [...svg.querySelectorAll("circle")];
    const hit = circles.filter(circle => {
      const box = circle.getBoundingClientRect();
      const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      return top && top.closest("svg.points") === svg;
    });
    return {dx: Math.abs(a.x - b.x) + Math.abs(a.width - b.width),
            dy: Math.abs(a.y - b.y) + Math.abs(a.height - b.height),
            n: circles.length, nHit: hit.length,
            nTitled: circles.filter(c => /, n \d+/.test(c.textContent)).length,
            nRows: figure.querySelectorAll("details tbody tr").length};
  });
  if (found.dx > 1 || found.dy > 1) problems.push("the points do not lie on the drawing");
  if (found.n === 0 || found.nTitled !== found.n) problems.push("a point does not say its value");
  if (found.nHit === 0) problems.push("no point answers to the pointer");
  if (found.nRows !== found.n) problems.push(`${found.n} points, ${found.nRows} rows of values`);
  tap(`${name}: points answer to the pointer, and stand in a table`, problems);
  await context.close();
}

(async () => {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync"]});
  for (const name of pages) await looks(browser, name);
  for (const name of pages) await prints(browser, name);
  for (const name of pages) await isWholeWithoutScript(browser, name);
  await sorts(browser, "kernels/paging.html");
  await hovers(browser, "kernels/paging.html");
  await browser.close();
  console.log(`1..${number}`);
  process.exitCode = nFailed > 0 ? 1 : 0;
})().catch(error => {
  console.log(`not ok ${number + 1} - the browser: ${error.message.replace(/\n/g, " ")}`);
  console.log(`1..${number + 1}`);
  process.exitCode = 1;
});
