// Tables that can be sorted by a click on a header and filtered by a word. Pages are complete
// without it; it asks nothing from anywhere and keeps nothing.
"use strict";

(function () {
  // Rows that stand under one another, with no cell that spans several.
  function isPlain(table) {
    return table.tHead && table.tBodies.length === 1 && table.tHead.rows.length === 1 &&
      !table.querySelector("[rowspan], thead [colspan], tbody [colspan]");
  }

  function cellOf(row, column) {
    return row.cells[column];
  }

  var units = {ps: 1e-12, ns: 1e-9, "\u00b5s": 1e-6, ms: 1e-3, s: 1, B: 1, KiB: 1024, MiB: 1048576,
    GiB: 1073741824, TiB: 1099511627776, kB: 1e3, MB: 1e6, GB: 1e9};

  // A number where the cell has one, behind data-value or in its text, then in the base unit; else
  // NaN.
  function numberOf(cell) {
    var holder = cell && (cell.hasAttribute("data-value") ? cell : cell.querySelector("[data-value]"));
    if (holder) return parseFloat(holder.getAttribute("data-value"));
    var match = cell && /^\s*([-+]?[\d,]*\.?\d+)(?:\s+(\S+))?/.exec(cell.textContent);
    return match ? parseFloat(match[1].replace(/,/g, "")) * (units[match[2]] || 1) : NaN;
  }

  function compare(a, b, column) {
    var x = cellOf(a, column), y = cellOf(b, column);
    var m = numberOf(x), n = numberOf(y);
    if (isNaN(m) !== isNaN(n)) return isNaN(m) ? 1 : -1;
    if (!isNaN(m) && m !== n) return m - n;
    return (x ? x.textContent : "").localeCompare(y ? y.textContent : "", "en", {numeric: true});
  }

  function sortBy(table, column, header) {
    var isDown = header.getAttribute("aria-sort") === "ascending";
    var body = table.tBodies[0];
    var rows = Array.prototype.slice.call(body.rows);
    rows.sort(function (a, b) { return (isDown ? -1 : 1) * compare(a, b, column); });
    rows.forEach(function (row) { body.appendChild(row); });
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (cell) {
      cell.removeAttribute("aria-sort");
    });
    header.setAttribute("aria-sort", isDown ? "descending" : "ascending");
  }

  // The button stands beside what the header has, which may be a link.
  function addButtons(table) {
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (header, column) {
      var button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.setAttribute("aria-label", "Sort by " + header.textContent.trim().replace(/\s+/g, " "));
      button.addEventListener("click", function () { sortBy(table, column, header); });
      header.appendChild(document.createTextNode(" "));
      header.appendChild(button);
    });
  }

  function addFilter(table, number) {
    var box = document.createElement("p");
    var label = document.createElement("label");
    var input = document.createElement("input");
    var count = document.createElement("span");
    box.className = "filter";
    input.type = "search";
    input.id = "filter-" + number;
    label.htmlFor = input.id;
    label.textContent = "Rows with ";
    count.setAttribute("role", "status");
    input.addEventListener("input", function () {
      var words = input.value.toLowerCase().split(/\s+/), shown = 0;
      var rows = Array.prototype.slice.call(table.tBodies[0].rows);
      rows.forEach(function (row) {
        var text = row.textContent.toLowerCase();
        row.hidden = !words.every(function (word) { return text.indexOf(word) >= 0; });
        shown += row.hidden ? 0 : 1;
      });
      count.textContent = input.value ? " " + shown + " of " + rows.length : "";
    });
    box.appendChild(label);
    box.appendChild(input);
    box.appendChild(count);
    var place = table.closest(".scroll") || table;
    place.parentNode.insertBefore(box, place);
  }

  Array.prototype.filter.call(document.querySelectorAll("table"), isPlain)
    .forEach(function (table, number) {
      var rows = table.tBodies[0].rows.length;
      if (rows > 2) addButtons(table);
      if (rows > 11) addFilter(table, number);
    });
}());
