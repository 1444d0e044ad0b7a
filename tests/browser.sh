#!/bin/sh
# browser.sh BIN
# Shows, as TAP, how the site behaves in Chromium: see browser/check.js. The packages it needs come
# from npm into build/browser, in the versions that browser/package-lock.json has; where they cannot be
# had, this is one test that is skipped.
set -eu
cd "$(dirname "$0")/.."
. tests/tap.sh
bin=$(cd "$1" && pwd)
skip() {
    tap_skip "the site in a browser" "$1"
    tap_end
    exit
}
CHROMIUM=$(command -v chromium || command -v chromium-browser || true)
export CHROMIUM
[ -n "$CHROMIUM" ] || skip "there is no chromium"
command -v node >/dev/null || skip "there is no node"
command -v npm >/dev/null || skip "there is no npm"

packages=build/browser
mkdir -p "$packages"
if ! cmp -s tests/browser/package-lock.json "$packages/installed"; then
    cp tests/browser/package.json tests/browser/package-lock.json "$packages"
    timeout 120 npm ci --prefix "$packages" --ignore-scripts --no-audit --no-fund \
        >"$packages/log" 2>&1 </dev/null || skip "npm cannot get what it needs: see $packages/log"
    cp tests/browser/package-lock.json "$packages/installed"
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$bin/report" site -o "$scratch/site" tests/data/small.csv \
    datasets/longbottom-paging/records.csv datasets/longbottom-vista64/records.csv
# One page of each kind, and of a hostile name.
HOME=$scratch NODE_PATH=$packages/node_modules TMPDIR=$scratch exec node tests/browser/check.js "$scratch/site" \
    index.html generations.html variants.html downloads.html kernels/paging.html kernels/bus_speed.html \
    machines/core-2-duo-2400-mhz-64-bit-windows-vista.html \
    machines/title-img-src-x-onerror-alert-1-aaaaaa.html \
    samples/paging/pentium-4-1900-mhz-windows-xp.html \
    "$(cd "$scratch/site" && ls publications/*.html | head -n 1)"
