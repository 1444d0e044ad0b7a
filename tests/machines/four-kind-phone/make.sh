#!/bin/sh
# One prime, two times two or three middle and two little cores: Snapdragon 8 Gen 3 (SM8650) with
# Android, where sensors say what no telephone survives.
. "$(dirname "$0")/../tree.sh"
mkdir -p "$tree/proc"
cpu=0
while [ $cpu -lt 8 ]; do
    case $cpu in
    0 | 1) part=0xd80 variant=0x0 revision=1 capacity=266 max=2265600 l2=512K sets=1024 ;;
    2 | 3 | 4) part=0xd81 variant=0x0 revision=1 capacity=815 max=3148800 l2=512K sets=1024 ;;
    5 | 6) part=0xd81 variant=0x0 revision=1 capacity=767 max=2956800 l2=512K sets=1024 ;;
    7) part=0xd82 variant=0x0 revision=1 capacity=1024 max=3302400 l2=2048K sets=4096 ;;
    esac
    printf 'processor\t: %s\nBogoMIPS\t: 38.40\nFeatures\t: fp asimd aes pmull sha1 sha2 crc32 atomics fphp asimdhp asimddp sve sve2 i8mm bf16\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: %s\nCPU part\t: %s\nCPU revision\t: %s\n\n' \
        $cpu $variant $part $revision >>"$tree/proc/cpuinfo"
    put sys/devices/system/cpu/cpu$cpu/cpu_capacity $capacity
    frequency $cpu 364800 - $max walt qcom-cpufreq-hw
    topology $cpu 0 $cpu
    caches $cpu 0:1:Data:64K:4:256:$cpu 1:1:Instruction:64K:4:256:$cpu 2:2:Unified:$l2:8:$sets:$cpu \
        3:3:Unified:12288K:12:16384:0-7
    cpu=$((cpu + 1))
done
for list in online present possible; do put sys/devices/system/cpu/$list 0-7; done
bytes proc/device-tree/model 'Qualcomm Technologies, Inc. SM8650 MTP\000'
bytes proc/device-tree/serial-number 'SN-SECRET-3\000'
put sys/bus/soc/devices/soc0/family Snapdragon
put sys/bus/soc/devices/soc0/machine SM8650
put sys/bus/soc/devices/soc0/soc_id 557
put sys/bus/soc/devices/soc0/revision 2.0
put sys/bus/soc/devices/soc0/serial_number 3735928559
put proc/meminfo 'MemTotal:       15612340 kB' 'MemAvailable:    9000000 kB' 'SwapTotal:       8388604 kB' \
    'SwapFree:        7000000 kB'
put proc/swaps 'Filename				Type		Size		Used		Priority' \
    '/dev/block/zram0                        partition	8388604		1388604		32758'
put proc/sys/kernel/ostype Linux
put proc/sys/kernel/osrelease 6.1.57-android14-11-g0123456789ab
put proc/sys/kernel/version '#1 SMP PREEMPT Wed Nov 29 10:00:00 UTC 2023'
put proc/sys/vm/swappiness 100
put proc/sys/vm/page-cluster 0
put proc/self/mountinfo '60 1 253:48 / / rw,nosuid,nodev,noatime shared:20 - f2fs /dev/block/dm-48 rw,lazytime,background_gc=on,mode=adaptive'
put sys/dev/block/253:48/uevent 'DEVNAME=dm-48'
put sys/class/block/dm-48/slaves/sda15/x
put sys/class/block/dm-48/dm/uuid 'userdata-deadbeef'
put sys/block/sda/sda15/start 5898240
put sys/block/sda/device/model 'KLUFG8RHHB-B0G1 '
put sys/block/sda/device/rev 0300
put sys/class/thermal/thermal_zone0/type cpu-0-0-0
put sys/class/thermal/thermal_zone0/temp 43200
put sys/class/thermal/thermal_zone1/type modem-skin
put sys/class/thermal/thermal_zone1/temp -273000
put sys/class/thermal/thermal_zone2/type socd
put sys/class/thermal/thermal_zone2/temp 610725915
put sys/class/power_supply/battery/type Battery
put sys/class/power_supply/usb/type USB
put sys/class/power_supply/usb/online 0
put sys/devices/system/clocksource/clocksource0/current_clocksource arch_sys_counter
