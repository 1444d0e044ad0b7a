#!/bin/sh
# paging.sh BIN
# Shows, as TAP, that paging within a control group measures paging, harms nobody, and leaves nothing
# behind, however it ends. Needs root, a control group for memory and a disk; else all is skipped.
set -eu
cd "$(dirname "$0")/.."
. tests/tap.sh
bin=$(cd "$1" && pwd)
PATH=$bin:$PATH
scratch=$(mktemp -d)
trap 'umount "$scratch/ram" 2>/dev/null || true; rm -rf "$scratch"' EXIT
swap=$scratch/swap

# What must not be there afterwards: swap, its file, groups, the note of it, folders for files.
left_behind() {
    grep -F "$swap" /proc/swaps || true
    ls "$swap" /var/lib/collect 2>/dev/null || true
    find /sys/fs/cgroup -type d -name 'collect-*' 2>/dev/null || true
}

# PATTERN FILE: the samples of write_read that match, one to a row.
rows() {
    normalize merge -q "$2" -o "$scratch/merged.csv"
    grep ',paging,1,write_read,' "$scratch/merged.csv" | grep -v warmup_of | grep "$1"
}

# Without the rights everything is as it was, and the record says why.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 777 "$scratch"
    status=0
    # A limit cannot be had by nobody, nor can swap.
    (cd "$scratch" && setpriv --reuid=65534 --regid=65534 --clear-groups \
        collect run paging --set=limit=64M --x=4M,96M --repeat=1 --min-time=0.01 \
        -o nobody.csv) || status=$?
    tap_equal "without the rights the run ends well" 0 "$status"
    tap_equal "and each row says why there is no value" 4 \
        "$(rows ',unavailable,' "$scratch/nobody.csv" | grep -c 'control group')"
else
    tap_skip "without the rights the run ends well" "not root, so nobody to become"
fi

if ! (cd "$scratch" && collect run paging.write_read --set=limit=64M --set=swapfile="$swap",32M \
    --x=4M --repeat=1 --min-time=0.01 -o probe.csv) 2>"$scratch/why" ||
    grep -q ',unavailable,' "$scratch/probe.csv"; then
    why=$(cat "$scratch/why"; grep -o ',unavailable,.*' "$scratch/probe.csv" || true)
    for name in "speed falls" "is cleaned up after" "is cleaned up after a kill"; do
        tap_skip "paging within a control group $name" "$(echo "$why" | head -n 1)"
    done
    tap_end
    exit
fi
tap_equal "nothing is left after a run" "" "$(left_behind)"

(cd "$scratch" && collect run paging.write_read --set=limit=64M --set=swapfile="$swap",256M \
    --x=16M,32M,192M --repeat=3 --activity=0.1 --timeout=300 -o run.csv)
tap_command "the record is sound" normalize check -q "$scratch/run.csv"
# rate is column 16, x column 11, rep column 15. A group that fills faster than swap can be written is
# sometimes killed by the kernel, and measured once more: any repetition that was measured will do.
rate() {
    rows ',rate,' "$scratch/run.csv" | awk -F, -v x="$1" '$11 == x && $16 != "" { print $16 }' |
        tail -n 1
}
measured=$(rows ',rate,' "$scratch/run.csv" |
    awk -F, '$11 == 201326592 && $16 != "" { print $15 }' | tail -n 1)
# Nothing else may go wrong, and nothing may within the limit.
tap_empty "no repetition fails but by that, and none within the limit" "$(
    rows ',\(failed\|wrong\|timeout\|unavailable\),' "$scratch/run.csv" |
        awk -F, '$11 < 67108864 || $0 !~ /killed by the system/')"
tap_empty "beyond the limit the speed is a third or less" "$(
    awk -v inside="$(rate 33554432)" -v outside="$(rate 201326592)" \
        'BEGIN { if (!(outside > 0 && inside > 3 * outside)) print inside, outside }')"
# An array of three times the limit: each page comes from swap once in the pass that writes and once
# in the one that reads, and one call takes so long that it is the only one. What the kernel counted
# while the process lived and what the program says it moved must agree; its check reads a little more.
tap_empty "the device moved what the program counts, within 15 %" "$(
    awk -F, -v rep="$measured" '
        $15 != rep { next }
        $8 == "write_read" && $11 == 201326592 && $14 == "rate" {
            counted = 2 * $11 * $18
        }
        $8 == "activity" && $14 == "swap_in_rate" && $13 ~ /x=201326592/ {
            moved += $16 * ($19 - before) / 1e9
            before = $19
        }
        END { if (!(moved > 0.85 * counted && moved < 1.15 * counted))
                  print moved " of " counted " bytes" }
    ' "$scratch/run.csv")"

# What takes the memory of the group: a file that cannot be paged, until the system kills the process that
# is measured. It is measured once more, in a group of its own, and the record keeps both.
crowd() {
    mkdir "$scratch/ram"
    mount -t ramfs none "$scratch/ram" || return 0
    (cd "$scratch" && exec collect run paging.write_read --set=limit=64M --set=swapfile="$swap",256M \
        --set=order=cold --set=access=sequential --x=192M --repeat=1 --timeout=120 -o crowded.csv) &
    pid=$!
    for _ in $(seq 200); do
        group=$(find /sys/fs/cgroup -type d -name "collect-$pid-*" | head -n 1)
        [ -n "$group" ] && [ -n "$(cat "$group/cgroup.procs")" ] && break
        sleep 0.02
    done
    sh -c 'echo $$ >"$1/cgroup.procs" && head -c 80M /dev/zero >"$2/ram/file"' - "$group" "$scratch" || true
    wait "$pid" || true
    umount "$scratch/ram"
}
crowd 2>"$scratch/why"
if [ -e "$scratch/crowded.csv" ]; then
    tap_equal "a process that the system killed within its group is measured once more" "0 failed 1 ok" "$(
        grep ',paging,1,write_read,' "$scratch/crowded.csv" | grep ',rate,' |
            grep -v 'warmup_of=1,rate,0,[0-9]' | cut -d, -f15,20 | tr ',\n' '  ' | sed 's/ $//')"
    tap_equal "and both stand in the record, which is sound" \
        "the process was killed by the system: its control group of 64 MiB had no memory left" "$(
        normalize check -q "$scratch/crowded.csv" &&
            grep 'lost_at=20.*warmup_of=1,rate,0,,' "$scratch/crowded.csv" | cut -d, -f21 | tr -d '"')"
else
    tap_skip "a process that the system killed within its group is measured once more" \
        "$(head -n 1 "$scratch/why")"
fi

# Killed at five moments with each signal.
for signal in INT TERM HUP KILL; do
    for moment in 0.05 0.2 0.4 0.8 1.6; do
        # A script ignores SIGINT for what it starts in the background; SIGKILL cannot be ignored.
        (cd "$scratch" && exec env --default-signal=INT,TERM,HUP \
            collect run paging.write_read --set=limit=64M --set=swapfile="$swap",128M \
            --x=96M --repeat=50 -o "$signal.csv" 2>/dev/null) &
        pid=$!
        sleep "$moment"
        kill -s "$signal" "$pid" || tap_not_ok "the run was over before SIG$signal came"
        wait "$pid" 2>/dev/null || true
        if [ "$signal" = KILL ]; then
            # The next start names what it removes.
            (cd "$scratch" && collect run control.nop --repeat=1 --min-time=0.001 -o next.csv \
                2>"$scratch/named")
        fi
        tap_equal "nothing is left after SIG$signal at $moment s" "" "$(left_behind)"
    done
done
tap_end
