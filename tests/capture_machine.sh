#!/bin/sh
# capture_machine.sh [--root=DIR] FOLDER
# Copies what the probes of collect read into FOLDER, which must be new or empty, so that
# `collect system --root=FOLDER` tells of this machine elsewhere. What identifies a person or a device is
# not copied: serial numbers, UUIDs, the ids of the machine and of its control groups, host name, mount
# points, users' folders, parameters of the kernel but for harmless ones. Look at it all the same before
# you publish it. DIR is another such tree, for tests.
set -eu
root=
case ${1-} in
--root=*) root=${1#--root=} && shift ;;
esac
to=${1:?folder}
mkdir -p "$to"
to=$(cd "$to" && pwd)
[ -z "$(ls -A "$to")" ] || { echo "$to: is not empty" >&2 && exit 1; }

# Files as they are, by patterns below the root: those that can be read.
copy() {
    (
        cd "${root:-/}"
        for pattern; do
            for file in $pattern; do # patterns are meant to be expanded
                [ ! -f "$file" ] || printf '%s\0' "$file"
            done
        done | xargs -0 -r cp -L --parents -t "$to" -- 2>/dev/null
    ) || true # what cannot be read is left out
}

# filter PATH COMMAND...: a file through a command.
filter() {
    [ -f "$root/$1" ] && [ -r "$root/$1" ] || return 0
    filtered=$1
    mkdir -p "$to/$(dirname "$filtered")"
    shift
    { "$@" <"$root/$filtered" >"$to/$filtered"; } 2>/dev/null || true # grep that finds nothing
}

# Folders that are only asked whether they are there.
mark() {
    for path; do
        [ ! -e "$root/$path" ] || mkdir -p "$to/$path"
    done
}

cpu='sys/devices/system/cpu'
copy "$cpu/online" "$cpu/offline" "$cpu/possible" "$cpu/present" "$cpu/isolated" "$cpu/nohz_full" \
    "$cpu/smt/control" "$cpu/vulnerabilities/*" "$cpu/cpufreq/boost" "$cpu/intel_pstate/status" \
    "$cpu/intel_pstate/no_turbo" "$cpu/amd_pstate/status" "$cpu/cpuidle/current_driver" "$cpu/cpuidle/current_governor_ro" \
    "$cpu/cpu[0-9]*/cpu_capacity" "$cpu/cpu[0-9]*/topology/*_list" \
    "$cpu/cpu[0-9]*/topology/physical_package_id" "$cpu/cpu[0-9]*/regs/identification/midr_el1" \
    "$cpu/cpu[0-9]*/acpi_cppc/nominal_freq" "$cpu/cpu[0-9]*/thermal_throttle/*_throttle_count" \
    "$cpu/cpu0/microcode/version" "$cpu/cpu0/cpuidle/state*/name"
for file in level type size shared_cpu_list ways_of_associativity number_of_sets coherency_line_size; do
    copy "$cpu/cpu[0-9]*/cache/index[0-9]*/$file"
done
for file in cpuinfo_min_freq cpuinfo_max_freq base_frequency scaling_cur_freq scaling_max_freq \
    scaling_driver scaling_governor energy_performance_preference; do
    copy "$cpu/cpu[0-9]*/cpufreq/$file"
done
copy 'sys/bus/platform/drivers/amd_x3d_vcache/AMDI0101:00/amd_x3d_mode' \
    sys/devices/cpu_core/cpus sys/devices/cpu_atom/cpus sys/devices/cpu_lowpower/cpus \
    'sys/devices/system/node/online' 'sys/devices/system/node/node*/cpulist' \
    'sys/devices/system/node/node*/meminfo' 'sys/devices/system/node/node*/distance' \
    'sys/devices/system/edac/mc/mc*/*/size' 'sys/devices/system/edac/mc/mc*/*/dimm_mem_type' \
    'sys/devices/system/clocksource/clocksource0/*_clocksource' \
    sys/devices/platform/soc/soc:firmware/get_throttled
copy run/systemd/container proc/2/comm proc/meminfo proc/loadavg proc/uptime 'proc/pressure/*' proc/sys/kernel/ostype \
    proc/sys/kernel/osrelease proc/sys/kernel/version proc/sys/kernel/arch proc/sys/kernel/tainted \
    proc/sys/kernel/randomize_va_space proc/sys/kernel/numa_balancing proc/sys/kernel/watchdog \
    proc/sys/kernel/perf_event_paranoid proc/sys/kernel/sched_autogroup_enabled \
    proc/sys/vm/swappiness proc/sys/vm/page-cluster \
    proc/sys/vm/overcommit_memory proc/driver/nvidia/version \
    'sys/kernel/mm/transparent_hugepage/enabled' 'sys/kernel/mm/transparent_hugepage/defrag' \
    sys/kernel/mm/ksm/run sys/module/zswap/parameters/enabled sys/module/zswap/parameters/compressor \
    sys/kernel/debug/sched/preempt sys/kernel/security/lsm sys/hypervisor/type etc/os-release \
    usr/lib/os-release sys/firmware/acpi/platform_profile
for field in sys_vendor product_name product_version board_vendor board_name board_version bios_vendor \
    bios_version bios_date; do
    copy "sys/class/dmi/id/$field"
done
copy 'sys/firmware/efi/efivars/SecureBoot-*' proc/device-tree/model \
    'proc/device-tree/cpus/*/*cache-size' 'proc/device-tree/cpus/cpu@*/d-cache-*-size' \
    proc/device-tree/hypervisor/compatible
for field in family machine soc_id revision; do copy "sys/bus/soc/devices/soc0/$field"; done
copy 'sys/class/powercap/*/name' 'sys/class/powercap/*/enabled' \
    'sys/class/powercap/*/constraint_*_name' 'sys/class/powercap/*/constraint_*_power_limit_uw' \
    'sys/class/powercap/*/constraint_*_time_window_us'
copy 'sys/class/thermal/thermal_zone*/type' 'sys/class/thermal/thermal_zone*/temp' \
    'sys/class/hwmon/hwmon*/name' 'sys/class/hwmon/hwmon*/temp1_input' \
    'sys/class/power_supply/*/type' 'sys/class/power_supply/*/online' \
    'sys/class/drm/card[0-9]/device/uevent'
mark sys/class sys/class/powercap sys/firmware sys/firmware/efi sys/class/dmi/id sys/class/drm sys/class/power_supply \
    sys/class/thermal proc/device-tree proc/device-tree/hypervisor .dockerenv run/.containerenv
if [ -e "$root/proc/device-tree/ibm,partition-name" ]; then mkdir -p "$to/proc/device-tree/ibm,partition-name"; fi

# The memory modules of the firmware's table (DMTF DSP0134, 6.1 and 7.18): each structure of type 17 as
# it is, but of its strings the maker (at 0x17) and the part number (0x1a) alone; the others, its serial
# number and asset tag among them, are "x". Structures of other types are left out, the end is kept.
redact_modules() {
    escapes=$(od -An -v -tu1 | awk '
    { for (i = 1; i <= NF; i++) byte[n++] = $i }
    function put(b) { printf "\\0%03o", b }
    END {
        for (at = 0; at + 4 <= n && byte[at + 1] >= 4 && byte[at] != 127; at = end + 2) {
            length_ = byte[at + 1]
            for (end = at + length_; end + 1 < n && (byte[end] || byte[end + 1]); end++) ;
            if (end + 1 >= n) break
            if (byte[at] != 17) continue
            for (i = at; i < at + length_; i++) put(byte[i])
            maker = length_ > 23 ? byte[at + 23] : 0
            part = length_ > 26 ? byte[at + 26] : 0
            i = at + length_
            for (string = 1; i < end; string++) {
                is_kept = string == maker || string == part
                if (!is_kept) put(120)
                for (; byte[i]; i++) if (is_kept) put(byte[i])
                put(0)
                i++
            }
            if (string == 1) put(0)
            put(0)
        }
        printf "\\0177\\0004\\0000\\0000\\0000\\0000"
    }')
    printf %b "$escapes"
}
filter sys/firmware/dmi/tables/DMI redact_modules

# The serial number of an ARM board, that of an IBM Z.
filter proc/cpuinfo sed 's/^\(Serial[^:]*:\).*/\1 0/; s/\(identification = \)[0-9A-F]*/\1000000/'
filter proc/sysinfo grep -E '^(Manufacturer|Type|VM00 Control Program):'
filter proc/stat grep -E '^cpu '
filter proc/self/status grep -E '^Cpus_allowed_list:'
filter proc/swaps sed -E 's|^/[^ \t]*/(\(deleted\))?|&|; /^\/dev\//! s|^/[^ \t]+|/file|'
filter proc/1/environ sh -c "tr '\\000' '\\n' | grep '^container=' | tr '\\n' '\\000'"
release=$(cat "$root/proc/sys/kernel/osrelease" 2>/dev/null || true)
filter "boot/config-$release" grep -E '^(# )?CONFIG_HZ'
if [ ! -e "$to/boot/config-$release" ] && [ -r "$root/proc/config.gz" ]; then
    mkdir -p "$to/boot"
    gzip -dc "$root/proc/config.gz" | grep -E '^(# )?CONFIG_HZ' >"$to/boot/config-$release" || true
fi

# Parameters whose names are on the list of collect/fingerprint/probe_system.c stay; each other one is "x".
keep=$(sed -n '/is_harmless/,/^}/p' "$(dirname "$0")/../collect/fingerprint/probe_system.c" |
    grep -o '"[a-z0-9_.]*"' | tr -d '"' | tr '\n' '|')
filter proc/cmdline awk -v keep="$keep" '{
    n = split(keep, names, "|")
    for (i = 1; i <= n; i++) if (names[i] != "") is_kept[names[i]] = 1
    for (i = 1; i <= NF; i++) { key = $i; sub(/=.*/, "", key); printf "%s%s", (i > 1 ? " " : ""), ((key in is_kept) ? $i : "x") }
    print ""
}'

# Control groups by paths that say what manages them without saying which they are: each folder but for
# those is called by its depth, the same in all places.
hide='function hide(path,  names, n, i, out) {
    n = split(path, names, "/")
    for (i = 2; i <= n; i++)
        if (names[i] == "") out = out "/"
        else if (names[i] ~ /^(docker|lxc|libpod|kubepods(\.slice)?|(machine|user|system|init)\.slice)$/) out = out "/" names[i]
        else out = out "/g" i
    return out
}'
filter proc/self/cgroup awk -F: "$hide"'{ path = $0; sub(/^[^:]*:[^:]*:/, "", path); print $1 ":" $2 ":" hide(path) }'
group_copy() { # FROM TO
    for file in memory.max memory.swap.max memory.current memory.stat memory.limit_in_bytes \
        memory.memsw.limit_in_bytes memory.usage_in_bytes cpu.max cpu.weight cpu.stat cpu.cfs_quota_us \
        cpu.cfs_period_us cpu.shares cpuset.cpus cpuset.cpus.effective cpuset.effective_cpus; do
        [ -r "$root$1/$file" ] || continue
        mkdir -p "$to$2"
        cat "$root$1/$file" >"$to$2/$file" 2>/dev/null || rm -f "$to$2/$file"
    done
}
mounts=$root/proc/self/mountinfo
if [ -r "$mounts" ]; then
    grep -E ' - cgroup2? ' "$mounts" | while read -r _ _ _ inside top rest; do
        controller=$(echo "${rest##* }" | tr ',' '\n' | grep -xE 'memory|cpu|cpuset' | head -n 1 || true)
        line=$(grep -E "^[0-9]+:([^:]*,)?$controller(,[^:]*)?:" "$root/proc/self/cgroup" | head -n 1 || true)
        path=${line#*:*:}
        hidden=$(echo "$path" | awk "$hide"'{ print hide($0) }')
        if [ "$inside" != / ]; then
            hidden=${hidden#"$(echo "$inside" | awk "$hide"'{ print hide($0) }')"} path=${path#"$inside"}
        fi
        while [ -n "$path" ] && [ "$path" != / ]; do
            group_copy "$top$path" "$top$hidden"
            path=${path%/*} hidden=${hidden%/*}
        done
        group_copy "$top" "$top"
    done
fi

# The mounts that the probes look at: the root, and the control groups; options with a value of their
# own lose it.
filter proc/self/mountinfo awk "$hide"'$5 == "/" || / - cgroup2? / {
    n = split("upperdir lowerdir workdir resuid resgid addr clientaddr username uid gid subvol", keys)
    for (i = 1; i <= n; i++) gsub(keys[i] "=[^ ,]*", keys[i] "=x")
    for (i = 7; $i != "-"; i++) ;
    if ($5 == "/" && $(i + 2) !~ /^\/dev\/[a-z0-9]+$/) $(i + 2) = "none"
    $4 = $5 == "/" ? "/" : hide($4)
    print
}'

# The chain of devices below the root.
device=$(awk '$5 == "/" { print $3; exit }' "$mounts" 2>/dev/null || true)
source=$(awk '$5 == "/" { for (i = 7; $i != "-"; i++) ; print $(i + 2); exit }' "$mounts" 2>/dev/null || true)
filter "sys/dev/block/$device/uevent" grep -E '^DEVNAME='
block_copy() { # NAME
    mark "sys/class/block/$1"
    for slave in "$root/sys/class/block/$1/slaves"/*; do
        [ -e "$slave" ] || continue
        mkdir -p "$to/sys/class/block/$1/slaves/${slave##*/}"
        block_copy "${slave##*/}"
    done
    filter "sys/class/block/$1/dm/uuid" sed 's/^\([A-Z]*-\)\{0,1\}.*/\1id/'
    copy "sys/class/block/$1/md/level"
    for disk in "$root"/sys/block/*; do
        case $1 in
        "${disk##*/}" | "${disk##*/}"*) ;;
        *) continue ;;
        esac
        name=${disk##*/}
        for file in size queue/rotational queue/scheduler queue/write_cache queue/logical_block_size \
            queue/physical_block_size queue/read_ahead_kb queue/nr_requests device/model device/name \
            device/firmware_rev device/rev; do
            copy "sys/block/$name/$file"
        done
        copy "sys/block/$name/$1/start"
        mark "sys/block/$name/$1"
    done
}
name=$(sed -n 's/^DEVNAME=//p' "$root/sys/dev/block/$device/uevent" 2>/dev/null || true)
[ -n "$name" ] || name=${source#/dev/}
case $name in
*/* | '' | none | overlay) ;;
*) block_copy "$name" ;;
esac

# The devices of a btrfs, without its UUID.
n=0
for devices in "$root"/sys/fs/btrfs/*/devices; do
    for device in "$devices"/*; do
        [ ! -e "$device" ] || mkdir -p "$to/sys/fs/btrfs/$n/devices/${device##*/}"
    done
    n=$((n + 1))
done

# What the processor says of itself, but for the serial number of leaf 3: by cpuid(1), or by a compiler.
ask_cpuid() {
    if command -v cpuid >/dev/null; then
        cpuid -1 -r
        return
    fi
    program=$(mktemp -d)
    ${CC:-cc} -x c -o "$program/ask" - 2>/dev/null <<'END' && "$program/ask"
#include <cpuid.h>
#include <stdio.h>
static void ask(unsigned leaf, unsigned subleaf)
{
    unsigned a, b, c, d;
    __cpuid_count(leaf, subleaf, a, b, c, d);
    printf("   0x%08x 0x%02x: eax=0x%08x ebx=0x%08x ecx=0x%08x edx=0x%08x\n", leaf, subleaf, a, b, c, d);
}
int main(void)
{
    static const unsigned ranges[] = {0, 0x40000000, 0x80000000};
    for (int i = 0; i < 3; i++) {
        unsigned highest = i == 1 ? ranges[i] : __get_cpuid_max(ranges[i], 0);
        for (unsigned leaf = ranges[i]; leaf <= highest && leaf - ranges[i] < 64; leaf++)
            for (unsigned subleaf = 0; subleaf < (leaf == 4 || leaf == 0x8000001d ? 8 : 1); subleaf++)
                ask(leaf, subleaf);
    }
    return 0;
}
END
    rm -rf "$program"
}
filter cpuid grep -v '^ *0x0*3 '
if [ -z "$root" ]; then
    case $(uname -m) in
    x86_64 | i?86) ask_cpuid | grep -v '^ *0x0*3 ' >"$to/cpuid" || rm -f "$to/cpuid" ;;
    esac
fi
echo "$to"
