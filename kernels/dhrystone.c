/* Dhrystone 2.1, written anew from its definition: 103 statements of the kinds, operand types and
 * operand places that programs had, none of which may be left out, in procedures that may not be
 * merged (Weicker's rules of measurement). What it keeps in global variables is a structure here,
 * one for each thread. */
#include "kernels/dhrystone.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"

static const char text_some[DHRYSTONE_TEXT] = "DHRYSTONE PROGRAM, SOME STRING";
static const char text_first[DHRYSTONE_TEXT] = "DHRYSTONE PROGRAM, 1'ST STRING";
static const char text_second[DHRYSTONE_TEXT] = "DHRYSTONE PROGRAM, 2'ND STRING";
static const char text_third[DHRYSTONE_TEXT] = "DHRYSTONE PROGRAM, 3'RD STRING";

/* In job->state: with the local variables of the main program, whose last values are checked. */
struct dhrystone {
    struct dhrystone_world world;
    struct dhrystone_record records[2];
    int one, two, three;
    enum dhrystone_ident ident;
    char text_1[DHRYSTONE_TEXT], text_2[DHRYSTONE_TEXT];
    uint64_t passes;
    uint64_t n_miscounted; /* calls of run whose counter was not what it should be */
};

/* Rounds that the counter, an int, can count. */
enum { ROUNDS_MAX = 1000000000, COUNTER_START = 10 };


/* Proc_3 */
static __attribute__((noinline)) void proc_3(struct dhrystone_world *world,
                                             struct dhrystone_record **result)
{
    if (world->record)
        *result = world->record->next;
    dhrystone_proc_7(10, world->number, &world->record->variant.first.number);
}

/* Proc_1 */
static __attribute__((noinline)) void proc_1(struct dhrystone_world *world,
                                             struct dhrystone_record *record)
{
    struct dhrystone_record *next = record->next;
    *record->next = *world->record;
    record->variant.first.number = 5;
    next->variant.first.number = record->variant.first.number;
    next->next = record->next;
    proc_3(world, &next->next);
    if (next->kind == IDENT_1) {
        next->variant.first.number = 6;
        dhrystone_proc_6(world, record->variant.first.ident, &next->variant.first.ident);
        next->next = world->record->next;
        dhrystone_proc_7(next->variant.first.number, 10, &next->variant.first.number);
    } else {
        *record = *record->next;
    }
}

/* Proc_2 */
static __attribute__((noinline)) void proc_2(struct dhrystone_world *world, int *value)
{
    int local = *value + 10;
    enum dhrystone_ident ident = IDENT_2;
    do {
        if (world->letter_1 == 'A') {
            local -= 1;
            *value = local - world->number;
            ident = IDENT_1;
        }
    } while (ident != IDENT_1);
}

/* Proc_4 */
static __attribute__((noinline)) void proc_4(struct dhrystone_world *world)
{
    bool local = world->letter_1 == 'A';
    world->flag = local | world->flag;
    world->letter_2 = 'B';
}

/* Proc_5 */
static __attribute__((noinline)) void proc_5(struct dhrystone_world *world)
{
    world->letter_1 = 'A';
    world->flag = false;
}

/* A text is assigned as compilers do it whose strcpy knows the length of a constant. */
static void text_set(char *text, const char *constant)
{
    memcpy(text, constant, DHRYSTONE_TEXT);
}

static __attribute__((noinline)) void rounds(struct dhrystone *d, int n)
{
    struct dhrystone_world *world = &d->world;
    int one = 0, two = 0, three = 0;
    enum dhrystone_ident ident = IDENT_1;
    char text_1[DHRYSTONE_TEXT], text_2[DHRYSTONE_TEXT];
    text_set(text_1, text_first);
    text_set(text_2, text_first);
    for (int i = 1; i <= n; i++) {
        proc_5(world);
        proc_4(world);
        one = 2;
        two = 3;
        text_set(text_2, text_second);
        ident = IDENT_2;
        world->flag = !dhrystone_func_2(world, text_1, text_2);
        while (one < two) {
            three = 5 * one - two;
            dhrystone_proc_7(one, two, &three);
            one += 1;
        }
        dhrystone_proc_8(world, world->line, world->table, one, three);
        proc_1(world, world->record);
        for (char letter = 'A'; letter <= world->letter_2; letter++) {
            if (ident == dhrystone_func_1(world, letter, 'C')) {
                dhrystone_proc_6(world, IDENT_1, &ident);
                text_set(text_2, text_third);
                two = i;
                world->number = i;
            }
        }
        two = two * one;
        one = two / three;
        two = 7 * (two - three) - one;
        proc_2(world, &one);
        KERNEL_BARRIER();
    }
    d->one = one;
    d->two = two;
    d->three = three;
    d->ident = ident;
    text_set(d->text_1, text_1);
    text_set(d->text_2, text_2);
}

