#include "normalize/overwrite.h"

#include <string.h>
#include <sys/stat.h>

bool overwrite_is_same(const char *a, const char *b)
{
    struct stat first, second;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
        return strcmp(a, b) == 0;
    if (stat(a, &first) < 0 || stat(b, &second) < 0)
        return strcmp(a, b) == 0;
    return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

int overwrite_check(const struct arguments *arguments, const char *option, const char *output,
                    struct err *err)
{
    for (size_t i = 0; output && strcmp(output, "-") != 0 && i < arguments->n_operands; i++)
        if (overwrite_is_same(output, arguments->operands[i]))
            return err_set(err, ERR_USAGE, "%s=%s: is read, and is not replaced", option, output);
    return 0;
}
