#!/bin/sh
# run_cases.sh [--record] BIN [NAME...]
# Runs the golden cases tests/cases/NAME/ (all without names) with the programs in BIN, as TAP.
#
# A case is a folder: `cmd` is run by sh -eu in an empty folder and a clean environment; its output
# must equal the files `stdout` and `stderr` (empty where there is no file), its exit status the
# number in `status` (0 where there is none). With the exit status 77 it is skipped for the reason on the
# last line of standard error: for programs that the case is not for. The environment: CASE, the case's folder; TREE, the
# top of this tree; BIN's programs first in PATH; LC_ALL=C, TZ=UTC0. --record writes what came out
# as what is expected; read the diff.
set -eu
cd "$(dirname "$0")/.."
. tests/tap.sh
tree=$PWD
record=false
if [ "$1" = --record ]; then
    record=true
    shift
fi
bin=$(cd "$1" && pwd)
shift
if [ $# -eq 0 ]; then
    cd tests/cases
    set -- *
    cd "$tree"
fi
limit_s=120

scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT

# What is expected where a case has no such file.
mkdir "$scratch/default"
: >"$scratch/default/stdout"
: >"$scratch/default/stderr"
echo 0 >"$scratch/default/status"

for name in "$@"; do
    case_dir=$tree/tests/cases/$name
    if [ ! -f "$case_dir/cmd" ]; then
        tap_not_ok "$name: there is no $name/cmd"
        continue
    fi
    work=$scratch/case/$name
    mkdir -p "$work/run" "$work/tmp"
    status=0
    (cd "$work/run" && exec env -i PATH="$bin:$PATH" HOME="$work/tmp" TMPDIR="$work/tmp" LC_ALL=C \
        TZ=UTC0 LOCPATH="${LOCPATH-}" LSAN_OPTIONS="${LSAN_OPTIONS-}" CASE="$case_dir" TREE="$tree" \
        timeout -k 5 "$limit_s" sh -eu "$case_dir/cmd") \
        </dev/null >"$work/stdout" 2>"$work/stderr" || status=$?
    if [ "$status" -eq 77 ]; then
        tap_skip "$name" "$(tail -n 1 "$work/stderr")"
        continue
    fi
    echo "$status" >"$work/status"
    if $record; then
        for part in stdout stderr status; do
            if cmp -s "$work/$part" "$scratch/default/$part"; then
                rm -f "$case_dir/$part"
            else
                cp "$work/$part" "$case_dir/$part"
            fi
        done
    fi
    for part in stdout stderr status; do
        expected=$case_dir/$part
        [ -f "$expected" ] || expected=$scratch/default/$part
        diff -au --label "expected $part" --label "found $part" "$expected" "$work/$part" || true
    done >"$work/difference"
    tap_empty "$name" "$(cat "$work/difference")"
    chmod -R u+w "$work"
    rm -rf "$work"
done
tap_end
