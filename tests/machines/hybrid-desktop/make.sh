#!/bin/sh
# Six fast cores with two threads, eight small ones in two groups of four: Intel Core i5-13600K, as its
# data sheet has it. Ubuntu on LVM on an encrypted NVMe partition.
. "$(dirname "$0")/../tree.sh"
cpu=0
: >"${TMPDIR:-/tmp}/cpuinfo.$$"
while [ $cpu -lt 20 ]; do
    if [ $cpu -lt 12 ]; then
        first=$((cpu / 2 * 2)) siblings=$((cpu / 2 * 2))-$((cpu / 2 * 2 + 1))
        caches $cpu 0:1:Data:48K:12:64:$siblings 1:1:Instruction:32K:8:64:$siblings \
            2:2:Unified:2048K:16:2048:$siblings 3:3:Unified:24576K:12:32768:0-19
        # Two of the fast cores may go faster than the others and are of the same kind.
        frequency $cpu 800000 3500000 $((first == 4 || first == 6 ? 5200000 : 5100000)) powersave intel_pstate
        echo balance_performance >"$tree/sys/devices/system/cpu/cpu$cpu/cpufreq/energy_performance_preference"
    else
        siblings=$cpu group=$((cpu / 4 * 4))-$((cpu / 4 * 4 + 3))
        caches $cpu 0:1:Data:32K:8:64:$cpu 1:1:Instruction:64K:8:128:$cpu \
            2:2:Unified:4096K:16:4096:$group 3:3:Unified:24576K:12:32768:0-19
        frequency $cpu 800000 2600000 3900000 powersave intel_pstate
        echo balance_power >"$tree/sys/devices/system/cpu/cpu$cpu/cpufreq/energy_performance_preference"
    fi
    topology $cpu 0 $siblings
    put sys/devices/system/cpu/cpu$cpu/thermal_throttle/core_throttle_count $((cpu / 2))
    put sys/devices/system/cpu/cpu$cpu/thermal_throttle/package_throttle_count 3
    printf 'processor\t: %s\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 183\nmodel name\t: 13th Gen Intel(R) Core(TM) i5-13600K\nstepping\t: 1\nmicrocode\t: 0x12b\ncpu MHz\t\t: 800.000\nflags\t\t: fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush dts acpi mmx fxsr sse sse2 ss ht tm pbe lm constant_tsc nonstop_tsc pni ssse3 fma sse4_1 sse4_2 popcnt aes avx f16c avx2 bmi2 sha_ni gfni vaes\naddress sizes\t: 46 bits physical, 48 bits virtual\n\n' \
        $cpu >>"${TMPDIR:-/tmp}/cpuinfo.$$"
    cpu=$((cpu + 1))
done
mkdir -p "$tree/proc"
mv "${TMPDIR:-/tmp}/cpuinfo.$$" "$tree/proc/cpuinfo"
for list in online present possible; do put sys/devices/system/cpu/$list 0-19; done
put sys/devices/system/cpu/smt/control on
put sys/devices/system/cpu/intel_pstate/status active
put sys/devices/system/cpu/intel_pstate/no_turbo 0
put sys/devices/system/cpu/cpuidle/current_driver intel_idle
put sys/devices/system/cpu/cpuidle/current_governor_ro menu
put sys/devices/system/cpu/cpu0/cpuidle/state0/name POLL
put sys/devices/system/cpu/cpu0/cpuidle/state1/name C1E
put sys/devices/system/cpu/cpu0/cpuidle/state2/name C10
put sys/devices/system/cpu/vulnerabilities/meltdown 'Not affected'
put sys/devices/system/cpu/vulnerabilities/spectre_v2 'Mitigation: Enhanced / Automatic IBRS; IBPB: conditional'
put sys/devices/system/cpu/vulnerabilities/of_next_year 'Mitigation: Something New'
put sys/devices/cpu_core/cpus 0-11
put sys/devices/cpu_atom/cpus 12-19
put sys/devices/system/node/online 0
put sys/devices/system/node/node0/cpulist 0-19
put sys/devices/system/node/node0/meminfo 'Node 0 MemTotal:       32643000 kB'
put cpuid '   0x00000000 0x00: eax=0x00000020 ebx=0x756e6547 ecx=0x6c65746e edx=0x49656e69' \
    '   0x00000001 0x00: eax=0x000b0671 ebx=0x00800800 ecx=0x7ffafbff edx=0xbfebfbff' \
    '   0x00000007 0x00: eax=0x00000002 ebx=0x239c27eb ecx=0x98c027ac edx=0xfc1cc410' \
    '   0x00000016 0x00: eax=0x00000dac ebx=0x000013ec ecx=0x00000064 edx=0x00000000'
put proc/meminfo 'MemTotal:       32643000 kB' 'MemAvailable:   28000000 kB' 'SwapTotal:       8388604 kB' \
    'SwapFree:        8388604 kB' 'HugePages_Total:      16' 'Hugepagesize:       2048 kB'
put proc/swaps 'Filename				Type		Size		Used		Priority' \
    '/dev/zram0                              partition	4194304		0		100' \
    '/dev/dm-2                               partition	4194300		0		-2' \
    '/home/alice/more                        file		1048576		0		-3'
