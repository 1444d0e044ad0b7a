#include "schema/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, enum err_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    err->code = code;
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return code;
}

int err_system(struct err *err, const char *format, ...)
{
    int saved = errno;
    va_list args;
    va_start(args, format);
    err->code = ERR_SYSTEM;
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(saved));
    return ERR_SYSTEM;
}

int err_wrap(struct err *err, const char *format, ...)
{
    char context[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(context, sizeof context, format, args);
    va_end(args);
    size_t used = strlen(context);
    used = used < sizeof context - 2 ? used : sizeof context - 3;
    memcpy(context + used, ": ", 3);
    used += 2;
    memmove(err->text + used, err->text, sizeof err->text - used);
    memcpy(err->text, context, used);
    err->text[sizeof err->text - 1] = '\0';
    return err->code;
}

int err_exit_code(int result)
{
    if (result >= 0)
        return 0;
    return result >= ERR_UNCLEAR ? -result : 1;
}
