#!/bin/sh
# check.sh
# Runs every suite, each of which speaks TAP, and ends with one line: N passed, N failed, N skipped.
# Exits with 0 if none failed and one passed at least. Called by `make check`, from the top.
set -eu
make=${MAKE:-make}
logs=build/check
rm -rf "$logs"
mkdir -p "$logs"
# The leaks of libraries, which are not ours to mend.
export LSAN_OPTIONS="suppressions=$PWD/tests/leaks.lsan:print_suppressions=0"

# NAME COMMAND...: runs a suite, shows what it says and keeps it. A suite that does not run as many
# tests as it planned, or ends badly without a failed test, counts as one failed test more.
suite() {
    name=$1
    shift
    echo "# ---- $name"
    { "$@" 2>&1 </dev/null && echo 0 >"$logs/status" || echo $? >"$logs/status"; } |
        tee "$logs/$name.tap"
    awk -v name="$name" -v status="$(cat "$logs/status")" '
        /^1\.\.[0-9]+/ { planned += substr($1, 4); has_plan = 1 }
        /^(not )?ok / {
            n++
            if (toupper($0) ~ /# SKIP/) skipped++
            else if ($1 == "ok") passed++
            else { failed++; print "failed: " name ": " $0 > "/dev/stderr" }
        }
        END {
            if (!has_plan || planned != n) {
                failed++
                print "failed: " name ": planned " planned + 0 " tests, ran " n + 0 > "/dev/stderr"
            } else if (status != 0 && failed == 0) {
                failed++
                print "failed: " name ": exit status " status > "/dev/stderr"
            }
            print passed + 0, failed + 0, skipped + 0
        }' "$logs/$name.tap" >>"$logs/tally" 2>>"$logs/failed"
}

# PREFIX: the words behind it in the names of sources below tests/.
subjects() {
    find tests -path "tests/$1*.c" | sed "s|^tests/$1||; s|\.c\$||" | sort
}

builds() {
    . tests/tap.sh
    tap_command "gcc builds everything without a warning" "$make" -s -k -j2 CI=1 programs tests
    tap_command "clang builds everything with sanitizers, without a warning" \
        "$make" -s -k -j2 CI=1 CC=clang FLAVOR=asan programs tests
    tap_end
}

# UBSan stops at the first error by the flags of the build; ASan does so by itself.
replay() {
    . tests/tap.sh
    for subject in $(subjects fuzz/fuzz_); do
        tap_command "fuzz target $subject takes its corpus" \
            "$1/tests/fuzz_$subject" "tests/fuzz/corpus/$subject"/*
    done
    tap_end
}

# What is too slow under valgrind, or uses instructions that it does not know, and is seen by the
# sanitizers instead.
valgrind_all() {
    . tests/tap.sh
    for subject in $(subjects unit/test_); do
        case $subject in
        kernels_* | processor) tap_skip "test_$subject under valgrind" "real kernels at real sizes are too slow" ;;
        simulated_reports) tap_skip "test_$subject under valgrind" "16,000 reports are too slow" ;;
        *)
            tap_command "test_$subject under valgrind" valgrind --quiet --error-exitcode=99 \
                --leak-check=full --errors-for-leak-kinds=definite \
                --suppressions=tests/leaks.valgrind "$1/tests/test_$subject"
            ;;
        esac
    done
    tap_end
}

gcc=$("$make" -s where)
clang=$("$make" -s CC=clang FLAVOR=asan where)

suite builds builds
for subject in $(subjects unit/test_); do
    suite "test_$subject" env CMOCKA_MESSAGE_OUTPUT=TAP "$gcc/tests/test_$subject"
    suite "test_$subject-asan" env CMOCKA_MESSAGE_OUTPUT=TAP "$clang/tests/test_$subject"
done
suite fuzz replay "$clang"
suite valgrind valgrind_all "$gcc"
suite cases tests/run_cases.sh "$gcc/bin"
suite cases-asan tests/run_cases.sh "$clang/bin"
suite machines tests/machines.sh "$gcc/bin"
suite machines-asan tests/machines.sh "$clang/bin"
suite paging tests/paging.sh "$gcc/bin"
suite disk tests/disk.sh "$gcc/bin"
suite variants tests/variants.sh "$gcc/bin"
suite kernel_builds env LEVELS=2 PROCESSORS=SandyBridge tests/kernel_builds.sh
suite layers tests/layers.sh "$gcc/bin/collect"
suite datasets tests/datasets.sh "$gcc/bin"
suite site tests/site.sh "$gcc/bin"
suite browser tests/browser.sh "$gcc/bin"
suite documents tests/documents.sh "$gcc/bin"
suite install tests/install.sh

echo "# ----"
cat "$logs/failed"
awk '{ passed += $1; failed += $2; skipped += $3 }
    END {
        print passed + 0 " passed, " failed + 0 " failed, " skipped + 0 " skipped"
        exit failed > 0 || passed == 0
    }' "$logs/tally"