put proc/loadavg '0.20 0.18 0.12 3/1234 56789'
put proc/sys/kernel/ostype Linux
put proc/sys/kernel/osrelease 6.8.0-45-generic
put proc/sys/kernel/version '#45-Ubuntu SMP PREEMPT_DYNAMIC Fri Aug 30 12:02:04 UTC 2024'
put proc/sys/kernel/hostname secret-host
put proc/sys/kernel/arch x86_64
put proc/sys/kernel/tainted 4609
put proc/sys/kernel/randomize_va_space 2
put proc/sys/kernel/sched_autogroup_enabled 1
put sys/kernel/debug/sched/preempt 'none (voluntary) full'
put boot/config-6.8.0-45-generic '# CONFIG_HZ_250 is not set' 'CONFIG_HZ_1000=y' 'CONFIG_HZ=1000'
put proc/cmdline 'BOOT_IMAGE=/vmlinuz-6.8.0-45-generic root=/dev/mapper/secret--host--vg-root ro quiet intel_iommu=on'
put proc/sys/vm/swappiness 60
put proc/sys/vm/page-cluster 3
put proc/sys/vm/overcommit_memory 0
put sys/module/zswap/parameters/enabled Y
put sys/module/zswap/parameters/compressor lzo
put sys/kernel/mm/transparent_hugepage/enabled 'always [madvise] never'
put sys/kernel/mm/transparent_hugepage/defrag 'always defer defer+madvise [madvise] never'
put sys/kernel/mm/ksm/run 0
put etc/os-release 'PRETTY_NAME="Ubuntu 24.04.1 LTS"'
put etc/machine-id 0123456789abcdef0123456789abcdef
for field in 'sys_vendor Gigabyte Technology Co., Ltd.' 'product_name Z790 AORUS ELITE' \
    'product_version -CF' 'board_vendor Gigabyte Technology Co., Ltd.' 'board_name Z790 AORUS ELITE' \
    'board_version x.x' 'bios_vendor American Megatrends International, LLC.' 'bios_version F11' \
    'bios_date 08/14/2024' 'product_serial SN-SECRET-1' 'product_uuid 4c4c4544-0031-3610-8047-c8c04f4e4432'; do
    put "sys/class/dmi/id/${field%% *}" "${field#* }"
done
bytes sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c '\006\000\000\000\001'
bytes sys/firmware/dmi/tables/DMI "$(dimm 64 16384 34 6000 5600 Kingston KF560C36-16)$(dimm 65 0 2 0 0 None None)$(
    dimm 66 16384 34 6000 5600 Kingston KF560C36-16)$(dimm 67 8 9 0 0 Winbond FLASH)$dimm_end"
put proc/self/mountinfo '29 1 252:1 / / rw,relatime shared:1 - ext4 /dev/mapper/secret--host--vg-root rw,errors=remount-ro'
put sys/dev/block/252:1/uevent 'MAJOR=252' 'MINOR=1' 'DEVNAME=dm-1'
put sys/class/block/dm-1/dm/uuid LVM-abcdefdeadbeef
put sys/class/block/dm-0/dm/uuid CRYPT-LUKS2-deadbeef
put sys/class/block/dm-1/slaves/dm-0/x
put sys/class/block/dm-0/slaves/nvme0n1p3/x
put sys/block/nvme0n1/nvme0n1p3/start 3674112
put sys/block/nvme0n1/device/model 'Samsung SSD 990 PRO 1TB                 '
put sys/block/nvme0n1/device/firmware_rev '4B2QJXD7'
put sys/block/nvme0n1/device/serial 'SN-SECRET-2'
put sys/block/nvme0n1/size 1953525168
put sys/block/nvme0n1/queue/rotational 0
put sys/block/nvme0n1/queue/scheduler '[none] mq-deadline'
put sys/class/drm/card0/device/uevent DRIVER=i915 PCI_ID=8086:A780
put sys/class/drm/card1/device/uevent DRIVER=amdgpu PCI_ID=1002:744C
put sys/class/drm/card1-DP-1/status connected
put sys/class/thermal/thermal_zone0/type acpitz
put sys/class/thermal/thermal_zone0/temp 27800
put sys/class/thermal/thermal_zone1/type 'INT3400 Thermal'
put sys/class/thermal/thermal_zone1/temp 0
put sys/class/hwmon/hwmon2/name coretemp
put sys/class/hwmon/hwmon2/temp1_input 41000
put sys/class/power_supply/hidpp_battery_0/type Battery
put sys/class/power_supply/AC/type Mains
put sys/class/power_supply/AC/online 1
put sys/firmware/acpi/platform_profile balanced
# Two limits of the package; a board that wants none of the core; the interface of the chipset, switched off.
put sys/class/powercap/intel-rapl/enabled 1
for zone in 'intel-rapl:0 package-0 1 125000000' 'intel-rapl-mmio:0 package-0 0 55000000'; do
    # shellcheck disable=SC2086 # words
    set -- $zone
    put "sys/class/powercap/$1/name" "$2"
    put "sys/class/powercap/$1/enabled" "$3"
    put "sys/class/powercap/$1/constraint_0_name" long_term
    put "sys/class/powercap/$1/constraint_0_power_limit_uw" "$4"
    put "sys/class/powercap/$1/constraint_0_time_window_us" 55967744
    put "sys/class/powercap/$1/constraint_1_name" short_term
    put "sys/class/powercap/$1/constraint_1_power_limit_uw" 4095875000
done
put sys/class/powercap/intel-rapl:0:0/name core
put sys/class/powercap/intel-rapl:0:0/enabled 0
put sys/class/powercap/intel-rapl:0:0/energy_uj 1
put sys/devices/system/clocksource/clocksource0/current_clocksource tsc
put sys/devices/system/clocksource/clocksource0/available_clocksource 'tsc hpet acpi_pm '
