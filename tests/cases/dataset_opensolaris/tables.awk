function gain(test, variant, x, params) {
    return sample(run, test, variant, 1, x, params, "gain", 0.01, 2)
}

function openssl(title, variant, base,    i, j, name, test, line) {
    print title
    print "type 16B 64B 256B 1024B 8192B"
    for (i = 1; i <= n_names; i++) {
        name = names[i]
        test = name
        gsub(/[^a-z0-9]+/, "_", test)
        sub(/_$/, "", test)
        line = name
        for (j = 1; j <= n_sizes; j++)
            line = line " " gain("openssl_speed." test, variant, sizes[j] "B", "base=" base) "%"
        print line
    }
    print "sign verify"
    for (i = 1; i <= n_keys; i++) {
        split(keys[i], part, " ")
        params = "base=" base ";bits=" part[2]
        print keys[i] " " gain("openssl_speed." part[1] "_sign", variant, "-", params) "% " \
            gain("openssl_speed." part[1] "_verify", variant, "-", params) "%"
    }
}

function compression(name, test,    file) {
    file = ";file=gcc-4.1.1.tar"
    print name " " gain("compress." test, "studio11-m64-fast", "-", "base=studio11-m32-fast" file) " % " \
        gain("compress." test, "gcc4.1.1-m64-O3", "-", "base=gcc4.1.1-m32-O3" file) " %"
}

function catalog(bits,    test) {
    test = "database.catalog"
    print bits " bit " \
        sample(run, test, "oracle10.2.0.2-m" bits, 1, "-", "clock=user", "time", 1, 0) "s (user) " \
        sample(run, test, "oracle10.2.0.2-m" bits, 1, "-", "clock=real", "time", 1, 0) "s (real)"
}

function part_size(program, variant, part) {
    return sample(run, "code_size." part, variant, 1, "-", "program=" program, "size", 1, 0)
}

function size_of(file, program, variant) {
    print file ": " part_size(program, variant, "text") " + " part_size(program, variant, "data") " + " \
        part_size(program, variant, "bss") " = " part_size(program, variant, "total")
}

function sizes_of(program) {
    print "$ size " program "-*"
    size_of(program "-32.cc", program, "studio11-m32-fast")
    size_of(program "-32.gcc", program, "gcc4.1.1-m32-O3")
    size_of(program "-64.cc", program, "studio11-m64-fast")
    size_of(program "-64.gcc", program, "gcc4.1.1-m64-O3")
}

END {
    run = "opensolaris-2006-athlon-64-x2"
    n_names = split("md2,md4,md5,hmac(md5),sha1,rmd160,rc4,des cbc,idea cbc,rc2 cbc,blowfish cbc,cast cbc," \
        "aes-128 cbc,aes-192 cbc,aes-256 cbc,sha256,sha512", names, ",")
    n_sizes = split("16 64 256 1024 8192", sizes, " ")
    n_keys = split("rsa 512 bits,rsa 1024 bits,rsa 2048 bits,rsa 4096 bits,dsa 512 bits,dsa 1024 bits," \
        "dsa 2048 bits", keys, ",")

    print fact(run, "cpu.model")
    print fact(run, "memory.type")
    print fact(run, "memory.total") / 1073741824 " GB"
    print fact(run, "build.compiler")
    print fact(run, "build.compiler.configuration")
    print "Thread-Modell: " fact(run, "build.compiler.threads")
    print fact(run, "program.openssl")
    print fact(run, "build.configure.studio11")
    print fact(run, "build.flags.studio11")
    print fact(run, "build.configure.gcc")
    print fact(run, "build.flags.gcc")
    print fact(run, "build.flags.compress")
    print fact(run, "program.gzip") " / " fact(run, "program.bzip2")
    print fact(run, "program.oracle")

    openssl("Studio 11 32 vs. 64 bits", "studio11-m64-fast", "studio11-m32-fast")
    openssl("gcc 4.1.1 32 vs. 64 bits", "gcc4.1.1-m64-O3", "gcc4.1.1-m32-O3")
    openssl("gcc 4.1.1 -m64 vs Studio-11 -xarch=amd64", "gcc4.1.1-m64-O3", "studio11-m64-fast")
    print "Studio 11 32 vs. 64 gcc 4.1.1 32 vs. 64"
    compression("gzip", "gzip")
    compression("gunzip2", "gunzip")
    compression("bzip2", "bzip2")
    compression("bunzip2", "bunzip2")
    print "Time for catalog/catproc"
    catalog(32)
    catalog(64)
    sizes_of("gzip")
    sizes_of("bzip2")
    sizes_of("openssl")
    size_of("10.2.0_64/bin/oracle", "oracle", "oracle10.2.0.2-m64")
    size_of("10.2.0_32/bin/oracle", "oracle", "oracle10.2.0.2-m32")
    not_asked("")
}
