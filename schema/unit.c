#include "schema/unit.h"

#include <string.h>

/* SI prefixes: BIPM, The International System of Units, 9th edition, table 7. Binary prefixes:
 * IEC 80000-13. `KB` of the old programs means 1024 B in some and 1000 B in others, so it is no
 * spelling: the importer of each program says which. */
const struct unit units[] = {
    {"s", "time", SCALE_SI},
    {"B", "information", SCALE_BINARY},
    {"B/s", "information per time", SCALE_SI},
    {"1/s", "events per time", SCALE_SI},
    {"op/s", "operations per time", SCALE_SI},
    {"flop/s", "floating-point operations per time", SCALE_SI},
    {"Hz", "frequency", SCALE_SI},
    {"cycle", "clock cycles", SCALE_NONE},
    {"degC", "temperature in degrees Celsius", SCALE_NONE},
    {"W", "power", SCALE_SI},
    {"1", "a count or a ratio", SCALE_NONE},
};
const size_t n_units = sizeof units / sizeof units[0];

const struct unit_spelling unit_spellings[] = {
    {"s", "s", 1},
    {"sec", "s", 1},
    {"seconds", "s", 1},
    {"ms", "s", 1e-3},
    {"msec", "s", 1e-3},
    {"us", "s", 1e-6},
    {"usec", "s", 1e-6},
    {"ns", "s", 1e-9},
    {"ps", "s", 1e-12},
    {"min", "s", 60},
    {"B", "B", 1},
    {"bytes", "B", 1},
    {"kB", "B", 1e3},
    {"MB", "B", 1e6},
    {"GB", "B", 1e9},
    {"TB", "B", 1e12},
    {"KiB", "B", 1024},
    {"MiB", "B", 1048576},
    {"GiB", "B", 1073741824},
    {"TiB", "B", 1099511627776},
    {"B/s", "B/s", 1},
    {"kB/s", "B/s", 1e3},
    {"MB/s", "B/s", 1e6},
    {"GB/s", "B/s", 1e9},
    {"KiB/s", "B/s", 1024},
    {"MiB/s", "B/s", 1048576},
    {"GiB/s", "B/s", 1073741824},
    {"1/s", "1/s", 1},
    {"fps", "1/s", 1},
    {"op/s", "op/s", 1},
    {"ops/s", "op/s", 1},
    {"MOPS", "op/s", 1e6},
    {"MIPS", "op/s", 1e6},
    {"MWIPS", "op/s", 1e6},
    {"KWIPS", "op/s", 1e3},
    {"flop/s", "flop/s", 1},
    {"MFLOPS", "flop/s", 1e6},
    {"GFLOPS", "flop/s", 1e9},
    {"Hz", "Hz", 1},
    {"kHz", "Hz", 1e3},
    {"MHz", "Hz", 1e6},
    {"GHz", "Hz", 1e9},
    {"cycle", "cycle", 1},
    {"cycles", "cycle", 1},
    {"clk", "cycle", 1},
    {"degC", "degC", 1},
    {"W", "W", 1},
    {"mW", "W", 1e-3},
    {"1", "1", 1},
    {"%", "1", 1e-2},
};
const size_t n_unit_spellings = sizeof unit_spellings / sizeof unit_spellings[0];

