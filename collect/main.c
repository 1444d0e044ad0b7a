#include "collect/dump.h"
#include "collect/list.h"
#include "collect/request.h"
#include "collect/run.h"
#include "collect/remote.h"
#include "collect/stop.h"
#include "collect/system.h"
#include "schema/command.h"

static const struct verb verbs[] = {
    {"list", "[KERNEL...]", "kernels, their tests, metrics, sizes, sources and needs", list_options,
     list_verb},
    {"system", "", "the fingerprint of this machine", system_options, system_verb},
    {"run", "[KERNEL[.TEST]...]", "runs kernels and writes records", request_options,
     run_verb},
    {"rerun", "FILE", "the same plan again, from the record", rerun_options, rerun_verb},
    {"dump", "SOURCE OFFSET LENGTH [DESTINATION]", "shows or copies a range of a file or device",
     dump_options, dump_verb},
    {"worker", "[KERNEL.TEST [KEY=VALUE...]]", "one job for another build of collect (not for people)",
     worker_options, worker_verb},
    {NULL, NULL, NULL, NULL, NULL}};

static const struct program program = {
    "collect", "runs benchmark kernels and records what they give, and on what", verbs};

int main(int argc, char **argv)
{
    int code = command_main(&program, argc, argv);
    if (stop_signal) {
        /* Everything is tidied up; now end as the signal would have. */
        signal(stop_signal, SIG_DFL);
        raise(stop_signal);
    }
    return code;
}
