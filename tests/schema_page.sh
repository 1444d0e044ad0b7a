#!/bin/sh
# schema_page.sh [--record]
# Prints schema/schema.5 with its three lists, which stand between `.\" list NAME` and `.\" end`, made
# anew from schema/columns.h and schema/unit.c; --record writes them into the page.
set -eu
cd "$(dirname "$0")/.."
lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT

tr '\n' ' ' <schema/columns.h | sed 's/X(/\n&/g' |
    sed -n 's/^X(\([a-z_]*\), \([A-Z]*\), \([A-Z]*\), \([A-Z]*\), \([A-Z]*\), *"\([^"]*\)").*/\1|\2|\3|\4|\5|\6/p' |
    awk -F '|' '{
        printf ".It Cm %s\n%s.\n.br\nA %s; sample: %s, fact: %s, end: %s.\n", $1, $6,
            tolower($2), tolower($3), tolower($4), tolower($5)
    }' >"$lists/columns"
sed -n 's/^    {"\([a-z_0-9]*\)", "\([^"]*\)", BETTER_\([A-Z]*\), "\(.*\)"},$/\1|\2|\3|\4/p' schema/unit.c |
    awk -F '|' '{ printf ".It Cm %s\n%s, in %s; better: %s.\n", $1, $4, $2, tolower($3) }' >"$lists/metrics"
sed -n 's/^    {"\(.*\)", "\(.*\)", SCALE_[A-Z]*},$/\1|\2/p' schema/unit.c |
    awk -F '|' '{ printf ".It Cm %s\n%s.\n", $1, $2 }' >"$lists/units"

awk -v lists="$lists" '
    /^\.\\" end$/ { inside = 0 }
    !inside { print }
    /^\.\\" list / {
        inside = 1
        while ((getline line < (lists "/" $3)) > 0) print line
    }' schema/schema.5 >"$lists/page"
if [ "${1-}" = --record ]; then
    cp "$lists/page" schema/schema.5
else
    cat "$lists/page"
fi
