#include "normalize/check.h"
#include "normalize/export.h"
#include "normalize/import.h"
#include "normalize/merge.h"
#include "schema/command.h"

static const struct verb verbs[] = {
    {"merge", "FILE...",
     "Merges record files into one archive: canonical order, duplicates dropped and counted, "
     "conflicts refused. Its own output merged again is the same bytes.",
     merge_options, merge_run},
    {"check", "FILE...", "Names every problem of record files as file:line: message.",
     check_options, check_run},
    {"import", "[FILE...]", "Makes records of the results of other programs.", import_options,
     import_run},
    {"export", "FILE...", "Writes record files in the form of another tool.", export_options,
     export_run},
    {0},
};

int main(int argc, char **argv)
{
    static const struct program normalize = {
        "normalize",
        "Brings record files of benchmark results into one canonical archive.",
        verbs,
    };
    return command_main(&normalize, argc, argv);
}
