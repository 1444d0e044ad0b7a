#!/bin/sh
# Two sockets of 64 cores with two threads each, the last eight CPUs switched off, four nodes and one
# more that has memory alone: AMD EPYC 7763 with CXL memory. The disk is a mirror of two.
. "$(dirname "$0")/../tree.sh"
mkdir -p "$tree/proc"
cpu=0
while [ $cpu -lt 248 ]; do
    core=$((cpu % 128)) socket=$((cpu % 128 / 64)) group=$((cpu % 128 / 8 * 8))
    siblings=$core,$((core + 128)) shared=$group-$((group + 7)),$((group + 128))-$((group + 135))
    # The threads of the last eight cores have no siblings that are on.
    if [ $core -ge 120 ]; then siblings=$core shared=120-127; fi
    topology $cpu $socket $siblings
    caches $cpu 0:1:Data:32K:8:64:$siblings 1:1:Instruction:32K:8:64:$siblings \
        2:2:Unified:512K:8:1024:$siblings 3:3:Unified:32768K:16:32768:$shared
    frequency $cpu 1500000 - 3529052 performance acpi-cpufreq
    printf 'processor\t: %s\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC 7763 64-Core Processor\nstepping\t: 1\nmicrocode\t: 0xa0011d1\ncpu MHz\t\t: 2450.000\nphysical id\t: %s\nflags\t\t: fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse sse2 ht syscall nx mmxext fxsr_opt pdpe1gb rdtscp lm constant_tsc rep_good nopl nonstop_tsc cpuid extd_apicid aperfmperf rapl pni pclmulqdq monitor ssse3 fma cx16 pcid sse4_1 sse4_2 movbe popcnt aes xsave avx f16c rdrand lahf_lm cmp_legacy svm sse4a avx2 bmi1 bmi2 erms rdseed adx clflushopt clwb sha_ni vaes vpclmulqdq fsrm\n\n' \
        $cpu $socket >>"$tree/proc/cpuinfo"
    cpu=$((cpu + 1))
done
put sys/devices/system/cpu/possible 0-511
put sys/devices/system/cpu/present 0-255
put sys/devices/system/cpu/online 0-247
put sys/devices/system/cpu/offline 248-511
put sys/devices/system/cpu/isolated 8-15
put sys/devices/system/cpu/nohz_full 8-15
put sys/devices/system/cpu/smt/control on
put sys/devices/system/cpu/cpufreq/boost 1
put sys/class/powercap/intel-rapl:0/name package-0 # of AMD: energy alone
put sys/class/powercap/intel-rapl:0/energy_uj 1
put sys/devices/system/node/online 0-4
for node in 0 1 2 3; do
    last=$((node * 32 + 159))
    put sys/devices/system/node/node$node/cpulist \
        $((node * 32))-$((node * 32 + 31)),$((node * 32 + 128))-$((last < 248 ? last : 247))
    put sys/devices/system/node/node$node/meminfo "Node $node MemTotal:       131072000 kB"
    put sys/devices/system/node/node$node/distance '10 12 32 32 50'
done
bytes sys/devices/system/node/node4/cpulist '\n'
put sys/devices/system/node/node4/meminfo 'Node 4 MemTotal:       262144000 kB'
put sys/devices/system/node/node4/distance '50 50 50 50 10'
put proc/self/status 'Cpus_allowed_list:	0-247'
put proc/meminfo 'MemTotal:       786432000 kB' 'MemAvailable:   700000000 kB' 'SwapTotal:             0 kB' \
    'SwapFree:              0 kB' 'HugePages_Total:    1024' 'Hugepagesize:    1048576 kB'
put proc/swaps 'Filename				Type		Size		Used		Priority'
put proc/sys/kernel/ostype Linux
put proc/sys/kernel/osrelease 5.14.0-427.el9.x86_64
put proc/sys/kernel/version '#1 SMP PREEMPT_DYNAMIC Fri Feb 23 04:45:07 EST 2024'
put proc/sys/kernel/numa_balancing 1
put proc/sys/kernel/hostname secret-host
put proc/cmdline 'root=UUID=deadbeef isolcpus=8-15 nohz_full=8-15 default_hugepagesz=1G hugepages=1024'
put etc/os-release 'NAME="Red Hat Enterprise Linux"' 'PRETTY_NAME="Red Hat Enterprise Linux 9.4 (Plow)"'
put etc/machine-id 00000000000000000000000000000000
put sys/class/dmi/id/product_uuid 4c4c4544-0031-3610-8047-c8c04f4e4432
put sys/class/dmi/id/sys_vendor 'Dell Inc.'
put sys/class/dmi/id/product_name 'PowerEdge R7525'
table=
for n in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    table=$table$(dimm $((4352 + n)) 32752 26 3200 $((n < 8 ? 3200 : 2933)) 00CE063200CE M393A4K40EB3-CWE)
done
bytes sys/firmware/dmi/tables/DMI "$table$dimm_end"
put proc/self/mountinfo '60 1 9:127 / / rw,relatime shared:1 - xfs /dev/md127 rw,seclabel,attr2,inode64,logbufs=8'
put sys/dev/block/9:127/uevent DEVNAME=md127
put sys/class/block/md127/md/level raid1
put sys/class/block/md127/slaves/sda2/x
put sys/class/block/md127/slaves/sdb2/x
put sys/block/sda/sda2/start 2099200
put sys/block/sda/device/model 'MZ7LH960HAJR0D3'
put sys/block/sda/size 1875385008
put proc/stat 'cpu  10 0 10 1000 0 0 0 0 0 0'
put sys/devices/system/clocksource/clocksource0/current_clocksource tsc
