/* Kernels and their tests by name, for the unit tests of kernels. */
#ifndef TESTS_UNIT_KERNEL_FIND_H
#define TESTS_UNIT_KERNEL_FIND_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernel.h"

static inline const struct kernel *kernel_find(const char *name)
{
    for (size_t i = 0; kernel_registry[i]; i++)
        if (strcmp(kernel_registry[i]->name, name) == 0)
            return kernel_registry[i];
    fail_msg("no kernel %s", name);
    return NULL;
}

static inline const struct kernel_test *kernel_test_find(const struct kernel *kernel, const char *name)
{
    for (const struct kernel_test *test = kernel->tests; test->name; test++)
        if (strcmp(test->name, name) == 0)
            return test;
    fail_msg("no test %s.%s", kernel->name, name);
    return NULL;
}

#endif