static enum kernel_outcome dhrystone_run(struct kernel_job *job, uint64_t iterations)
{
    struct dhrystone *d = job->state;
    for (uint64_t left = iterations; left > 0;) {
        int n = left < ROUNDS_MAX ? (int)left : ROUNDS_MAX;
        d->world.table[8][7] = COUNTER_START;
        rounds(d, n);
        d->n_miscounted += d->world.table[8][7] != COUNTER_START + n;
        d->passes += (uint64_t)n;
        left -= (uint64_t)n;
    }
    return KERNEL_OK;
}

static enum kernel_outcome dhrystone_setup(struct kernel_job *job)
{
    struct dhrystone *d = calloc(1, sizeof *d);
    if (!d)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = d;
    struct dhrystone_world *world = &d->world;
    world->next = &d->records[0];
    world->record = &d->records[1];
    world->record->next = world->next;
    world->record->kind = IDENT_1;
    world->record->variant.first.ident = IDENT_3;
    world->record->variant.first.number = 40;
    text_set(world->record->variant.first.text, text_some);
    return KERNEL_OK;
}

static void dhrystone_teardown(struct kernel_job *job)
{
    free(job->state);
    job->state = NULL;
}

/* The final values that the program of 1988 prints as those that should be. */
static enum kernel_outcome dhrystone_check(struct kernel_job *job)
{
    const struct dhrystone *d = job->state;
    const struct dhrystone_world *world = &d->world;
    if (d->passes == 0 || d->passes != job->n_iterations)
        return kernel_reason(job, KERNEL_WRONG, "did %" PRIu64 " rounds of %" PRIu64, d->passes,
                             job->n_iterations);
    if (d->n_miscounted > 0)
        return kernel_reason(job, KERNEL_WRONG, "Arr_2_Glob[8][7] is not the number of rounds "
                                                "and 10");
    const struct {
        const char *name;
        int value, right;
    } numbers[] = {{"Int_Glob", world->number, 5},
                   {"Bool_Glob", world->flag, 1},
                   {"Ch_1_Glob", world->letter_1, 'A'},
                   {"Ch_2_Glob", world->letter_2, 'B'},
                   {"Arr_1_Glob[8]", world->line[8], 7},
                   {"Ptr_Glob->Discr", (int)world->record->kind, 0},
                   {"Ptr_Glob->Enum_Comp", (int)world->record->variant.first.ident, 2},
                   {"Ptr_Glob->Int_Comp", world->record->variant.first.number, 17},
                   {"Next_Ptr_Glob->Discr", (int)world->next->kind, 0},
                   {"Next_Ptr_Glob->Enum_Comp", (int)world->next->variant.first.ident, 1},
                   {"Next_Ptr_Glob->Int_Comp", world->next->variant.first.number, 18},
                   {"Int_1_Loc", d->one, 5},
                   {"Int_2_Loc", d->two, 13},
                   {"Int_3_Loc", d->three, 7},
                   {"Enum_Loc", (int)d->ident, 1}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i].value != numbers[i].right)
            return kernel_reason(job, KERNEL_WRONG, "%s is %d, should be %d", numbers[i].name,
                                 numbers[i].value, numbers[i].right);
    const struct {
        const char *name, *value, *right;
    } texts[] = {{"Ptr_Glob->Str_Comp", world->record->variant.first.text, text_some},
                 {"Next_Ptr_Glob->Str_Comp", world->next->variant.first.text, text_some},
                 {"Str_1_Loc", d->text_1, text_first},
                 {"Str_2_Loc", d->text_2, text_second}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (memcmp(texts[i].value, texts[i].right, DHRYSTONE_TEXT) != 0)
            return kernel_reason(job, KERNEL_WRONG, "%s is '%.30s', should be '%s'", texts[i].name,
                                 texts[i].value, texts[i].right);
    if (world->record->next != world->next || world->next->next != world->next)
        return kernel_reason(job, KERNEL_WRONG, "Ptr_Comp does not point to Next_Ptr_Glob");
    return KERNEL_OK;
}

static void dhrystone_work(const struct kernel_job *job, struct kernel_work *work)
{
    (void)job;
    work->steps = 1;
}

static const struct kernel_metric metrics[] = {{"rate", QUANTITY_STEP_RATE}, {0}};

static const struct kernel_test tests[] = {
    {.name = "dhrystone", .summary = "Dhrystones per second; 1757 are one VAX MIPS",
     .metrics = metrics, .run = dhrystone_run},
    {0}};

const struct kernel kernel_dhrystone = {
    .name = "dhrystone",
    .summary = "Dhrystone 2.1, in two translation units without merging of procedures",
    .source = "Weicker, CACM 27 (1984) 1013, and SIGPLAN Notices 23:8 (1988) 49",
    .revision = 1,
    .tests = tests,
    .threads = {"1", "1,all", "1,all"},
    .work = dhrystone_work,
    .setup = dhrystone_setup,
    .check = dhrystone_check,
    .teardown = dhrystone_teardown,
};
