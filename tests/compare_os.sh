#!/bin/sh
# compare_os.sh PROGRAM [TIMES [NAME...]]
# For developers: os_latency beside lmbench (Debian: lmbench), `perf bench` (linux-perf) and, where
# neither measures a thing, a few lines of C (cc), by turns on one processor, before all other
# programs where that is allowed (chrt). Of TIMES (15) turns of each it prints the bests and the
# medians with their ratios. Not a test: machines differ.
#
# Like is compared with like:
# - lat_pipe and `perf bench sched pipe` count a message there and back as one operation, which are two
#   switches. lat_ctx takes off what the pipe costs, and says how much, which is added again.
# - lat_sig catch takes off what sending costs, by kill(2) of signal 0; that is measured by the C and
#   added again.
# - lat_pagefault and lat_mmap touch a file in memory: the settings page=file, touch=tenth.
# - Of clocks, threads, poll(2) and faults of anonymous memory they have no measurement. Faults: of as
#   many pages as there; of larger memory, which no cache holds, a fault costs more.
set -eu
collect=${1:?usage: compare_os.sh PROGRAM [TIMES [NAME...]]} times=${2:-15}
[ $# -le 2 ] && shift $# || shift 2
names=$*
# In turns with one another (-r): lmbench waits busily for a process of its own.
first='timeout -s KILL 60'
chrt -r 10 true 2>/dev/null && first="$first chrt -r 10"
# Of lmbench: samples of 20 ms, and no search for what its own clock and loops cost, which takes long and
# on a machine that others use does not end.
export ENOUGH=20000 TIMING_O=0 LOOP_O=0
PATH=$PATH:$(echo /usr/lib/lmbench/bin/*)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat >"$folder/reference.c" <<'END'
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static void *nothing(void *context)
{
    return context;
}

/* NAME N: prints ns of one of N operations. */
int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    int n = 20000;
    double start, end;
    if (strcmp(name, "send") == 0) {
        pid_t me = getpid();
        start = now();
        for (int i = 0; i < n; i++)
            kill(me, 0);
        end = now();
    } else if (strcmp(name, "poll") == 0) {
        struct pollfd one = {eventfd(1, 0), POLLIN, 0};
        start = now();
        for (int i = 0; i < n; i++)
            poll(&one, 1, 0);
        end = now();
    } else if (strcmp(name, "clock") == 0) {
        struct timespec t;
        n = 200000;
        start = now();
        for (int i = 0; i < n; i++)
            clock_gettime(CLOCK_MONOTONIC, &t);
        end = now();
    } else if (strcmp(name, "thread") == 0) {
        n = 500;
        start = now();
        for (int i = 0; i < n; i++) {
            pthread_t thread;
            pthread_create(&thread, NULL, nothing, NULL);
            pthread_join(thread, NULL);
        }
        end = now();
    } else if (strcmp(name, "fault") == 0) {
        double best = 1e18;
        n = 256;
        for (int round = 0; round < 50; round++) {
            volatile char *p = mmap(NULL, n * 4096L, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            madvise((void *)p, n * 4096L, MADV_NOHUGEPAGE);
            start = now();
            for (int i = 0; i < n; i++)
                p[i * 4096L] = 1;
            end = now();
            munmap((void *)p, n * 4096L);
            best = end - start < best ? end - start : best;
        }
        start = 0;
        end = best;
    } else {
        return 2;
    }
    printf("%.2f\n", (end - start) / n);
    return 0;
}
END

# TEST SETTINGS: our figure, in ns.
ours() {
    test=$1
    shift
    for setting; do set -- "$@" "--set=$setting"; shift; done
    $first taskset -c 0 "$collect" run "os_latency.$test" "$@" --repeat=1 -o - 2>/dev/null |
        awk -F, '$2 == "sample" && $14 == "time" && $15 == 1 { printf "%.2f\n", $16 * 1e9 }'
}

# Each of these prints ns of one operation, or nothing where its program is absent.
# DIVISOR COMMAND...: perf's "usecs/op".
perf_bench() {
    n=$1
    shift
    $first taskset -c 0 perf bench "$@" 2>/dev/null |
        awk -v n="$n" '$2 == "usecs/op" { printf "%.2f\n", $1 * 1000 / n }'
}

# PROGRAM ARGUMENT...: lmbench's "...: N microseconds".
lmbench() {
    program=$1
    shift
    (cd "$folder" && $first taskset -c 0 "$program" -N 3 "$@" 2>&1) |
        sed -n 's/^.*: *\([0-9.]*\) microseconds$/\1/p' | awk '{ printf "%.2f\n", $1 * 1000 }'
}

reference() {
    [ -x "$folder/reference" ] && $first taskset -c 0 "$folder/reference" "$1"
}

null() { lmbench lat_syscall null; }
read_zero() { lmbench lat_syscall read; }
write_null() { lmbench lat_syscall write; }
getppid() { perf_bench 1 syscall basic -l 100000; }
pipe() { lmbench lat_pipe | awk '{ printf "%.2f\n", $1 / 2 }'; }
ctx() {
    $first taskset -c 0 lat_ctx -N 3 -s 0 2 2>&1 |
        awk '/ovr=/ { sub(".*ovr=", ""); pipe = $1 } /^2 / { printf "%.2f\n", ($2 + pipe) * 1000 }'
}
sched_process() { perf_bench 2 sched pipe -l 20000; }
sched_thread() { perf_bench 2 sched pipe -T -l 20000; }
fork_exit() { lmbench lat_proc fork; }
signal() {
    { lmbench lat_sig catch; reference send; } | awk '{ t += $1; n++ } END { if (n == 2) print t }'
}
pagefault() { lmbench lat_pagefault "$folder/file"; }
file_mmap() {
    $first taskset -c 0 lat_mmap -N 3 512k "$folder/file" 2>&1 |
        awk 'NF == 2 { printf "%.2f\n", $2 * 1000 }'
}
c_poll() { reference poll; }
c_clock() { reference clock; }
c_thread() { reference thread; }
c_fault() { reference fault; }

median() {
    sort -n "$1" |
        awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

best() {
    sort -n "$1" | head -n 1
}

# NAME THEIRS TEST SETTING...
compare() {
    name=$1 theirs=$2
    shift 2
    case " $names " in "  " | *" $name "*) ;; *) return 0 ;; esac
    : >"$folder/ours" >"$folder/theirs"
    for _ in $(seq "$times"); do
        ours "$@" >>"$folder/ours"
        $theirs >>"$folder/theirs" || true
    done
    if [ ! -s "$folder/ours" ] || [ ! -s "$folder/theirs" ]; then
        printf '%-15s %-14s no figure\n' "$name" "$theirs"
        return
    fi
    echo "$name $theirs $(best "$folder/ours") $(best "$folder/theirs") \
        $(median "$folder/ours") $(median "$folder/theirs")" |
        awk '{ printf "%-15s %-14s %10.1f %10.1f %7.2f %12.1f %10.1f %7.2f\n",
                      $1, $2, $3, $4, $3 / $4, $5, $6, $5 / $6 }'
}

