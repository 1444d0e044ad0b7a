function lines_of(title, mode, kib, times,    i, n, time, params) {
    print "HDTEST: writing " title " " kib "K buffers"
    n = split(times, time, " ")
    params = "block=" kib * 1024 ";mode=" mode
    for (i = 1; i <= n; i++)
        print sprintf("%.3f", time[i]) ": " write_line(time[i] "s", params, "bytes") " MB written, " \
            write_line(time[i] "s", params, "sustained") " MB/s sustained, " \
            write_line(time[i] "s", params, "incremental") " MB/S incremental"
}

function write_line(x, params, metric) {
    return sample("mihocka-2008-hdtest32", "disk_block.write", "HDTEST32", 1, x, params, metric, 1048576, 0)
}

function cpu_test(label, test, last, unit,    run, key) {
    run = "mihocka-2008-cpu-test"
    key = "cpu_ops." test
    print label ": " sample(run, key, "CPU_TEST-x86", 1, "-", "-", "elapsed", 0.001, 0) " ms, " \
        sample(run, key, "CPU_TEST-x86", 1, "-", "-", "time", 1e-12, 0) " ps/instr, " \
        sample(run, key, "CPU_TEST-x86", 1, "-", "-", "rate", 1e6, 0) " MIPS, " \
        sample(run, key, "CPU_TEST-x86", 1, "-", "-", last, 1, 1) " " unit
}

function cycles(label, test, params) {
    print label " jump from about " \
        sample("mihocka-2008-native", "os_latency." test, "CPU_TEST-x86", 1, "-", params, "cycles", 1, 0) \
        " cycles to about " \
        sample("mihocka-2008-hyper-v", "os_latency." test, "CPU_TEST-x86", 1, "-", params, "cycles", 1, 0) " cycles"
}

END {
    print fact("mihocka-2008-hdtest32", "program.version") ", " fact("mihocka-2008-hdtest32", "system.os") ", " \
        fact("mihocka-2008-hdtest32", "disk.model") ", " fact("mihocka-2008-hdtest32", "disk.folder") ", " \
        figure("mihocka-2008-hdtest32 run.setting.max_size", 1073741824, 0) " GB"
    lines_of("unbuffered", "direct", 16, "1 2 3 4 5 6.031 7.031")
    lines_of("buffered", "buffered", 16, "1.063 2.063 3.063 4.063 5.079 6.094 7.094 8.11")
    lines_of("unbuffered", "direct", 1024, "1 2.015 3.031 4.031 5.047 6.047")
    lines_of("buffered", "buffered", 1024, "1.063 2.063 3.063 4.063 5.078 6.078 7.078 8.078")
    print fact("mihocka-2008-getblock", "program.version") " " fact("mihocka-2008-getblock", "disk.device")
    print "Time of execution " sample("mihocka-2008-getblock", "disk_raw.read", "GETBLOCK", 1, "1048576B", \
        "bytes=268435456", "elapsed", 1, 3)
    print fact("mihocka-2008-cpu-test", "program.version")
    cpu_test("calibrating...", "calibration", "ipc", "IPC")
    print "Measuring using a clock speed of " figure("mihocka-2008-cpu-test cpu.clock", 1e6, 0) " MHz"
    print "Hardware performance frequency = " figure("mihocka-2008-cpu-test clock.counter", 1e6, 0) " MHz"
    print "On-chip cycles clock frequency = " figure("mihocka-2008-cpu-test clock.tsc", 1e6, 0) " MHz"
    print "GetTickCount elapsed time (ms) = " figure("mihocka-2008-cpu-test clock.tick_check", 0.001, 0) " ms"
    cpu_test("test 1 integer", "integer", "ipc", "IPC")
    cpu_test("test 1 address", "address", "ipc", "IPC")
    cpu_test("test 1 memory mx", "memory_mx", "ipc", "IPC")
    cpu_test("test 1 memory sr", "memory_sr", "cycles", "clk")
    print fact("mihocka-2008-native", "program.version") ", " fact("mihocka-2008-native", "system.os") ", " \
        fact("mihocka-2008-native", "virtual.machine") ": " fact("mihocka-2008-native", "run.precision")
    print fact("mihocka-2008-hyper-v", "program.version") ", " fact("mihocka-2008-hyper-v", "system.os") ", " \
        fact("mihocka-2008-hyper-v", "virtual.machine") ": " fact("mihocka-2008-hyper-v", "run.precision")
    cycles("page faults", "page_fault", "-")
    cycles("file mapping operations", "file_map", "-")
    cycles("PeekMessage()", "syscall", "call=PeekMessage")
    not_asked("")
}
