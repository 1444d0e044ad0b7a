#!/bin/sh
# bench.sh BIN TOOLS
# Times normalize (in BIN) against other programs at the same jobs, on BENCH_ROWS (10,000,000) sample rows
# in 16 files below build/bench, with the programs of tests/bench in TOOLS. For each job a line: wall and
# processor time, million rows a second, MB/s of plain text and peak memory, medians of BENCH_RUNS (3)
# runs, and the wall time divided by that of normalize, by turns so that other load hits all of them.
#
# The others get the rows alone, without header and end rows. They check nothing and do not wait for the
# disk; normalize checks every row and both sums, and ends with fsync. Programs that are not installed are
# named. BENCH_MEMORY (1G) is the limit for those that have one.
set -eu
cd "$(dirname "$0")/../.."
PATH=$(cd "$1" && pwd):$(cd "$2" && pwd):$PATH
rows=${BENCH_ROWS:-10000000}
runs=${BENCH_RUNS:-3}
MEMORY=${BENCH_MEMORY:-1G}
TOP=$PWD/build/bench/$rows
TMPDIR=$TOP/tmp
export MEMORY TOP TMPDIR
mkdir -p "$TOP"
rm -rf "$TMPDIR"
mkdir "$TMPDIR"

# About 175 bytes a row: sorted and unsorted, with and without header, what comes out, temporary files.
need_kb=$((rows / 1024 * 175 * 9))
have_kb=$(df -Pk "$TOP" | awk 'NR == 2 { print $4 }')
if [ ! -f "$TOP/made" ] && [ "$have_kb" -lt "$need_kb" ]; then
    echo "bench: $((need_kb >> 20)) GiB are needed below build/bench, $((have_kb >> 20)) are free" >&2
    exit 1
fi
if [ ! -f "$TOP/made" ]; then
    echo "# making $rows rows in 16 files"
    rm -f "$TOP"/*.csv* "$TOP"/*.txt
    make_rows "$rows" 16 "$TOP"
    for file in "$TOP"/unsorted-*.csv; do
        name=${file##*/unsorted-}
        name=${name%.csv}
        normalize merge -q -o "$TOP/sorted-$name.csv" "$file"
        normalize merge -q -o "$TOP/sorted-$name.csv.gz" "$file"
        for kind in sorted unsorted; do
            sed '1d;$d' "$TOP/$kind-$name.csv" >"$TOP/$kind-$name.txt"
        done
    done
    touch "$TOP/made"
fi

# LIST: the median of its numbers.
median() {
    printf '%s\n' "$@" | sort -n | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'
}

# KIND JOB...: rows and bytes of that kind go in; the first job is normalize's.
group() {
    kind=$1
    shift
    bytes=$(cat "$TOP/$kind"-*.csv | wc -c)
    n=$(cat "$TOP/$kind"-*.txt | wc -l)
    jobs=
    for job in "$@"; do
        case $job in
        sqlite3 | mlr | duckdb | clickhouse)
            if ! command -v "$job" >/dev/null; then
                echo "# $job is not installed"
                continue
            fi
            ;;
        esac
        jobs="$jobs $job"
    done
    rm -f "$TMPDIR"/times-*
    run=0
    while [ $run -lt "$runs" ]; do
        for job in $jobs; do
            measure tests/bench/job.sh "$job" >>"$TMPDIR/times-$job"
            rm -f "$TOP"/out.*
        done
        run=$((run + 1))
    done
    base=
    for job in $jobs; do
        wall=$(median $(cut -d' ' -f1 "$TMPDIR/times-$job"))
        cpu=$(median $(cut -d' ' -f2 "$TMPDIR/times-$job"))
        peak=$(median $(cut -d' ' -f3 "$TMPDIR/times-$job"))
        base=${base:-$wall}
        awk -v job="$job" -v wall="$wall" -v cpu="$cpu" -v peak="$peak" -v base="$base" -v n="$n" \
            -v bytes="$bytes" 'BEGIN {
                printf "%-20s %9.2f %9.2f %9.2f %9.0f %9.0f %7.2f\n", job, wall, cpu, n / wall / 1e6,
                    bytes / wall / 1e6, peak, wall / base }'
    done
    echo
}

echo "# $(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg), medians of $runs"
printf '%-20s %9s %9s %9s %9s %9s %7s\n' job 'wall s' 'cpu s' 'Mrows/s' 'MB/s' 'peak MiB' 'ratio'
group sorted merge_canonical sort_merge
group sorted merge_canonical_gz sort_merge_gz
group sorted merge_to_gz
group unsorted merge_unsorted sort_unique sqlite3 mlr duckdb clickhouse
group sorted check tokenise check_one_thread
group sorted check_gz tokenise_gz
group unsorted check_unsorted
rm -rf "$TMPDIR"