${CC:-cc} -O2 -pthread -o "$folder/reference" "$folder/reference.c" ||
    echo "compare_os.sh: no compiler: nothing to compare the clock, threads and faults with" >&2
for program in perf lat_syscall; do
    command -v "$program" >/dev/null || echo "compare_os.sh: $program is not installed" >&2
done
# In memory, as the file of os_latency is.
memory=$(mktemp -d /dev/shm/compare_os.XXXXXX)
trap 'rm -rf "$folder" "$memory"' EXIT
head -c 1048576 /dev/zero >"$memory/file"
ln -s "$memory/file" "$folder/file"

echo 'ns of one operation: the best of each, and the median'
printf '%-15s %-14s %10s %10s %7s %12s %10s %7s\n' '' beside collect other ratio collect other ratio
compare syscall null syscall call=getppid
compare syscall getppid syscall call=getppid
compare read read_zero syscall call=read
compare write write_null syscall call=write
compare fault c_fault page_fault page=anonymous
compare file_fault pagefault page_fault page=file
compare file_map file_mmap file_map bytes=512K touch=tenth
compare switch_process pipe context_switch mode=process
compare switch_process ctx context_switch mode=process
compare switch_process sched_process context_switch mode=process
compare switch_thread sched_thread context_switch mode=thread
compare thread c_thread thread
compare fork fork_exit process
compare poll c_poll poll
compare signal signal signal
compare clock c_clock clock
