#include "normalize/export.h"

#include "normalize/export/datapackage.h"
#include "normalize/export/json.h"
#include "normalize/export/wide.h"
#include "normalize/overwrite.h"

/* An entry here and a file below export/ make a format. */
static const struct {
    const char *name;
    int (*run)(const struct arguments *arguments, const char *output, struct err *err);
} formats[] = {
    {"datapackage", datapackage_export},
    {"wide", wide_export},
    {"json", json_export},
};

const struct option_spec export_options[] = {
    {"to", 't', "FORMAT", "wide: a CSV table with a row for each sample and facts of its run as columns; json: an object on a "
     "line for each record; datapackage: a Frictionless Data Package, in a folder"},
    {"output", 'o', "PATH",
     "where it goes; wide, json: standard output when not given; datapackage: a new or empty folder, or "
     "an older export"},
    {"facts", 'f', "LIST",
     "of wide: names of facts, with commas; of facts of state the one before the tests, NAME@after "
     "that behind them"},
    {"title", 0, "TEXT", "of the package"},
    {"licence", 0, "ID", "under which the data may be used, as an Open Definition id such as CC-BY-4.0; "
                         "without it the package says that none is specified"},
    {0},
};

int export_run(const struct arguments *arguments, struct err *err)
{
    const char *output = argument_value(arguments, "output");
    int format = -1;
    if (arguments->n_operands == 0)
        return err_set(err, ERR_USAGE, "no file is named");
    TRY(argument_word(arguments, "to", "datapackage|wide|json", &format, err));
    if (format < 0)
        return err_set(err, ERR_USAGE, "--to=FORMAT says for which tool");
    if (!output && formats[format].run == datapackage_export)
        return err_set(err, ERR_USAGE, "-o says where it goes");
    TRY(overwrite_check(arguments, "--output", output, err));
    return formats[format].run(arguments, output, err);
}
