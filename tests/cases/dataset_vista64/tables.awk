# One row of a table whose columns are, for each PC, what the caller lists: test, variant, params.
function row(label, threads, metric,    i, p, line) {
    line = label
    for (p = 1; p <= 2; p++)
        for (i = 1; i <= n_columns; i++)
            line = line " " sample(pcs[p], test[i], variant[i], threads, "-", params[i], metric, 1e6, 0)
    print line
}

function column(a_test, a_variant, a_params) {
    n_columns++
    test[n_columns] = a_test
    variant[n_columns] = a_variant
    params[n_columns] = a_params
}

function columns_of_regions(kind,    i) {
    n_columns = 0
    for (i = 1; i <= 3; i++) {
        column("rand_mem." kind "_read", "RandMP", "region=" regions[i])
        column("rand_mem." kind "_rw", "RandMP", "region=" regions[i])
    }
}

function bus_columns(increment, a_variant, word) {
    column("bus_speed." increment, a_variant, "region=l1;word=" word)
    column("bus_speed.read_all", a_variant, "region=l1;word=" word)
    column("bus_speed.simd128", a_variant, "region=l1")
}

function small_files(kb,    i, line, partition) {
    line = kb
    for (i = 1; i <= 2; i++) {
        partition = i == 1 ? "files=520;partition=C" : "files=520;partition=D"
        line = line " " files("small_write", kb, partition, "rate", 1e6, 2) " " \
            files("small_read", kb, partition, "rate", 1e6, 2) " " \
            files("small_write", kb, partition, "time", 0.001, 1) " " \
            files("small_read", kb, partition, "time", 0.001, 1)
    }
    print line
}

function files(a_test, kb, partition, metric, scale, digits) {
    return sample(pcs[1], "disk_files." a_test, "CDDVDSpd", 1, kb * 1000 "B", partition, metric, scale, digits)
}

function frames(width, height, desktop,    i, line) {
    line = width " " height " 32"
    for (i = 1; i <= n_scenes; i++)
        line = line " " sample(pcs[1], "graphics." scenes[i], "DirectX9-m64", 1, width * height "1", \
            "depth=32;desktop=" desktop, "rate", 1, 1)
    print line
}

function desktop_frames(desktop) {
    frames(640, 480, desktop)
    frames(800, 600, desktop)
    frames(1024, 768, desktop)
    frames(1280, 1024, desktop)
}

function linpack(run, a_variant) {
    return " " sample(run, "linpack.n100", a_variant, 1, "-", "type=double", "flops", 1e6, 0)
}

function livermore(run, a_variant,    i, line) {
    for (i = 1; i <= 3; i++)
        line = line " " sample(run, "livermore." statistics[i], a_variant, 1, "-", "-", "flops", 1e6, 0)
    return line
}

function maximum(label, first, second, a_variant, code,    i, j, k, line, run) {
    line = label
    for (i = 1; i <= 2; i++) {
        run = i == 1 ? first : second
        for (j = 1; j <= 2; j++)
            for (k = 1; k <= 2; k++)
                line = line " " sample(run, "mem_speed." (j == 1 ? "dot" : "add"), a_variant, 1, "-", \
                    "code=" code ";statistic=max;type=" (k == 1 ? "double" : "float"), "flops", 1e6, 0)
    }
    print line
}

function assembly(a_test,    i) {
    for (i = 1; i <= 2; i++)
        print (i == 1 ? "2400 MHz Core 2 Duo " : "2110 MHz Athlon 64 ") \
            sample(pcs[i], "asm_loops." a_test, "assembly-m64", 1, "-", "-", "flops", 1e6, 0) " MFLOPS"
}

function mb(run, name) {
    return figure(run " " name, 1048576, 0) " MB"
}

function identity(run,    model) {
    print "CPU " fact(run, "cpu.vendor") ", Features Code " fact(run, "cpu.features.code") ", Model Code " \
        fact(run, "cpu.model.code")
    print fact(run, "cpu.model") " Measured " figure(run " cpu.clock.measured", 1e6, 0) " MHz"
}

