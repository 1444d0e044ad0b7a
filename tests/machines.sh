#!/bin/sh
# machines.sh [--record] BIN
# Shows, as TAP, what collect says of the captured machines in tests/machines/: each tree, kept as files
# or written by its make.sh, gives its exact page and records, tells no secret, and has a hash of its
# configuration that follows the configuration alone. --record writes what is said now as what is
# expected: read the difference.
set -eu
cd "$(dirname "$0")/.."
. tests/tap.sh
is_recording=
if [ "$1" = --record ]; then is_recording=yes && shift; fi
bin=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export SOURCE_DATE_EPOCH=0 LC_ALL=C

# What is planted in the trees: host names, a password, addresses, serial numbers, UUIDs, users' files,
# ids of groups, guests and instances.
secrets='secret-host|secret--host|hunter2|DC:A6|6C:CF:39|deadbeef|deafbe|SN-SECRET|4c4c4544|0x12345678|alice|cafe-02|7424c13c|/var/swap|0123456789abcdef0123456789abcdef|SECRETGU|3735928559|i-0dead'

# MACHINE: its tree.
tree() {
    if [ -x "tests/machines/$1/make.sh" ]; then
        [ -d "$scratch/$1" ] || { mkdir "$scratch/$1" && "tests/machines/$1/make.sh" "$scratch/$1"; }
        echo "$scratch/$1"
    else
        echo "tests/machines/$1"
    fi
}

# TABLE: what types of structures a firmware's table has, from its first byte to its last.
structures() {
    od -An -v -tu1 "$1" | awk '
    { for (i = 1; i <= NF; i++) byte[n++] = $i }
    END {
        for (at = 0; at < n; at = i + 2) {
            type[byte[at]]++
            n_types = n_types + (byte[at] != 17 && byte[at] != 127)
            last = byte[at]
            for (i = at + byte[at + 1]; i + 1 < n && (byte[i] || byte[i + 1]); i++) ;
        }
        print (at == n && last == 127 && type[127] == 1 && type[17] > 0 && !n_types) ? "modules, then the end" : "something else"
    }'
}

# A folder's hash of its configuration.
hash_of() {
    "$bin/collect" system --root="$1" --format=csv | sed -n 's/.*,config\.hash,.*,ok,//p'
}

for folder in tests/machines/*/; do
    machine=$(basename "$folder")
    root=$(tree "$machine")
    for format in text csv json; do
        "$bin/collect" system --root="$root" --format=$format >"$scratch/said.$format" || echo failed >"$scratch/said.$format"
    done
    if [ "$is_recording" ]; then
        cp "$scratch/said.text" "tests/machines/$machine/expected.txt"
        cp "$scratch/said.csv" "tests/machines/$machine/expected.csv"
        continue
    fi
    tap_empty "$machine has its page" \
        "$(diff "tests/machines/$machine/expected.txt" "$scratch/said.text" 2>&1 || true)"
    tap_empty "$machine has its records" \
        "$(diff "tests/machines/$machine/expected.csv" "$scratch/said.csv" 2>&1 || true)"
    tap_empty "$machine keeps its secrets" \
        "$(grep -niE "$secrets" "$scratch/said.text" "$scratch/said.csv" "$scratch/said.json" || true)"
    tap_command "the records of $machine are sound" "$bin/normalize" check -q "$scratch/said.csv"
    # A copy tells the same, but for what identifies and what is not copied.
    tests/capture_machine.sh --root="$root" "$scratch/copy" >"$scratch/log" 2>&1 || cat "$scratch/log"
    "$bin/collect" system --root="$scratch/copy" --format=csv >"$scratch/copied.csv"
    kept=',machine\.id,|,config\.hash,|,records,|machine\.(serial|uuid|host_name),'
    cut -d, -f12- "$scratch/said.csv" | grep -vE "$kept" | sed 's/subvol=?/&/' >"$scratch/a"
    cut -d, -f12- "$scratch/copied.csv" | grep -vE "$kept" >"$scratch/b"
    tap_empty "a capture of $machine tells the same" "$(diff "$scratch/a" "$scratch/b" || true)"
    if [ -e "$scratch/copy/sys/firmware/dmi/tables/DMI" ]; then
        tap_equal "the copied table of $machine is of whole structures, modules and an end alone" "$(
            grep -ac SN-SECRET-DIMM "$root/sys/firmware/dmi/tables/DMI" | sed 's/[1-9][0-9]*/modules, then the end/'
        )" "$(structures "$scratch/copy/sys/firmware/dmi/tables/DMI")"
    fi
    tap_empty "a capture of $machine holds no secret" "$(grep -rniaE "$secrets" "$scratch/copy" || true)"
    rm -rf "$scratch/copy"
