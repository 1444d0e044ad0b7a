#!/bin/sh
# compare_memory.sh [ROUNDS [TEXT]]
# Compares the memory kernels with likwid-bench, mbw and lmbench (lat_mem_rd and its STREAM), as far as
# they are there (Debian: likwid and mbw; lmbench in the section non-free): the same access, one thread,
# the same number of bytes, counted in the same way, on the same processor, by turns.
# Prints the median and the best of both and ours / theirs, of the bests too: what others do on the
# machine makes everything slower, now one and now the other. With TEXT, only those whose line contains
# it. For developers, no part of make check. ENOUGH: microseconds of one timing of lmbench, which would
# look for them for minutes.
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-5} only=${2:-}
for lmbench in /usr/lib/lmbench/bin/*; do
    PATH=$PATH:$lmbench
done
make -s "$(make -s where)/bin/collect"
collect=$(make -s where)/bin/collect
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cpu=$(taskset -pc $$ | sed 's/.*: *//; s/[-,].*//')

# ours METRIC KERNEL.TEST BYTES [SETTING...]: its value
ours() {
    metric=$1 test=$2 bytes=$3
    shift 3
    for setting; do
        set -- "$@" "--set=$setting"
        shift
    done
    taskset -c "$cpu" "$collect" run "$test" --x="$bytes" --threads=1 --repeat=1 --min-time=0.3 \
        "$@" -o "$folder/ours.csv" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; return 1; }
    awk -F, -v metric="$metric" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $(at["kind"]) == "sample" && $(at["rep"]) == 1 && $(at["metric"]) == metric {
            print $(at["value"])
        }' "$folder/ours.csv"
}

# likwid TEST BYTES: B/s of all streams, which share the bytes
likwid() {
    taskset -c "$cpu" likwid-bench -t "$1" -W "N:$(($2 / 1000))kB:1" -s 1 2>/dev/null |
        awk '/^MByte\/s:/ { printf "%.0f\n", $2 * 1e6 }'
}

# mbw_copy METHOD BYTES: B/s, where it counts MiB that are copied and we what is read and written
mbw_copy() {
    taskset -c "$cpu" mbw -q -n 5 -t"$1" $(($2 / 2 / 1048576)) |
        awk '/^AVG/ { for (i = 1; i < NF; i++) if ($i == "Copy:") print $(i + 1) * 2 * 1048576 }'
}

# Sorted numbers to "median best", best being the largest or, for times, the smallest.
summary() {
    sort -g | awk -v better="$1" '
        { v[NR] = $1 }
        END {
            if (NR == 0) exit 1
            print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, better == "lower" ? v[1] : v[NR]
        }'
}

# compare BETTER NAME OURS THEIRS: both are commands
compare() {
    case $2 in
    *"$only"*) ;;
    *) return ;;
    esac
    : >"$folder/a"
    : >"$folder/b"
    for round in $(seq "$rounds"); do
        eval "$3" >>"$folder/a"
        eval "$4" >>"$folder/b"
    done
    a=$(summary "$1" <"$folder/a") && b=$(summary "$1" <"$folder/b") || {
        echo "$2: no result"
        return
    }
    echo "$a $b" | awk -v name="$2" '{
        printf "%-52s %10.4g %10.4g %10.4g %10.4g %8.3f %8.3f\n", name, $1, $3, $2, $4, $1 / $3, $2 / $4
    }'
}

printf '%-52s %10s %10s %10s %10s %8s %8s\n' "" "ours" "theirs" "our best" "their" "ratio" "of bests"
if command -v likwid-bench >/dev/null; then
    for bytes in 16000 512000 16000000 128000000; do
        compare higher "read 64 bits, $bytes B: load" \
            "ours rate bus_speed.read_all $bytes word=64" "likwid load $bytes"
        for width in 128:sse 256:avx 512:avx512; do
            bits=${width%:*} name=${width#*:}
            grep -q "avx512f" /proc/cpuinfo || [ "$bits" != 512 ] || continue
            compare higher "read $bits bits, $bytes B: load_$name" \
                "ours rate bus_speed.simd$bits $bytes" "likwid load_$name $bytes"
        done
    done
    widest=avx
    ! grep -q "avx512f" /proc/cpuinfo || widest=avx512
    for bytes in 16000 512000 128000000; do
        compare higher "copy, $bytes B: copy_$widest" \
            "ours rate mem_speed.copy $bytes code=vector type=double store=normal" \
            "likwid copy_$widest $bytes"
        compare higher "triad, $bytes B: daxpy_$widest" \
            "ours rate mem_speed.triad $bytes code=vector type=double" \
            "likwid daxpy_$widest $bytes"
        compare higher "dot, $bytes B: ddot_$widest" \
            "ours rate mem_speed.dot $bytes code=vector type=double" "likwid ddot_$widest $bytes"
    done
    compare higher "copy streaming, 128000000 B: copy_mem_$widest" \
        "ours rate mem_speed.copy 128000000 code=vector type=double store=streaming" \
        "likwid copy_mem_$widest 128000000"
else
    echo "likwid-bench is not there (package likwid)"
fi
if command -v mbw >/dev/null; then
    compare higher "copy, 134217728 B: mbw b[i]=a[i]" \
        "ours rate mem_speed.copy 134217728 code=vector type=double store=normal" \
        "mbw_copy 1 134217728"
    compare higher "memmove, 67108864 B each: mbw memcpy" \
        "ours rate mem_move.move_up 67108864 overlap=no | awk '{ print 2 * \$1 }'" \
        "mbw_copy 0 134217728"
else
    echo "mbw is not there (package mbw)"
fi
if command -v lat_mem_rd >/dev/null; then
    for mib in 1 16 128; do
        compare lower "chase, $mib MiB: lat_mem_rd -t" \
            "ours time mem_latency.chase ${mib}M order=random chains=1" \
            "ENOUGH=20000 taskset -c $cpu lat_mem_rd -N 1 -W 0 -t $mib 64 2>&1 | awk 'NF == 2 { t = \$2 } END { print t * 1e-9 }'"
    done
else
    echo "lat_mem_rd is not there (package lmbench)"
fi
if stream -h 2>&1 | grep -q "stream version"; then
    compare higher "copy, 160000000 B: STREAM copy" \
        "ours rate mem_speed.copy 160000000 code=vector type=double store=normal" \
        "ENOUGH=100000 taskset -c $cpu stream -M 240000000 -N 3 2>&1 |
            awk '/^STREAM copy bandwidth:/ { print \$4 * 1e6 }'"
else
    echo "lmbench's stream is not there (package lmbench)"
fi
