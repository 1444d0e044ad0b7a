#!/bin/sh
# compare_disk.sh BIN [FOLDER]
# Compares rates of disk_block and disk_random with those of fio: same block size, mode, number of
# threads, size and fsync rule, alternately on the file system of FOLDER (the current one without it).
# Prints medians, and the median of the ratios of neighbours, which saw the same load; exits with 1 where
# that is not within 10 %. Not part of `make check`:
# it needs fio and minutes, and a disk that others use meanwhile has no speed of its own.
# PAIRS=N: how often each is measured (default 15). ONLY=TEXT: the lines that begin so.
set -eu
bin=$(cd "$1" && pwd)
folder=${2:-.}
pairs=${PAIRS:-15}
size=134217728
count=4000 # random transfers of each thread
PATH=$bin:$PATH
scratch=$(mktemp -d "$folder/compare.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# KERNEL TEST MODE BLOCK THREADS: B/s
ours() {
    case $1 in
    disk_block) set -- "$@" --x="$4" --set=size=$size ;;
    disk_random) set -- "$@" --x=$size --set=block="$4" --set=count=$count ;;
    esac
    kernel=$1 test=$2 mode=$3 block=$4 threads=$5
    shift 5
    collect run "$kernel.$test" --set=mode="$mode" --threads="$threads" --repeat=1 "$@" \
        -d "$scratch" -o "$scratch/record.csv"
    awk -F, -v test="$test" -v block="$block" '$2 == "sample" && $8 == test && $14 == "rate" {
        print $17 == "op/s" ? $16 * block : $16 }' "$scratch/record.csv"
}

# The same of fio: a file for each thread, random data with something new in each block, as collect has
# it (all of it anew with refill_buffers would cost fio as much time as the disk), without fallocate; the final fsync within the time; for reads and random writes a file that is there, and
# nothing of it in the page cache.
theirs() {
    direct=0
    [ "$3" = buffered ] || direct=1
    rw=$2
    [ "$1" = disk_block ] || rw=rand$2
    test=$2 block=$4 threads=$5
    set --
    # What is new grows as it is written; fio would give it its length before.
    [ $rw != write ] || set -- --file_append=1
    case $rw in rand*) set -- --overwrite=1 --norandommap --randrepeat=0 --number_ios=$count ;; esac
    rm -f "$scratch"/compare.*
    fio --name=compare --directory="$scratch" --rw="$rw" --size=$size --bs="$block" \
        --numjobs="$threads" --thread --group_reporting --direct=$direct --ioengine=psync \
        --invalidate=1 --end_fsync=1 --scramble_buffers=1 --fallocate=none --output-format=json "$@" |
        awk -v test="$test" '
            $1 == "\"" test "\"" { inside = 1 }
            inside && $1 == "\"bw_bytes\"" { print $3 + 0; exit }'
    rm -f "$scratch"/compare.*
}

# Odd or even: the middle one, or the lower of the two in the middle.
median() {
    sort -g "$1" | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

failed=0
printf '%-12s %-6s %-9s %8s %8s %10s %10s %6s\n' kernel test mode block threads collect fio ratio
while read -r kernel test mode block threads; do
    case "$kernel $test $mode $block $threads" in "${ONLY-}"*) ;; *) continue ;; esac
    : >"$scratch/ours"
    : >"$scratch/theirs"
    pair=0
    while [ "$pair" -lt "$pairs" ]; do
        # Either goes first every other time.
        [ $((pair % 2)) = 1 ] || ours "$kernel" "$test" "$mode" "$block" "$threads" >>"$scratch/ours"
        theirs "$kernel" "$test" "$mode" "$block" "$threads" >>"$scratch/theirs"
        [ $((pair % 2)) = 0 ] || ours "$kernel" "$test" "$mode" "$block" "$threads" >>"$scratch/ours"
        pair=$((pair + 1))
    done
    paste "$scratch/ours" "$scratch/theirs" | awk '{ print $1 / $2 }' >"$scratch/ratios"
    awk -v ratio="$(median "$scratch/ratios")" -v kernel="$kernel" -v test="$test" -v mode="$mode" -v block="$block" -v threads="$threads" \
        -v ours="$(median "$scratch/ours")" -v theirs="$(median "$scratch/theirs")" 'BEGIN {
            printf "%-12s %-6s %-9s %8d %8d %5.1f MB/s %5.1f MB/s %6.3f\n", kernel, test, mode,
                block, threads, ours / 1e6, theirs / 1e6, ratio
            exit ratio < 0.9 || ratio > 1.1
        }' || failed=1
done <<END
disk_block write direct 65536 1
disk_block write direct 1048576 1
disk_block write buffered 65536 1
disk_block read direct 65536 1
disk_block read direct 1048576 1
disk_block read buffered 65536 1
disk_block write direct 65536 2
disk_block read direct 65536 2
disk_random read direct 4096 1
disk_random write direct 4096 1
disk_random read direct 4096 2
END
exit $failed