done
[ -z "$is_recording" ] || exit 0

# ---- the hash of the configuration ----

# MACHINE FILE CONTENT: its hash with one file changed, "same" or "other" than without.
changed() {
    rm -rf "$scratch/changed"
    cp -r "$(tree "$1")" "$scratch/changed"
    mkdir -p "$scratch/changed/$(dirname "$2")"
    echo "$3" >"$scratch/changed/$2"
    if [ "$(hash_of "$scratch/changed")" = "$(hash_of "$(tree "$1")")" ]; then
        echo same
    else
        echo other
    fi
}
tap_equal "another limit of memory is another configuration" other \
    "$(changed container-with-limits sys/fs/cgroup/worker/memory.max 1000000000)"
tap_equal "another quota of CPU time is another configuration" other \
    "$(changed container-with-limits sys/fs/cgroup/worker/cpu.max '50000 100000')"
tap_equal "another kernel is another configuration" other \
    "$(changed container-with-limits proc/sys/kernel/version '#2 SMP')"
tap_equal "more memory is another configuration" other "$(changed container-with-limits proc/meminfo 'MemTotal: 99 kB')"
tap_equal "another microcode is another configuration" other \
    "$(changed hybrid-desktop sys/devices/system/cpu/cpu0/microcode/version 0x12c)"
tap_equal "load is no configuration" same "$(changed hybrid-desktop proc/loadavg '9.00 8.00 7.00 6/500 1')"
tap_equal "temperature is no configuration" same \
    "$(changed hybrid-desktop sys/class/thermal/thermal_zone0/temp 95000)"
tap_equal "memory in use is no configuration" same "$(changed container-with-limits sys/fs/cgroup/memory.current 4096)"
tap_equal "a governor is no configuration" same \
    "$(changed hybrid-desktop sys/devices/system/cpu/cpu0/cpufreq/scaling_governor powersave)"
tap_equal "time that others stole is no configuration" same "$(changed container-with-limits proc/stat 'cpu 1 1 1 1 1 1 1 99')"

# ---- what one sign more or less means ----

# MACHINE FILE CONTENT FACT: what the fact says with one file changed.
says() {
    changed "$1" "$2" "$3" >/dev/null
    "$bin/collect" system --root="$scratch/changed" --format=csv | grep ",$4," | cut -d, -f21
}
tap_equal "a file that a container leaves on a disk is no container where threads of the kernel are seen" \
    'no sign of one' "$(says vm-without-dmi proc/2/comm kthreadd virtual.container)"
tap_equal "where another process has that number it is one" docker "$(says vm-without-dmi proc/2/comm sh virtual.container)"
tap_equal "what systemd says of its container tells a user who cannot read the environment of process 1" lxc \
    "$(says numa-server run/systemd/container lxc virtual.container)"
tap_equal "a container that sees the kernel's threads is one all the same" podman \
    "$(says container-with-limits proc/2/comm kthreadd virtual.container)"

# ---- this machine ----

here() {
    "$bin/collect" system --format=csv
}
hash_here() {
    here | sed -n 's/.*,config\.hash,.*,ok,//p'
}
hash=$(hash_here)
tap_equal "two runs on one machine have one configuration" "$hash" "$(LANG=xx hash_here)"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    cp "$bin/collect" "$scratch/collect" && chmod 755 "$scratch"
    tap_equal "and one whoever asks" "$hash" \
        "$(setpriv --reuid=65534 --regid=65534 --clear-groups "$scratch/collect" system --format=csv |
            sed -n 's/.*,config\.hash,.*,ok,//p')"
else
    tap_skip "and one whoever asks" "only root can ask as somebody else"
fi

