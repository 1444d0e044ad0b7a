#!/bin/sh
# StarFive VisionFive 2: four U74 cores whose caches only the device tree knows.
. "$(dirname "$0")/../tree.sh"
mkdir -p "$tree/proc"
for cpu in 0 1 2 3; do
    printf 'processor\t: %s\nhart\t\t: %s\nisa\t\t: rv64imafdc_zicntr_zicsr_zifencei_zihpm_zba_zbb\nmmu\t\t: sv39\nuarch\t\t: sifive,u74-mc\nmvendorid\t: 0x489\nmarchid\t\t: 0x8000000000000007\nmimpid\t\t: 0x4210427\n\n' \
        $cpu $((cpu + 1)) >>"$tree/proc/cpuinfo"
    frequency $cpu 375000 - 1500000 schedutil cpufreq-dt
done
for list in online present possible; do put sys/devices/system/cpu/$list 0-3; done
bytes proc/device-tree/model 'StarFive VisionFive 2 v1.3B\000'
bytes proc/device-tree/cpus/cpu@1/d-cache-size '\000\000\200\000'
bytes proc/device-tree/cpus/cpu@1/i-cache-size '\000\000\200\000'
bytes proc/device-tree/cpus/cpu@1/d-cache-block-size '\000\000\000\100'
bytes proc/device-tree/cpus/l2-cache0/cache-size '\000\040\000\000'
put proc/meminfo 'MemTotal:        8135936 kB' 'MemAvailable:    7500000 kB'
put proc/sys/kernel/ostype Linux
put proc/sys/kernel/osrelease 6.6.20-starfive
put proc/sys/kernel/version '#1 SMP Tue Apr  2 08:00:00 UTC 2024'
put proc/sys/kernel/arch riscv64
put proc/cmdline 'root=/dev/mmcblk1p4 rw console=ttyS0,115200 ethaddr=6C:CF:39:00:12:34'
put etc/os-release "NAME='Debian GNU/Linux'"
put proc/self/mountinfo '25 1 179:4 / / rw,relatime - ext4 /dev/mmcblk1p4 rw'
put sys/dev/block/179:4/uevent DEVNAME=mmcblk1p4
put sys/block/mmcblk1/mmcblk1p4/start 1024000
put sys/block/mmcblk1/device/name SD64G
put sys/class/thermal/thermal_zone0/type cpu-thermal
put sys/class/thermal/thermal_zone0/temp 52343
