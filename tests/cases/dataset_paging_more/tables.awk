function log_line(test, n, pattern,    key) {
    key = "longbottom-2007-08-06-core-2-duo int_burn." test " IntBurn64-m64 1 3952640000B pattern=" pattern " rate"
    print n " " figure(key, 1e6, 0) " MB/sec Pattern " pattern " Result OK " passes[key] " passes"
}

function log_lines(test) {
    log_line(test, 1, "0000000000000000")
    log_line(test, 2, "FFFFFFFFFFFFFFFF")
    log_line(test, 3, "A5A5A5A5A5A5A5A5")
    log_line(test, 4, "5555555555555555")
    log_line(test, 5, "3333333333333333")
    log_line(test, 6, "F0F0F0F0F0F0F0F0")
}

function write_read(run, variant, mb, metric, scale, digits) {
    return sample(run, "paging.write_read", variant, 1, mb "000000B", cold, metric, scale, digits)
}

function activity(run, variant, mb, what, metric, x, scale) {
    return sample(run, "paging.activity", variant, 1, x, what ";x=" mb "000000", metric, scale, 0)
}

function moved(run, variant, mb) {
    return "Data " activity(run, variant, mb, "access=sequential;direction=write;limit=none;order=cold;pattern=published", "bytes", "-", 1e6) " MB written, " \
        activity(run, variant, mb, "access=sequential;direction=read;limit=none;order=cold;pattern=published", "bytes", "-", 1e6) " MB read"
}

function phenom_activity(what, metric, x, scale) {
    return activity("longbottom-2009-phenom-ii", "IntBurn64-m64", 8192, what, metric, x, scale)
}

function scroll(run, display, metric, scale, digits) {
    return sample(run, "image.scroll", "BMPSpeed", 1, "268435456B", "display=" display, metric, scale, digits)
}

function heading(run) {
    print fact(run, "cpu.model") ", " figure(run " cpu.clock", 1e6, 0) " MHz, " \
        fact(run, "memory.total") / 1048576 " MB, " fact(run, "system.os") ", disk " \
        figure(run " disk.rate", 1e6, 0) " MB/sec"
}

END {
    cold = "access=sequential;limit=none;order=cold;pattern=published"
    core = "longbottom-2007-core-2-duo"
    athlon = "longbottom-2007-athlon-64"
    phenom = "longbottom-2009-phenom-ii"
    dated = "longbottom-2007-08-06-core-2-duo"

    heading("longbottom-2007-athlon-xp")
    heading("longbottom-2007-pentium-4")
    heading(athlon)
    heading(core)
    heading(phenom)

    print fact(dated, "program.version")
    print "Batch Command " fact(dated, "run.program")
    print "Test 3860000 KB at " fact(dated, "run.min_time") " seconds per test, Start at " fact(dated, "run.start")
    print fact(dated, "cpu.model") ", " fact(dated, "system.os") ", " fact(dated, "memory.total") / 1048576
    print "Write/Read"
    log_lines("write_read")
    print "Read"
    log_lines("read")
    print "Reliability Test Ended " fact(dated, "run.end")

    print "Core 2 Duo, 64-Bit Vista, 32 Bit Benchmark, Maximum " \
        sample(core, "paging.write_read", "BusSpd2K-m32", 1, "-", "access=sequential;limit=none;order=rising;pattern=published;statistic=max", \
            "rate", 1e6, 0)

    print "Athlon 64, 819 MB data Write/Read " \
        write_read(athlon, "BusSpd2K-or-IntBurn64", 819, "time", 1, 1) " seconds, " \
        write_read(athlon, "BusSpd2K-or-IntBurn64", 819, "rate", 1e6, 1) " MB/second"
    print moved(athlon, "BusSpd2K-or-IntBurn64", 819)
    print "Core 2 Duo, 5120 MB data Write/Read " write_read(core, "IntBurn64-m64", 5120, "time", 1, 1) " seconds, " \
        write_read(core, "IntBurn64-m64", 5120, "rate", 1e6, 0) " MB/second"
    print moved(core, "IntBurn64-m64", 5120)
    print "Phenom II, Data Volume 8192 MB Write/Read Time " \
        write_read(phenom, "IntBurn64-m64", 8192, "time", 1, 0) " seconds"
    print moved(phenom, "IntBurn64-m64", 8192)
    print "Average write block " phenom_activity(cold ";statistic=mean", "write_size", "-", 1024) " KB"
    print "Average read block " phenom_activity(cold ";statistic=mean", "read_size", "-", 1024) " KB"
    print "Maximum writing speed " phenom_activity(cold ";statistic=max", "write_rate", "-", 1e6) " MB/second"
    print "Maximum reading speed " phenom_activity(cold ";statistic=max", "read_rate", "-", 1e6) " MB/second"
    of = "access=sequential;limit=none;of=1_cpu;order=cold;pattern=published;statistic=mean"
    print "Average CPU Utilisation " phenom_activity(of, "cpu", "-", 0.01) "% of 1 CPU"
    print "First 15 seconds " phenom_activity(of, "cpu", "15s", 0.01) "% of 1 CPU"

    print "BitBlt " scroll(core, "bitblt", "rate", 1e6, 0) " MB/second " \
        scroll(core, "bitblt", "time", 0.001, 1) " milliseconds"
    print "Stretch " scroll(core, "stretch", "rate", 1e6, 0) " MB/second " \
        scroll(core, "stretch", "time", 0.001, 1) " milliseconds"
    print "XP x64 " scroll(athlon, "bitblt", "time", 0.001, 1) " to " scroll(athlon, "stretch", "time", 0.001, 1) \
        " milliseconds"
    # The tables of sizes are those of the case dataset_paging.
    not_asked("^longbottom-20[0-9]*-[a-z0-9-]* paging.write_read [^ ]* 1 [0-9]*B access=sequential;limit=none;order=rising;pattern=published ")
}
