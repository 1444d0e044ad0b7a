#!/bin/sh
# disk.sh BIN
# Shows, as TAP, what happens to a run on a disk that gets full, and what disk kernels leave behind.
# A small file system is mounted for it, which needs root; else those tests are skipped.
set -eu
cd "$(dirname "$0")/.."
. tests/tap.sh
bin=$(cd "$1" && pwd)
PATH=$bin:$PATH
scratch=$(mktemp -d)
small=$scratch/small
trap 'umount "$small" 2>/dev/null || true; rm -rf "$scratch"' EXIT
mkdir "$small"

# FILE TEST: status and reason of the rates of a test of it, each once.
rates() {
    normalize merge -q "$1" -o "$scratch/merged.csv"
    awk -F, -v test="$2" '$2 == "sample" && $8 == test && $14 == "rate" {
        print substr($0, index($0, "," $20 ",") + 1) }' "$scratch/merged.csv" | sort -u
}

# Long enough for a line of a test over time, on a disk as fast as memory too.
if collect run disk_block.write --x=512 --set=size=400M --set=mode=buffered --repeat=1 -v \
    -d "$scratch" -o "$scratch/live.csv" 2>"$scratch/live" && [ -s "$scratch/live" ]; then
    tap_empty "-v shows bytes, sustained and incremental rate each second" "$(
        sed -n -e '1{/^disk_block.write x=512 B/d}' \
            -e '/^[0-9.]*: [0-9]* MB, [0-9]* MB\/s sustained, [0-9]* MB\/s incremental$/d' -e p \
            "$scratch/live")"
    tap_equal "and as many as there are samples" "$(($(wc -l <"$scratch/live") - 1))" \
        "$(grep -c ',sustained,' "$scratch/live.csv")"
else
    tap_skip "-v shows bytes, sustained and incremental rate each second" \
        "400 MiB were written in less than a second"
fi

# A path is nobody's business.
head -c 2M /dev/urandom >"$scratch/private"
(cd "$scratch" && collect run disk_raw --set=source="$scratch/private" --set=size=1M \
    --set=mode=direct,buffered --x=64K --repeat=1 -o raw.csv)
tap_equal "the path of a source is not in the record" "" \
    "$(grep -o "private\|$scratch" "$scratch/raw.csv" || true)"
tap_equal "but that it was a file" 2 "$(grep -c 'size=1048576;source=file,rate' "$scratch/raw.csv")"

# A block device is not written to by accident: any there is, and nothing is written.
device=$(find /dev -type b 2>/dev/null | head -n 1)
if [ -n "$device" ]; then
    status=0
    said=$(collect dump "$scratch/private" 0 512 "$device" 2>&1) || status=$?
    tap_equal "collect dump refuses to write to a block device" "2 yes" \
        "$status $(case $said in *"is a block device; --yes-write-device"*) echo yes ;; esac)"
else
    tap_skip "collect dump refuses to write to a block device" "there is none"
fi

if [ "$(id -u)" != 0 ] || ! mount -t tmpfs -o size=3M none "$small" 2>"$scratch/why"; then
    why=$(head -n 1 "$scratch/why" 2>/dev/null || echo "not root")
    tap_skip "a file that does not fit is refused" "cannot mount: $why"
    tap_skip "a full disk is a failed row" "cannot mount: $why"
    tap_end
    exit
fi

collect run disk_block.write --set=size=4M --x=64K --set=mode=buffered --repeat=1 -d "$small" \
    -o "$scratch/large.csv"
tap_equal "a file that does not fit is refused" \
    'unavailable,"4 MiB of files do not fit into the free space, 3 MiB; --set=size=... makes them smaller"' \
    "$(rates "$scratch/large.csv" write)"
collect run disk_block.write --x=64K --set=mode=buffered --repeat=1 -d "$small" -o "$scratch/none.csv"
tap_equal "unasked no more than a tenth of the free space is used" \
    'unavailable,"1 MiB for each thread would be more than a tenth of the free space, 3 MiB; --set=size=... is for those who want it yet"' \
    "$(rates "$scratch/none.csv" write)"

# 520 files of 5000 bytes are 2.6 MB, but take 4 MiB of whole pages: the disk gets full on the way.
# Others are still fine.
status=0
collect run disk_files.small_write disk_files.large_write control.nop --x=5000 --repeat=2 --seed=3 \
    --min-time=0.001 -d "$small" -o "$scratch/full.csv" || status=$?
tap_equal "a run on a disk that gets full ends well" 0 "$status"
tap_command "its record is sound" normalize check -q "$scratch/full.csv"
tap_equal "a full disk is a failed row" "failed,no space: writing of a small file" \
    "$(rates "$scratch/full.csv" small_write)"
tap_equal "and what fits is measured all the same" "ok, 2" \
    "$(rates "$scratch/full.csv" large_write) $(grep -c ',nop,.*,time,[12],.*,ok,' "$scratch/full.csv")"
tap_equal "nothing is left on the disk" "" "$(ls -A "$small")"
tap_equal "and all of its space is free again" "$(stat -f -c %b "$small")" "$(stat -f -c %f "$small")"

# The reads of a file system in memory would not be reads.
collect run disk_block.read disk_random disk_files.large_read disk_files.small_read --x=8192 \
    --set=size=64K --set=files=4 --set=block=4K --set=mode=buffered,direct --repeat=1 -d "$small" \
    -o "$scratch/memory.csv"
tap_equal "what is in memory alone is not read as if from a disk" 0 \
    "$(grep -c ',rate,.*,ok,' "$scratch/memory.csv")"
tap_end
