#include "normalize/export.h"

#include "normalize/export/datapackage.h"

/* An entry here and a file below export/ make a format. */
static const struct {
    const char *name;
    int (*run)(const struct arguments *arguments, const char *output, struct err *err);
} formats[] = {
    {"datapackage", datapackage_export},
};

const struct option_spec export_options[] = {
    {"to", 't', "FORMAT", "datapackage: a Frictionless Data Package, in a folder"},
    {"output", 'o', "DIR", "where it goes: a new or empty folder, or an older export"},
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
    TRY(argument_word(arguments, "to", "datapackage", &format, err));
    if (format < 0)
        return err_set(err, ERR_USAGE, "--to=FORMAT says for which tool");
    if (!output)
        return err_set(err, ERR_USAGE, "-o says where it goes");
    return formats[format].run(arguments, output, err);
}
