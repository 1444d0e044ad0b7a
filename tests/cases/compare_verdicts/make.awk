# Records of one side; side: base or new. Values are 100 with a fixed scatter of a few tenths, times
# what each test is about.
function row(kernel, revision, test, params, metric, rep, value, unit, status, text) {
    printf "1,sample,%s-%s,box,2026-11-30T12:00:00Z,%s,%d,%s,gcc12-m64-O2,1,4096,B,%s,%s,%s,%s,%s,,,%s,%s\n",
        "run", side, kernel, revision, test, params, metric, rep, value, unit, status, text
}
function rows(test, metric, unit, factor, n,    i) {
    for (i = 1; i <= n; i++)
        row("bus_speed", 1, test, "word=64", metric, i, factor * (100 + scatter[i]), unit, "ok", "")
}
BEGIN {
    n = split("0.1 -0.2 0.3 -0.1 0.2 -0.3 0.15 -0.25 0.05 0", scatter, " ")
    is_new = side == "new"
    print "schema,kind,run,machine,time,kernel,revision,test,variant,threads,x,x_unit,params,metric,rep,value,unit,iterations,elapsed_ns,status,text"
    rows("faster", "rate", "B/s", is_new ? 1.1e6 : 1e6, 10)
    rows("slower", "rate", "B/s", is_new ? 0.9e6 : 1e6, 10)
    rows("slower", "time", "s", is_new ? 1.1e-6 : 1e-6, 10)
    rows("same", "rate", "B/s", is_new ? 1.0001e6 : 1e6, 10)
    rows("barely", "rate", "B/s", is_new ? 1.008e6 : 1e6, 10)
    rows("few", "rate", "B/s", is_new ? 1.5e6 : 1e6, 3)
    rows("single", "rate", "B/s", is_new ? 1.5e6 : 1e6, is_new ? 1 : 10)
    rows("unwanted", "clock", "Hz", 1e7, 10)
    if (is_new) rows("new_one", "rate", "B/s", 1, 10)
    for (i = 1; i <= 6; i++) {
        row("bus_speed", 1, "constant", "word=64", "time", i, 7, "s", "ok", "")
        row("bus_speed", 1, "nothing", "word=64", "time", i, is_new ? 1 : 0, "s", "ok", "")
        row("bus_speed", 1, "both_failed", "word=64", "time", i, "", "", "unavailable", "=1+1|<b>")
        if (is_new)
            row("bus_speed", 1, "failed", "word=64", "time", i, "", "", "timeout", "took more than 120 s")
        else
            row("bus_speed", 1, "failed", "word=64", "time", i, 5 + i, "s", "ok", "")
        row("revised", is_new ? 2 : 1, "t", "", "time", i, 5 + i, "s", "ok", "")
        row("widened", 1, "t", is_new ? "word=64" : "word=32", "time", i, 5 + i, "s", "ok", "")
        row("slow_box", 1, "t", "emulated=yes", "time", i, is_new ? 5 : 10, "s", "ok", "")
    }
}
