/* kernels/burn.c in processes. */
#include "kernels/burn.h"
#include "kernels/sweep.h"

const struct kernel kernel_multi_task = {
    .name = "multi_task",
    .summary = "Several tasks at once: int_burn in as many processes as `threads` says, started "
               "together; the rate is that of all, until the last has ended",
    .source = "Longbottom, multi-tasking tests with two copies of BusSpd2K and of IntBurn64 (2007)",
    .needs_text = "pages=huge: transparent huge pages",
    .revision = 1,
    .flags = KERNEL_PROCESSES,
    .tests = burn_task_tests,
    .x_unit = "B",
    .sizes = sweep_levels,
    .threads = {"1,2", "1,2", "1,2,all"},
    .work = burn_work,
    .needs = burn_needs,
    .memory = burn_memory,
    .pages = sweep_pages_of,
    .setup = burn_setup,
    .check = burn_check,
    .teardown = burn_teardown,
};
