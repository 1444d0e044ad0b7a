#!/bin/sh
# datasets.sh BIN
# Shows, as TAP, that every archived file is sound, in canonical form, described and listed with its
# sum in datasets/MANIFEST.csv, and that nothing else is.
set -eu
cd "$(dirname "$0")/.."
. tests/tap.sh
bin=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

listed=$(sed -n '2,$s/,.*//p' datasets/MANIFEST.csv | sort)
tap_equal "MANIFEST.csv lists the archived files" \
    "$(cd datasets && find . -mindepth 2 -type f ! -name README.md ! -path '*/tables/*.table' | sed 's|^\./||' | sort)" "$listed"

for path in $listed; do
    file=datasets/$path
    line=$(grep "^$path," datasets/MANIFEST.csv)
    rest=${line#*,}
    sum=${rest%%,*} rest=${rest#*,}
    rows=${rest%%,*}
    tap_equal "$path has the sum that MANIFEST.csv gives" "$sum" "$(sha256sum <"$file" | cut -d ' ' -f 1)"
    tap_equal "$path has as many records as MANIFEST.csv gives" "$rows" \
        "$(grep -Ec '^[0-9]+,(sample|fact),' "$file")"
    tap_command "$path is described in a README.md" test -s "${file%/*}/README.md"
    tap_command "normalize check accepts $path" "$bin/normalize" check "$file"
    tap_command "normalize merge reads $path" "$bin/normalize" merge -o "$scratch/merged.csv" "$file"
    tap_command "$path is its own canonical form" cmp "$file" "$scratch/merged.csv"
done
tap_end
