#!/bin/sh
# POWER9 without a hypervisor, four threads for each of two cores; one node is called 8.
. "$(dirname "$0")/../tree.sh"
mkdir -p "$tree/proc"
for cpu in 0 1 2 3 4 5 6 7; do
    printf 'processor\t: %s\ncpu\t\t: POWER9, altivec supported\nclock\t\t: 3783.000000MHz\nrevision\t: 2.2 (pvr 004e 1202)\n\n' \
        $cpu >>"$tree/proc/cpuinfo"
    topology $cpu 0 $((cpu / 4 * 4))-$((cpu / 4 * 4 + 3))
    frequency $cpu 2166000 - 3800000 ondemand powernv-cpufreq
done
printf 'timebase\t: 512000000\nplatform\t: PowerNV\nmodel\t\t: 9006-22P\nmachine\t\t: PowerNV 9006-22P\nfirmware\t: OPAL\nMMU\t\t: Radix\n' \
    >>"$tree/proc/cpuinfo"
for list in online present possible; do put sys/devices/system/cpu/$list 0-7; done
bytes proc/device-tree/model '9006-22P\000'
bytes proc/device-tree/system-id 'SN-SECRET-4\000'
put sys/devices/system/node/online 0,8
put sys/devices/system/node/node0/cpulist 0-7
put sys/devices/system/node/node0/meminfo 'Node 0 MemTotal:       33554432 kB'
put sys/devices/system/node/node0/distance '10 40'
bytes sys/devices/system/node/node8/cpulist '\n'
put sys/devices/system/node/node8/meminfo 'Node 8 MemTotal:       33554432 kB'
put sys/devices/system/node/node8/distance '40 10'
put proc/meminfo 'MemTotal:       67108864 kB' 'MemAvailable:   60000000 kB'
put sys/devices/system/edac/mc/mc0/dimm0/size 16384
put sys/devices/system/edac/mc/mc0/dimm0/dimm_mem_type Registered-DDR4
put sys/devices/system/edac/mc/mc0/dimm1/size 16384
put sys/devices/system/edac/mc/mc0/dimm1/dimm_mem_type Registered-DDR4
put sys/devices/system/edac/mc/mc0/dimm2/size 0
put proc/sys/kernel/ostype Linux
put proc/sys/kernel/osrelease 5.10.0-28-powerpc64le
put proc/sys/kernel/version '#1 SMP Debian 5.10.209-2 (2024-01-31)'
put etc/os-release 'PRETTY_NAME="Debian GNU/Linux 11 (bullseye)"'
put proc/self/mountinfo '25 1 0:30 /@ / rw,relatime - btrfs /dev/sda3 rw,space_cache=v2,subvol=/@'
put sys/class/block/sda3/x
put sys/fs/btrfs/deadbeef-1234/devices/sda3/x
put sys/fs/btrfs/deadbeef-1234/devices/sdb1/x
put sys/block/sda/sda3/start 2048
put sys/block/sda/device/model ST2000NX0253
put sys/block/sda/queue/rotational 1
put sys/devices/system/cpu/vulnerabilities/meltdown 'Mitigation: RFI Flush'
put sys/devices/system/clocksource/clocksource0/current_clocksource timebase
