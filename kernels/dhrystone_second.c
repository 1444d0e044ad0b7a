/* The second translation unit of Dhrystone 2.1: so that no procedure is merged with its callers. */
#include "kernels/dhrystone.h"

#include <string.h>

bool dhrystone_func_3(enum dhrystone_ident value)
{
    enum dhrystone_ident local = value;
    return local == IDENT_3;
}

void dhrystone_proc_6(const struct dhrystone_world *world, enum dhrystone_ident value,
                      enum dhrystone_ident *result)
{
    *result = value;
    if (!dhrystone_func_3(value))
        *result = IDENT_4;
    switch (value) {
    case IDENT_1:
        *result = IDENT_1;
        break;
    case IDENT_2:
        *result = world->number > 100 ? IDENT_1 : IDENT_4;
        break;
    case IDENT_3:
        *result = IDENT_2;
        break;
    case IDENT_4:
        break;
    case IDENT_5:
        *result = IDENT_3;
        break;
    }
}

void dhrystone_proc_7(int one, int two, int *result)
{
    int local = one + 2;
    *result = two + local;
}

void dhrystone_proc_8(struct dhrystone_world *world, int line[DHRYSTONE_LINE],
                      int table[DHRYSTONE_LINE][DHRYSTONE_LINE], int one, int two)
{
    int at = one + 5;
    line[at] = two;
    line[at + 1] = line[at];
    line[at + 30] = at;
    for (int i = at; i <= at + 1; i++)
        table[at][i] = at;
    table[at][at - 1] += 1;
    table[at + 20][at] = line[at];
    world->number = 5;
}

enum dhrystone_ident dhrystone_func_1(struct dhrystone_world *world, char one, char two)
{
    char first = one, second = first;
    if (second != two)
        return IDENT_1;
    world->letter_1 = first;
    return IDENT_2;
}

bool dhrystone_func_2(struct dhrystone_world *world, const char *one, const char *two)
{
    int at = 2;
    char letter = 'A';
    while (at <= 2) {
        if (dhrystone_func_1(world, one[at], two[at + 1]) == IDENT_1) {
            letter = 'A';
            at += 1;
        }
    }
    if (letter >= 'W' && letter < 'Z')
        at = 7;
    if (letter == 'R')
        return true;
    if (strcmp(one, two) > 0) {
        at += 7;
        world->number = at;
        return true;
    }
    return false;
}
