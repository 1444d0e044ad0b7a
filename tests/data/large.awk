# Records of as many machines and kernels as the variables say, three sizes and three repetitions each.
BEGIN {
    print "schema,kind,run,machine,time,kernel,revision,test,variant,threads,x,x_unit,params,metric,rep,value,unit,iterations,elapsed_ns,status,text"
    for (m = 1; m <= machines; m++) {
        year = 2000 + m % 25
        run = sprintf("%d0101T000000Z-%08x-%08x", year, m, m)
        time = sprintf("%d-01-01T00:00:00Z", year)
        printf "1,fact,%s,Machine %03d,%s,,,,,,,,source=test,machine.id,,,,,,ok,%08x\n", run, m, time, m
        printf "1,fact,%s,Machine %03d,%s,,,,,,,,source=test,cpu.model,,,,,,ok,Processor %d\n", run, m, time, m
        printf "1,fact,%s,Machine %03d,%s,,,,,,,,source=test,cpu.clock.measured,,%d,Hz,,,ok,\n", run, m, time, 1e9 + m * 3e7
        for (k = 1; k <= kernels; k++)
            for (x = 4096; x <= 4194304; x *= 32)
                for (r = 1; r <= 3; r++)
                    printf "1,sample,%s,Machine %03d,%s,kernel%02d,1,read,gcc12-m64-O2,1,%d,B,word=64,rate,%d,%d,B/s,,,ok,\n", run, m, time, k, x, r, 1e9 * (1 + m / 10) / (1 + log(x)) * (1 + 0.01 * r)
    }
}