# What is said of this machine but for what moves by itself and what identifies it, a fact in a line: all
# but the source, which may be another way to the same.
told() {
    "$bin/collect" system --format=json "$@" | sed -n 's/^    {"name": "\(.*\), "source": .*/\1/p' | sort |
        grep -vE '^((load|pressure|heat)\.|(memory\.available|swap\.free|limit\.(memory\.used|cpu\.throttled.*)|cpu\.clock\.now|machine\.(id|host_name|serial|uuid)|disk\.(folder|serial)|config\.hash)")'
}
tests/capture_machine.sh "$scratch/captured" >"$scratch/log" 2>&1 || cat "$scratch/log"
told --root="$scratch/captured" >"$scratch/there"
grep -F 'not asked of a captured tree' "$scratch/there" | sed 's/".*/"/' >"$scratch/not_asked"
tap_empty "a capture of this machine tells the same as the machine" "$(
    told --dir=/ | awk -v names="$scratch/not_asked" '
        BEGIN { while ((getline name < names) > 0) is_left_out[name] = 1 }
        { name = $0; sub(/".*/, "\"", name); if (!(name in is_left_out)) print }' >"$scratch/said"
    grep -vF 'not asked of a captured tree' "$scratch/there" | diff "$scratch/said" -
)"
tap_equal "and not next to nothing" yes "$([ "$(wc -l <"$scratch/said")" -gt 80 ] && echo yes)"
# Its CPUs as if they were of two kinds, in a name space of its own.
two_kinds() {
    unshare -m sh -eu -c '
        mount -t tmpfs none /sys/devices
        mkdir -p /sys/devices/cpu_core /sys/devices/cpu_atom /sys/devices/system/cpu
        echo 0 >/sys/devices/cpu_core/cpus && echo 1 >/sys/devices/cpu_atom/cpus
        echo 0-1 >/sys/devices/system/cpu/online
        taskset -c "$1" "$2" system --format=csv' - "$1" "$bin/collect" 2>/dev/null |
        sed -n 's/.*,cpu\.\(kind..clock.measured\|count.allowed\),.*,\(ok\|unknown\),\(.*\)/\1 \2 \3/p' | sort
}
if [ "$(two_kinds 0,1)" ]; then
    tap_equal "each kind of core is measured, and the process is left to run where it may" \
        'count.allowed ok |count.allowed ok |kind1.clock.measured ok |kind2.clock.measured ok |' \
        "$(two_kinds 0,1 | tr '\n' '|')"
    tap_equal "a kind that the process may not use is not" \
        'kind2.clock.measured unknown denied: this process may use no CPU of the kind' \
        "$(two_kinds 0 | tail -n 1)"
else
    tap_skip "each kind of core is measured, and the process is left to run where it may" "needs root and two CPUs"
    tap_skip "a kind that the process may not use is not" "needs root and two CPUs"
fi

here >"$scratch/here.csv"
(cd "$scratch" && "$bin/collect" run control.nop --repeat=1 --min-time=0.001 -o run.csv)
cat "$scratch/run.csv" >>"$scratch/here.csv"
{
    cat /etc/machine-id /proc/sys/kernel/hostname 2>/dev/null || true
    cat /sys/class/net/*/address /sys/class/dmi/id/*serial /sys/class/dmi/id/product_uuid 2>/dev/null || true
    [ "$(id -u)" = 0 ] || { id -un && echo "$HOME"; }
} | grep -E '.{3}' | grep -vxE '(00:)+00|vm|localhost|debian|none|ff:.*' >"$scratch/private" || true
tap_empty "records of this machine hold none of its names, addresses and serial numbers" \
    "$(grep -nFf "$scratch/private" "$scratch/here.csv" || true)"
tap_empty "nor does its capture" "$(grep -rnaFf "$scratch/private" "$scratch/captured" || true)"

# NAME: a group for memory that a process may be put into, or nothing.
group=
for top in /sys/fs/cgroup/memory /sys/fs/cgroup; do
    if [ -z "$group" ] && [ "$(id -u)" = 0 ] && mkdir "$top/machines-test.$$" 2>/dev/null; then
        group=$top/machines-test.$$
        [ -e "$group/memory.limit_in_bytes" ] || [ -e "$group/memory.max" ] || { rmdir "$group" && group=; }
    fi
done
if [ "$group" ]; then
    limit=$group/memory.max
    [ -e "$limit" ] || limit=$group/memory.limit_in_bytes
    echo 268435456 >"$limit"
    limited=$(sh -c 'echo $$ >"$1/cgroup.procs" && "$2" system --format=csv' - "$group" "$bin/collect")
    rmdir "$group"
    tap_equal "the limit of memory of a group is read" 268435456 \
        "$(echo "$limited" | grep ,limit.memory, | cut -d, -f16)"
    tap_equal "a run within it has another configuration" other \
        "$([ "$(echo "$limited" | sed -n 's/.*,config\.hash,.*,ok,//p')" = "$hash" ] && echo same || echo other)"
else
    tap_skip "the limit of memory of a group is read" "no group for memory can be made here"
    tap_skip "a run within it has another configuration" "no group for memory can be made here"
fi
tap_end
