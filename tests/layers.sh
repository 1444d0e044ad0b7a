#!/bin/sh
# layers.sh PROGRAM
# Shows, as TAP, that includes go one way, that libraries are used where they belong, that PROGRAM
# (collect, as built) needs libc, libm and threads alone, and that the top level is what it should be.
set -eu
cd "$(dirname "$0")/.."
. tests/tap.sh

# DIR: what files of DIR may include, as an extended regular expression over "quoted names".
layer() {
    dir=$1 allowed=$2
    wrong=$(find "$dir" -name '*.[ch]' -exec grep -EHn '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' {} + |
        grep -Ev "include[[:space:]]*\"($allowed)\"" || true)
    tap_empty "$dir includes only what is below it" "$wrong"
}

# HEADERS (an extended regular expression), then the files which alone may include them.
library() {
    headers=$1 files=$2
    wrong=$(find schema kernels collect normalize report -name '*.[ch]' \
        -exec grep -EHn "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($headers)[>\"]" {} + |
        grep -Ev "^($files):" || true)
    tap_empty "$headers is included by $files alone" "$wrong"
}

layer kernels 'kernels/[a-z0-9_]+\.h'
layer schema 'schema/[a-z0-9_]+\.h|build\.h'
read_half='archive|gzip|input|reader|rows'
layer collect "(collect|kernels|schema)/[a-z0-9_/]+\.h|build\.h"
layer normalize '(normalize|schema)/[a-z0-9_/]+\.h|build\.h'
layer report '(report|schema)/[a-z0-9_/]+\.h|build\.h'
library 'csv\.h' 'schema/reader\.c|normalize/import/csv_hyperfine\.c'
library 'jansson\.h' 'normalize/import/json\.h'
library 'expat\.h' 'normalize/import/xml_[a-z_]+\.c'
library 'zlib\.h' 'schema/(input|gzip)\.c'
library 'cairo[a-z/-]*\.h' 'report/[a-z0-9_/]+\.[ch]'

# The write half of schema, and collect, get along without the read half.
wrong=$(find schema collect -name '*.[ch]' |
    grep -Ev "^schema/($read_half)[a-z_]*\.[ch]$" |
    xargs grep -EHn "include[[:space:]]*\"schema/($read_half)[a-z_]*\.h\"" || true)
tap_empty "collect and the write half of schema leave the read half alone" "$wrong"

case $1 in
*asan*) tap_skip "collect needs libc, libm and threads alone" "a sanitizer's runtime is linked in" ;;
*)
    if needed=$(readelf -d "$1" 2>&1); then
        wrong=$(echo "$needed" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
            grep -Ev '^(libc|libm|libpthread|ld-linux[a-z0-9-]*|linux-vdso)\.so' || true)
    else
        wrong=$needed
    fi
    tap_empty "collect needs libc, libm and threads alone" "$wrong"
    ;;
esac

# Dot-files and what git ignores aside.
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    top=$(git ls-files --cached --others --exclude-standard | sed 's|/.*||' | sort -u | grep -v '^\.' || true)
else
    top=$(find . -maxdepth 1 -mindepth 1 ! -name '.*' ! -name build | sed 's|^\./||' | sort)
fi
expected=$(printf '%s\n' Makefile README.md collect datasets kernels normalize report schema templates tests | sort)
tap_equal "the top level holds what it should and nothing else" "$expected" "$top"

tap_end
