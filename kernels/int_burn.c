/* kernels/burn.c in threads, each with memory of its own. */
#include "kernels/burn.h"
#include "kernels/sweep.h"

const struct kernel kernel_int_burn = {
    .name = "int_burn",
    .summary = "Reliability: memory written with bit patterns, read and compared word by word; a wrong "
               "bit is reported with its address. Counts what is written and what is read",
    .source = "Longbottom, BusSpd2K reliability test (2001), IntBurn64 (2007)",
    .needs_text = "pages=huge: transparent huge pages",
    .revision = 1,
    .tests = burn_tests,
    .x_unit = "B",
    .sizes = sweep_levels,
    .threads = {"1", "1", "1,all"},
    .work = burn_work,
    .needs = burn_needs,
    .memory = burn_memory,
    .pages = sweep_pages_of,
    .setup = burn_setup,
    .check = burn_check,
    .teardown = burn_teardown,
};
