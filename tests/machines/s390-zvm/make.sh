#!/bin/sh
# Two processors of a z15 under z/VM. The identification in /proc/cpuinfo and the sequence code in
# /proc/sysinfo are the serial number of the machine.
. "$(dirname "$0")/../tree.sh"
put proc/cpuinfo 'vendor_id       : IBM/S390' '# processors    : 2' 'bogomips per cpu: 3033.00' \
    'max thread id   : 0' 'features	: esan3 zarch stfle msa ldisp eimm dfp edat etf3eh highgprs te vx vxd vxe gs vxe2 sort dflt sie ' \
    'facilities      : 0 1 2 3 4 6 7' \
    'cache0          : level=1 type=Data scope=Private size=128K line_size=256 associativity=8' \
    'cache1          : level=1 type=Instruction scope=Private size=128K line_size=256 associativity=8' \
    'cache2          : level=2 type=Data scope=Private size=4096K line_size=256 associativity=8' \
    'cache3          : level=2 type=Instruction scope=Private size=4096K line_size=256 associativity=8' \
    'cache4          : level=3 type=Unified scope=Shared size=262144K line_size=256 associativity=32' \
    'processor 0: version = FF,  identification = DEAFBE,  machine = 8561' \
    'processor 1: version = FF,  identification = DEAFBE,  machine = 8561' '' 'cpu number      : 0' \
    'physical id     : 0' 'core id         : 0' 'cpu MHz dynamic : 5200' 'cpu MHz static  : 5200' '' \
    'cpu number      : 1' 'physical id     : 0' 'core id         : 1' 'cpu MHz dynamic : 5200' \
    'cpu MHz static  : 5200'
put proc/sysinfo 'Manufacturer:         IBM' 'Type:                 8561' 'LIC Identifier:       deadbeef' \
    'Model:                701              T01' 'Sequence Code:        00000000000SN-SECRET' 'VM00 Name:            SECRETGU' \
    'VM00 Control Program: z/VM    7.2.0'
for list in online present possible; do put sys/devices/system/cpu/$list 0-1; done
put proc/meminfo 'MemTotal:        4034212 kB' 'MemAvailable:    3000000 kB' 'SwapTotal:       1048576 kB' \
    'SwapFree:        1048576 kB'
put proc/swaps 'Filename				Type		Size		Used		Priority' \
    '/dev/dasdb1                             partition	1048576		0		-2'
put proc/sys/kernel/ostype Linux
put proc/sys/kernel/osrelease 5.14.21-150500.53-default
put proc/sys/kernel/version '#1 SMP PREEMPT_DYNAMIC Wed May 10 07:56:26 UTC 2023 (b630043)'
put proc/sys/kernel/arch s390x
put etc/os-release 'PRETTY_NAME="SUSE Linux Enterprise Server 15 SP5"'
put proc/self/mountinfo '25 1 94:1 / / rw,relatime - ext4 /dev/dasda1 rw'
put sys/dev/block/94:1/uevent DEVNAME=dasda1
put sys/block/dasda/dasda1/start 192
put sys/block/dasda/size 14424480
put proc/stat 'cpu  2412 0 911 188764 120 44 33 508 0 0'
put sys/devices/system/clocksource/clocksource0/current_clocksource tod
