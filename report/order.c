#include "report/order.h"

#include <stddef.h>
#include <string.h>

#include "schema/unit.h"

int natural_compare(const char *a, const char *b)
{
    const char *x = a, *y = b;
    while (*x && *y) {
        size_t m = strspn(x, "0123456789"), n = strspn(y, "0123456789");
        if (m > 0 && n > 0) {
            const char *p = x + strspn(x, "0"), *q = y + strspn(y, "0");
            size_t k = strspn(p, "0123456789"), l = strspn(q, "0123456789");
            int order = k != l ? (k < l ? -1 : 1) : memcmp(p, q, k);
            if (order != 0)
                return order;
            x += m;
            y += n;
        } else if (*x != *y) {
            return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
        } else {
            x++;
            y++;
        }
    }
    if (*x || *y)
        return *x ? 1 : -1;
    return strcmp(a, b); /* they differ in leading zeros at most */
}

int compare_counts(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

int compare_metrics(const char *a, const char *b)
{
    const struct metric *x = metric_find(a), *y = metric_find(b);
    if (!x || !y)
        return natural_compare(a, b);
    return (x > y) - (x < y); /* both stand in one table */
}
