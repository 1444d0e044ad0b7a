#!/bin/sh
# compare_os.sh PROGRAM [TIMES]
# For developers: os_latency beside `perf bench` (Debian: linux-perf), by turns on one processor,
# before all other programs where that is allowed (chrt). Prints the medians over TIMES (15) turns
# and their ratio. Not a test: machines differ. perf takes the mean of all its operations, so its
# loops are short, lest others have the processor meanwhile. It counts a message there and back as
# one operation, which are two switches.
set -eu
collect=${1:?usage: compare_os.sh PROGRAM [TIMES]} times=${2:-15}
if ! command -v perf >/dev/null; then
    echo "compare_os.sh: perf is not installed (linux-perf)" >&2
    exit 1
fi
first=
chrt -f 10 true 2>/dev/null && first='chrt -f 10'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# TEST SETTING: our figure, in ns.
ours() {
    $first taskset -c 0 "$collect" run "os_latency.$1" ${2:+--set=mode="$2"} --repeat=1 -o - \
        2>/dev/null |
        awk -F, '$2 == "sample" && $14 == "time" && $15 == 1 { printf "%.1f\n", $16 * 1e9 }'
}

# SWITCHES COMMAND...: perf's "usecs/op" as ns of one of SWITCHES.
theirs() {
    n=$1
    shift
    $first taskset -c 0 perf bench "$@" 2>/dev/null |
        awk -v n="$n" '$2 == "usecs/op" { printf "%.1f\n", $1 * 1000 / n }'
}

median() {
    sort -n "$1" |
        awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

# NAME TEST SETTING SWITCHES COMMAND...
compare() {
    name=$1 test=$2 setting=$3
    shift 3
    : >"$folder/ours" >"$folder/theirs"
    for _ in $(seq "$times"); do
        ours "$test" "$setting" >>"$folder/ours"
        theirs "$@" >>"$folder/theirs"
    done
    echo "$name $(median "$folder/ours") $(median "$folder/theirs")" |
        awk '{ printf "%-24s %10.1f ns %10.1f ns %8.2f\n", $1, $2, $3, $2 / $3 }'
}

printf '%-24s %13s %13s %8s\n' '' collect perf ratio
compare syscall syscall '' 1 syscall basic -l 100000
compare context_switch,process context_switch process 2 sched pipe -l 20000
compare context_switch,thread context_switch thread 2 sched pipe -T -l 20000