const struct metric metrics[] = {
    {"rate", "B/s op/s 1/s", BETTER_HIGHER, "work done per time"},
    {"op_rate", "op/s 1/s", BETTER_HIGHER, "operations per time, beside a rate in bytes"},
    {"flops", "flop/s", BETTER_HIGHER, "floating-point operations per time"},
    {"time", "s", BETTER_LOWER, "time of one iteration, or of one operation"},
    {"user_time", "s", BETTER_LOWER, "processor time outside the system"},
    {"system_time", "s", BETTER_LOWER, "processor time in the system"},
    {"elapsed", "s", BETTER_LOWER, "time of everything that was timed"},
    {"time_median", "s", BETTER_LOWER, "median of the times of single operations"},
    {"time_p95", "s", BETTER_LOWER, "time that 95 % of the operations stay below"},
    {"time_p99", "s", BETTER_LOWER, "time that 99 % of the operations stay below"},
    {"placement", "B", BETTER_NONE, "where the test file begins on its device"},
    {"sync_time", "s", BETTER_LOWER, "time until the device had what was written"},
    {"finish_spread", "s", BETTER_LOWER, "between the first and the last thread to finish"},
    {"huge_pages", "1", BETTER_NONE, "share of the memory that is in huge pages"},
    {"cycles", "cycle", BETTER_LOWER, "clock cycles per operation"},
    {"clock", "Hz", BETTER_NONE, "clock of the processor meanwhile"},
    {"gain", "1", BETTER_HIGHER, "relative gain in speed over the base that params name; 0: none"},
    {"ipc", "1", BETTER_HIGHER, "operations per clock cycle"},
    {"residual", "1", BETTER_LOWER, "error of a solution, scaled by what rounding explains"},
    {"size", "B", BETTER_LOWER, "size of a program or file"},
    {"memory", "B", BETTER_LOWER, "memory in use"},
    {"memory_virtual", "B", BETTER_LOWER, "addresses in use"},
    {"allocated", "B", BETTER_LOWER, "memory that one operation allocates"},
    {"allocations", "1", BETTER_LOWER, "how often one operation allocates memory"},
    {"available_before", "B", BETTER_NONE, "memory that was available before"},
    {"available_after", "B", BETTER_NONE, "memory that was available afterwards"},
    {"allocatable", "B", BETTER_HIGHER, "largest array that can be allocated"},
    {"address_space", "B", BETTER_HIGHER, "largest gap in the addresses of the process"},
    {"sustained", "B/s", BETTER_HIGHER, "rate since the start"},
    {"incremental", "B/s", BETTER_HIGHER, "rate since the last sample"},
    {"bytes", "B", BETTER_NONE, "moved since the start, or in all"},
    {"read_rate", "B/s", BETTER_NONE, "read from the device per interval"},
    {"write_rate", "B/s", BETTER_NONE, "written to the device per interval"},
    {"read_size", "B", BETTER_NONE, "mean size of a read from the device"},
    {"write_size", "B", BETTER_NONE, "mean size of a write to the device"},
    {"utilisation", "1", BETTER_NONE, "share of the time that the device was busy"},
    {"swap_in_rate", "B/s", BETTER_NONE, "read from swap per interval"},
    {"swap_out_rate", "B/s", BETTER_NONE, "written to swap per interval"},
    {"faults_major", "1", BETTER_NONE, "page faults of the process that waited for a device"},
    {"faults_minor", "1", BETTER_NONE, "page faults of the process that did not"},
    {"cpu", "1", BETTER_NONE, "share of the processors in use"},
};
const size_t n_metrics = sizeof metrics / sizeof metrics[0];

const struct unit *unit_find(const char *name)
{
    for (size_t i = 0; i < n_units; i++)
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    return NULL;
}

const struct unit_spelling *unit_find_spelling(const char *text)
{
    for (size_t i = 0; i < n_unit_spellings; i++)
        if (strcmp(unit_spellings[i].text, text) == 0)
            return &unit_spellings[i];
    return NULL;
}

const struct metric *metric_find(const char *name)
{
    for (size_t i = 0; i < n_metrics; i++)
        if (strcmp(metrics[i].name, name) == 0)
            return &metrics[i];
    return NULL;
}

bool metric_has_unit(const struct metric *metric, const char *unit)
{
    size_t size = strlen(unit);
    for (const char *p = metric->units; size > 0 && *p;) {
        size_t word = strcspn(p, " ");
        if (word == size && memcmp(p, unit, size) == 0)
            return true;
        p += word + (p[word] == ' ');
    }
    return false;
}

const char *better_text(enum better better)
{
    static const char *const texts[] = {"none", "higher", "lower"};
    return texts[better];
}
