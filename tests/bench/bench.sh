#!/bin/sh
# bench.sh BIN TOOLS
# Times normalize (in BIN) against other programs at the same jobs, on BENCH_ROWS (10,000,000) sample rows
# in 16 files below build/bench, with the programs of tests/bench in TOOLS. For each job a line: wall and
# processor time, million rows a second, MB/s of plain text and peak memory, medians of BENCH_RUNS (3)
# runs, and the wall time divided by that of normalize, by turns so that other load hits all of them.
#
# The others get the rows alone, without header and end rows. They check nothing and do not wait for the
# disk; normalize checks every row and both sums, and ends with fsync. All have to come to the same rows in
# the same order, or it says so. Programs that are not installed are named. BENCH_MEMORY (1G) is the limit
# for those that have one.
#
# Debian has no DuckDB. Its library in a package of npm does:
#     npm install --prefix build/npm @duckdb/node-api
set -eu
cd "$(dirname "$0")/../.."
PATH=$(cd "$1" && pwd):$(cd "$2" && pwd):$PATH
rows=${BENCH_ROWS:-10000000}
runs=${BENCH_RUNS:-3}
MEMORY=${BENCH_MEMORY:-1G}
TOP=$PWD/build/bench/$rows
TMPDIR=$TOP/tmp
NODE_PATH=${NODE_PATH:-$PWD/build/npm/node_modules}
export MEMORY TOP TMPDIR NODE_PATH
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

# The sum of what a job wrote, nothing where it wrote nothing: rows without header and end row. SQLite quotes
# what is empty at the end of a row.
sum_of_rows() {
    if [ -f "$TOP/out.csv.gz" ]; then
        gzip -dc "$TOP/out.csv.gz" | sed '1d;$d' | cksum
    elif [ -f "$TOP/out.csv" ]; then
        sed '1d;$d' "$TOP/out.csv" | cksum
    elif [ -f "$TOP/out.txt" ]; then
        sed 's/,""$/,/' "$TOP/out.txt" | cksum
    fi
}

# Measured with Miller 6.6: 4.7 GiB for 500,000 rows. More than there is would end other programs too.
MLR_KIB_A_ROW=10
free_kib=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)

# KIND JOB...: rows and bytes of that kind go in; the first job is normalize's.
group() {
    kind=$1
    shift
    bytes=$(cat "$TOP/$kind"-*.csv | wc -c)
    n=$(cat "$TOP/$kind"-*.txt | wc -l)
    jobs=
    for job in "$@"; do
        if ! tests/bench/job.sh has "$job"; then
            echo "# $job is not installed"
        elif [ "$job" = mlr ] && [ $((rows * MLR_KIB_A_ROW)) -gt "$free_kib" ]; then
            echo "# mlr is left out: it keeps all rows in memory, $((rows * MLR_KIB_A_ROW >> 20)) GiB"
        else
            jobs="$jobs $job"
        fi
    done
    rm -f "$TMPDIR"/times-* "$TMPDIR"/rows-*
    run=0
    while [ $run -lt "$runs" ]; do
        for job in $jobs; do
            measure tests/bench/job.sh "$job" >>"$TMPDIR/times-$job"
            [ $run -gt 0 ] || sum_of_rows >"$TMPDIR/rows-$job"
            rm -f "$TOP"/out.*
        done
        run=$((run + 1))
    done
    base=
    first=${jobs# }
    first=${first%% *}
    for job in $jobs; do
        cmp -s "$TMPDIR/rows-$first" "$TMPDIR/rows-$job" || echo "# $job comes to other rows"
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