END {
    split("longbottom-vista64-core-2-duo longbottom-vista64-athlon-64", pcs, " ")
    split("l1 l2 ram", regions, " ")
    split("max mean min", statistics, " ")
    n_scenes = split("shaded_egg wire_egg_vsync cubes_500 texture_tunnel colour_objects texture_objects " \
        "pixel_shader2 vertex_shader2", scenes, " ")
    first = pcs[1]
    second = pcs[2]

    print figure(first " cpu.clock", 1e6, 0) " MHz, " fact(first, "machine.board") ", " \
        fact(first, "memory.type") " (" figure(first " memory.clock", 1e6, 0) " MHz)"
    print fact(first, "disk.model") " " fact(first, "disk.interface") ", " mb(first, "disk.cache") " buffer, " \
        fact(first, "disk.rotation") " RPM, " fact(first, "disk.partitions")
    print fact(first, "gpu.model") ", " fact(first, "system.os")
    gsub(/; /, "\n", stored[first " build.compiler"])
    print fact(first, "build.compiler")
    gsub(/; /, "\n", stored[second " build.compiler"])
    print fact(second, "build.compiler")
    identity(first)
    print "Has " fact(first, "cpu.features")
    print fact(first, "system.arch") " processor architecture, " fact(first, "cpu.count.online") " CPUs"
    print fact(first, "system.kernel.version")
    print "Memory " mb(first, "memory.total") ", Free " mb(first, "memory.available")
    print "User Virtual Space " mb(first, "limit.address_space") ", Free " mb(first, "limit.address_space.free")
    identity(second)
    print fact(second, "system.kernel.version")
    print fact(second, "system.arch.windows32")
    print fact(second, "system.arch.windows32.single")
    print "User Virtual Space " mb(second, "limit.address_space.app32") ", Free " \
        mb(second, "limit.address_space.app32.free")
    print "User Virtual Space " mb(second, "limit.address_space.windows32") ", Free " \
        mb(second, "limit.address_space.windows32.free")
    print figure(second " cpu.clock", 1e6, 0) " MHz, " figure(second " memory.clock", 1e6, 0) " MHz RAM, " \
        fact(second, "memory.total") / 1073741824 " GB, " fact(second, "system.os")

    print "Multi-Tasking Tests"
    for (i = 1; i <= 3; i++) {
        column("multi_task.read", "BusSpd2K-m32", "region=" regions[i])
        column("multi_task.read", "IntBurn64-m64", "region=" regions[i])
    }
    row("1", 1, "rate")
    row("2", 2, "rate")

    print "BusMP and BusMP64"
    n_columns = 0
    bus_columns("inc16", "BusMP-m32", 32)
    bus_columns("inc8", "BusMP64-m64", 64)
    row("1", 1, "rate")
    row("2", 2, "rate")

    print "Serial"
    columns_of_regions("serial")
    row("1", 1, "rate")
    row("2", 2, "rate")
    print "Random"
    columns_of_regions("random")
    row("1", 1, "rate")
    row("2", 2, "rate")

    print "Disks"
    small_files(2)
    small_files(4)
    small_files(8)
    tree = "files=3636;folders=277;on_disk=28400000;partition="
    print sample(first, "disk_files.tree_copy", "copy-and-paste", 1, "18100000B", tree "C", "time", 1, 0) \
        " seconds on C: and " \
        sample(first, "disk_files.tree_copy", "copy-and-paste", 1, "18100000B", tree "D", "time", 1, 0) \
        " seconds on D:"

    print "Aero"
    desktop_frames("aero")
    print "Classic"
    desktop_frames("classic")

    print "Linpack Benchmark - Results in MFLOPS"
    print "Core 2 Duo 2400 MHz, Vista" linpack(first, "Linpack-m64") linpack(first, "Linpack-m32") \
        linpack(first, "Linpack-original")
    print "Core 2 Duo 2009 compilation" linpack(first "-2009", "Linpack-m64-2009")
    print "Athlon 64 2210 MHz, XP x64" linpack(second, "Linpack-m64") linpack(second, "Linpack-m32") \
        linpack(second, "Linpack-original")
    print "Athlon 64 2009 compilation" linpack(second "-2009", "Linpack-m64-2009")

    print "Livermore Loops Benchmark - Results in MFLOPS"
    print "Core 2 Duo" livermore(first, "Livermore-m64") livermore(first, "Livermore-m32") \
        livermore(first, "Livermore-original")
    print "2009 comp" livermore(first "-2009", "Livermore-m64-2009")
    print "Athlon 64" livermore(second, "Livermore-m64") livermore(second, "Livermore-m32") \
        livermore(second, "Livermore-original")
    print "2009 comp" livermore(second "-2009", "Livermore-m64-2009")

    print "Maximum Speeds in MFLOPS"
    maximum("Assembled SIMD", first, second, "SSE3DNow", "vector")
    maximum("32 bit SISD", first, second, "MemSpeed-m32", "scalar")
    maximum("64 bit SISD", first, second, "MemSpeed-m64", "scalar")
    maximum("2009 compile", first "-2009", second "-2009", "MemSpeed-m64-2009", "scalar")
    maximum("x87 FPU", first, second, "MemSpeed-x87", "scalar")

    print "Assembly Code Experiments"
    assembly("movsd_save")
    assembly("movlpd")
    assembly("movsd")
    assembly("movlpd4")
    for (i = 1; i <= 2; i++)
        print fact(pcs[i] "-2009", "cpu.model") " " figure(pcs[i] "-2009 cpu.clock", 1e6, 0) " MHz"
    not_asked("")
}
