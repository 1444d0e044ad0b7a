#!/bin/sh
# site.sh BIN
# Shows, as TAP, that the site of the published results is a pure function of its input, that its
# pages are valid, whole and need nothing from outside.
set -eu
cd "$(dirname "$0")/.."
. tests/tap.sh
bin=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Several files, so that their order can be turned round; one has several builds.
first=$scratch/first.csv second=$scratch/second.csv builds=$PWD/datasets/opensolaris-32-64/records.csv
{ head -n 1 datasets/longbottom-paging/records.csv &&
    grep ,longbottom-2007-athlon datasets/longbottom-paging/records.csv; } >"$first"
{ head -n 1 datasets/longbottom-paging/records.csv &&
    grep -E ',longbottom-(2007-[^a]|2009)' datasets/longbottom-paging/records.csv; } >"$second"

tap_command "report site" env LC_ALL=C TZ=UTC0 "$bin/report" site -o "$scratch/a" "$first" "$second" "$builds"
tap_command "report site, again" env LC_ALL=C TZ=UTC0 "$bin/report" site -o "$scratch/b" "$first" "$second" "$builds"
tap_command "report site, the files in another order, in another locale, time zone and folder" \
    env -C / LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 TZ=Pacific/Auckland COLUMNS=40 NO_COLOR=1 \
    "$bin/report" site -o "$scratch/c" "$builds" "$second" "$first"
tap_command "the same input gives the same site" diff -r "$scratch/a" "$scratch/b"
tap_command "order, locale and time zone do not show in it" diff -r "$scratch/a" "$scratch/c"

pages=$(find "$scratch/a" -name '*.html' | sort)
tap_command "there are pages" test -n "$pages"
tap_command "builds have theirs" test -s "$scratch/a/variants.html"
for page in $pages; do
    name=${page#"$scratch/a/"}
    # HTML has had <data> since 2014; tidy 5.6 must be told.
    tap_empty "$name is valid HTML" "$(tidy -quiet -errors -utf8 --new-inline-tags data \
        --drop-empty-elements no "$page" 2>&1 | grep -v '<data> is not approved by W3C' || true)"
    wrong=
    for link in $(grep -Eo '(href|src|srcset)="[^"#][^"]*"' "$page" | sed 's/^[^"]*"//; s/"$//; s/#.*//'); do
        case $link in
        http:* | https:* | //* | /*) wrong="$wrong $link" ;;
        *) [ -e "${page%/*}/$link" ] || wrong="$wrong $link" ;;
        esac
    done
    tap_empty "$name links to what is there, and to nothing outside" "$wrong"
    tap_empty "$name has no script but ours, and none inline" "$(grep -i '<script\|javascript:\| on[a-z]*=\| style=' "$page" |
        grep -v '^<script src="[./]*site.js" defer></script>$' || true)"
done
for machine in 'Athlon XP' 'Pentium 4' 'Athlon 64' 'Core 2 Duo' 'Phenom II'; do
    tap_command "index.html names the $machine" grep -q "$machine" "$scratch/a/index.html"
done

# 100 machines, 30 kernels; the limit is that of gnuplot, too.
awk -v machines=100 -v kernels=30 -f tests/data/large.awk >"$scratch/large.csv"
tap_command "100 machines x 30 kernels take less than a minute and 200 MB of memory" \
    sh -c 'ulimit -v 200000; exec timeout 60 "$@"' sh "$bin/report" site -o "$scratch/large" \
    "$scratch/large.csv"
tap_command "and make more than 1,000 pages" \
    test "$(find "$scratch/large" -name '*.html' | wc -l)" -gt 1000
tap_command "of 200 MB at most" test "$(du -sm "$scratch/large" | cut -f 1)" -le 200
tap_end
