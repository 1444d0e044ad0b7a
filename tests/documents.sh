#!/bin/sh
# documents.sh BIN
# Shows, as TAP, that README.md and the man pages say what is: their commands are run, the man pages
# render, they name every option, and the tables of schema.5 are those of the source.
#
# A command is a line that starts with `$ `, in a ```console block of README.md or in a `.Bd -literal`
# display of a man page; `> ` goes on with it. The lines below it are what it prints on standard
# output and error: `...` alone stands for any lines, `[..]` for any text within a line; `[N]` alone,
# last, is the exit status, which is 0 otherwise. With no line below it, what it prints is not looked
# at. The commands of one document are run in one shell, those of README.md at the top of a copy of
# this tree as it is built, those of a man page in an empty folder with the programs in PATH.
set -eu
cd "$(dirname "$0")/.."
. tests/tap.sh
bin=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT

# DOCUMENT FOLDER: writes FOLDER/steps (number, line, command), FOLDER/N.expected where output is
# shown, and FOLDER/script, which runs all.
extract() {
    awk -v folder="$2" '
        function finish() {
            if (!open) return
            open = 0
            printf "} >%s/%d.found 2>&1 </dev/null\necho $? >%s/%d.status\n", folder, n, folder, n > script
        }
        function unescape(text) {
            gsub(/\\&/, "", text); gsub(/\\-/, "-", text); gsub(/\\\(aq/, "\047", text)
            gsub(/\\\(ti/, "~", text); gsub(/\\\(ha/, "^", text); gsub(/\\e/, "\\", text)
            return text
        }
        BEGIN { script = folder "/script"; printf "" > script; printf "" > (folder "/steps") }
        /^```/ || /^\.Bd/ || /^\.Ed/ {
            finish()
            inside = $0 == "```console" || $0 ~ /^\.Bd -literal/
            next
        }
        !inside { next }
        FILENAME !~ /\.md$/ { $0 = unescape($0) }
        /^\$ / {
            finish()
            open = 1
            n++
            print n, FNR, substr($0, 3) > (folder "/steps")
            print "{\n" substr($0, 3) > script
            has_output = 0
            next
        }
        open && !has_output && (/^> / || /^>$/) { print substr($0, 3) > script; next }
        open { has_output = 1; print > (folder "/" n ".expected") }
        END { finish() }' "$1"
}

# EXPECTED FOUND: true when the second file is what the first describes.
matches() {
    awk '
        function line_matches(pattern, text,    at, part, first) {
            first = 1
            while ((at = index(pattern, "[..]")) > 0) {
                part = substr(pattern, 1, at - 1)
                pattern = substr(pattern, at + 4)
                at = index(text, part)
                if (part != "" && (at == 0 || (first && at != 1))) return 0
                if (part != "") text = substr(text, at + length(part))
                first = 0
            }
            if (first) return pattern == text
            return length(text) >= length(pattern) &&
                substr(text, length(text) - length(pattern) + 1) == pattern
        }
        function rest_matches(i, j) {
            for (; i <= n; i++) {
                if (expected[i] == "...") {
                    for (; j <= m + 1; j++) if (rest_matches(i + 1, j)) return 1
                    return 0
                }
                if (j > m || !line_matches(expected[i], found[j])) return 0
                j++
            }
            return j == m + 1
        }
        FILENAME == ARGV[1] { expected[++n] = $0; next }
        { found[++m] = $0 }
        END { exit !rest_matches(1, 1) }' "$1" "$2"
}

# DOCUMENT WORK-FOLDER
run_commands() {
    document=$1 work=$2
    steps=$scratch/steps-${document##*/}
    mkdir "$steps"
    extract "$document" "$steps"
    (cd "$work" && env -i PATH="$bin:$PATH" HOME="$work" TMPDIR="$scratch" LC_ALL=C TZ=UTC0 \
        sh "$steps/script" >/dev/null 2>&1) || true
    while read -r n line command; do
        name="$document:$line: $command"
        status=0
        if [ ! -f "$steps/$n.status" ]; then
            tap_not_ok "$name"
            echo "# it did not come to an end"
            continue
        fi
        if [ -f "$steps/$n.expected" ] && tail -n 1 "$steps/$n.expected" | grep -Eqx '\[[0-9]+\]'; then
            status=$(tail -n 1 "$steps/$n.expected" | tr -d '[]')
            sed -i '$d' "$steps/$n.expected"
        fi
        if [ "$(cat "$steps/$n.status")" != "$status" ]; then
            tap_not_ok "$name"
            echo "# exit status $(cat "$steps/$n.status"), not $status"
            tap_comment <"$steps/$n.found"
        elif [ -f "$steps/$n.expected" ] && ! matches "$steps/$n.expected" "$steps/$n.found"; then
            tap_not_ok "$name"
            diff -u "$steps/$n.expected" "$steps/$n.found" | tap_comment || true
        else
            tap_ok "$name"
        fi
    done <"$steps/steps"
}

copy=$scratch/copy
mkdir -p "$copy/build"
cp -a Makefile README.md collect normalize report kernels schema datasets templates tests "$copy"
cp -a "${bin%/bin}" "$copy/build"
run_commands README.md "$copy"

for page in collect/collect.1 normalize/normalize.1 report/report.1 report/layout.5 schema/schema.5; do
    mkdir "$scratch/work-${page##*/}"
    run_commands "$page" "$scratch/work-${page##*/}"
    warnings=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null || true)
    tap_empty "$page renders without a warning" "$warnings"
done

# Every option that --help knows stands in the man page.
for program in collect normalize report; do
    missing=
    verbs=$("$bin/$program" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')
    [ -n "$verbs" ] || missing=" (--help names no verb)"
    for verb in $verbs; do
        grep -Eq "^\.(Ss|It|Cm|Nm [a-z]+ Cm).* ?$verb( |\$)" "$program/$program.1" || missing="$missing $verb"
        for option in $("$bin/$program" "$verb" --help | sed -n 's/^ *\(-[a-zA-Z], \)\{0,1\}--\([a-z][a-z-]*\).*/\2/p'); do
            grep -Fq -e "Fl -$option" "$program/$program.1" || missing="$missing $verb:--$option"
        done
    done
    tap_empty "$program.1 names every verb and option" "$missing"
done

# The lists of schema.5 as the source has them; tests/schema_page.sh --record puts them there.
tests/schema_page.sh >"$scratch/schema.5"
tap_empty "the lists of schema.5 are those of schema/columns.h and schema/unit.c" \
    "$(diff -u schema/schema.5 "$scratch/schema.5" || true)"
tap_end
