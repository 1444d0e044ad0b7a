#!/bin/sh
# A container under the first version of control groups, without a namespace of its own: its paths are
# those of the host, and what is mounted is its own group. On an overlay of folders that it cannot see.
. "$(dirname "$0")/../tree.sh"
id=docker/deadbeefdeadbeef
put proc/self/cgroup "7:memory:/$id" "4:cpu,cpuacct:/$id" "3:cpuset:/$id" "1:name=systemd:/$id"
put proc/self/mountinfo "600 500 0:50 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/DEADBEEF,upperdir=/var/lib/docker/overlay2/deadbeef/diff,workdir=/var/lib/docker/overlay2/deadbeef/work" \
    "610 600 0:30 /$id /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory" \
    "611 600 0:31 /$id /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct" \
    "612 600 0:32 /$id /sys/fs/cgroup/cpuset ro - cgroup cgroup rw,cpuset"
put proc/self/status 'Cpus_allowed_list:	2-5'
put sys/fs/cgroup/memory/memory.limit_in_bytes 536870912
put sys/fs/cgroup/memory/memory.memsw.limit_in_bytes 1073741824
put sys/fs/cgroup/memory/memory.usage_in_bytes 209715200
put sys/fs/cgroup/memory/memory.stat 'cache 104857600' 'total_inactive_file 104857600'
put sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us 150000
put sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us 100000
put sys/fs/cgroup/cpu,cpuacct/cpu.shares 512
put sys/fs/cgroup/cpu,cpuacct/cpu.stat 'nr_periods 400' 'nr_throttled 17' 'throttled_time 2500000000'
put sys/fs/cgroup/cpuset/cpuset.effective_cpus 2-5
put proc/cpuinfo 'processor	: 0' 'vendor_id	: GenuineIntel' 'cpu family	: 6' 'model		: 85' \
    'model name	: Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz' 'stepping	: 7' 'flags		: fpu sse sse2 hypervisor'
put proc/meminfo 'MemTotal:       65536000 kB' 'MemAvailable:   60000000 kB' 'SwapTotal:       8388608 kB' 'SwapFree:        8388608 kB'
put sys/devices/system/cpu/online 0-7
put sys/devices/system/cpu/present 0-7
put sys/class/dmi/id/sys_vendor 'Amazon EC2'
put sys/class/dmi/id/product_name m5.2xlarge
put sys/class/dmi/id/board_asset_tag i-0deadbeef
put .dockerenv
put proc/sys/kernel/hostname deadbeefcafe
