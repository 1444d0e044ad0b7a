function pair(label, test, params, metric, scale, digits, unit,    i, line) {
    line = label
    for (i = 1; i <= 2; i++)
        line = line " " sample(runs[i], test, "iforth1.07-m32", 1, "-", params, metric, scale, digits) " " unit
    print line
}

function seconds(label, test) {
    pair(label, "classic." test, "-", "time", 1, 3, "sec")
}

function microseconds(label, test) {
    pair(label, "classic." test, "-", "time", 1e-6, 4, "us")
}

function move(label, test, overlap) {
    pair(label, "mem_move." test, "overlap=" overlap, "rate", 1e6, 3, "MB/s")
}

END {
    split("iforth-1996-nt iforth-1996-linux", runs, " ")
    for (i = 1; i <= 2; i++)
        print fact(runs[i], "program.iforth") ", " fact(runs[i], "cpu.model") " " \
            figure(runs[i] " cpu.clock", 1e6, 0) " MHz, " fact(runs[i], "system.os")
    print fact(runs[1], "build.compiler")
    print "1."
    seconds("Fibonacci...9227465", "fibonacci")
    seconds("Sieving...1899", "sieve")
    seconds("Matrix multiply...", "matrix")
    seconds("bubbling...", "bubble")
    print "2."
    seconds("300,000-times push+pop", "push_pop")
    print "(push+pop expected " figure(runs[1] " expected.push_pop", 1, 3) " sec " \
        figure(runs[2] " expected.push_pop", 1, 3) " sec)"
    seconds("300,000-times nop+nop", "nop")
    print "(nop+nop expected " figure(runs[1] " expected.nop", 1, 3) " sec " \
        figure(runs[2] " expected.nop", 1, 3) " sec)"
    print "3."
    move("CMOVE :", "cmove", "no")
    move("CMOVE> :", "cmove_up", "no")
    move("MOVE 1->2 :", "move_up", "no")
    move("MOVE 2<-1 :", "move_down", "no")
    move("CMOVE :", "cmove", "yes")
    move("CMOVE> :", "cmove_up", "yes")
    move("MOVE 1<-2 :", "move_down", "yes")
    move("MOVE 2->1 :", "move_up", "yes")
    print "4."
    microseconds("Testing DO LOOP =", "do_loop")
    microseconds("Testing * =", "mul")
    microseconds("Testing / =", "div")
    microseconds("Testing + =", "add")
    microseconds("Testing M* =", "m_mul")
    microseconds("Testing M/ =", "m_div")
    microseconds("Testing M+ =", "m_add")
    microseconds("Testing /MOD =", "divmod")
    microseconds("Testing */ =", "star_slash")
    microseconds("Testing Eratosthenes =", "eratosthenes")
    microseconds("Testing Hoare's qsort =", "qsort")
    pair("all tests =", "classic.forth_inc_all", "-", "time", 1, 4, "sec")
    print "6."
    seconds("1mloop", "loop1m")
    seconds("SuperSieve 1e9 -- 1.001e9", "supersieve")
    seconds("32 million nest/unnest pairs", "nest")
    seconds("Savage (floating point)", "savage")
    seconds("Float (mix of operations)", "float")
    seconds("Fpmath", "fpmath")
    pair("Forth Dhrystone", "dhrystone.dhrystone", "-", "rate", 1, 0, "D/s")
    pair("Forth Whetstone", "whetstone.mwips", "-", "rate", 1000, 0, "KW/s")
    not_asked("")
}
