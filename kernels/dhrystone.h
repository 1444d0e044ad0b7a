/* The procedures and the data of Dhrystone that its two translation units share. Names of the
 * original in comments. */
#ifndef KERNELS_DHRYSTONE_H
#define KERNELS_DHRYSTONE_H

#include <stdbool.h>

enum { DHRYSTONE_TEXT = 31, DHRYSTONE_LINE = 50 };

enum dhrystone_ident { IDENT_1, IDENT_2, IDENT_3, IDENT_4, IDENT_5 };

struct dhrystone_record {
    struct dhrystone_record *next; /* Ptr_Comp */
    enum dhrystone_ident kind;     /* Discr */
    union {
        struct {
            enum dhrystone_ident ident; /* Enum_Comp */
            int number;                 /* Int_Comp */
            char text[DHRYSTONE_TEXT];  /* Str_Comp */
        } first;
        struct {
            enum dhrystone_ident ident;
            char text[DHRYSTONE_TEXT];
        } second;
        struct {
            char one, two;
        } third;
    } variant;
};

/* What the original keeps in global variables: one for each thread. */
struct dhrystone_world {
    struct dhrystone_record *record, *next; /* Ptr_Glob, Next_Ptr_Glob */
    int number;                             /* Int_Glob */
    bool flag;                              /* Bool_Glob */
    char letter_1, letter_2;                /* Ch_1_Glob, Ch_2_Glob */
    int line[DHRYSTONE_LINE];               /* Arr_1_Glob */
    int table[DHRYSTONE_LINE][DHRYSTONE_LINE]; /* Arr_2_Glob */
};

/* Of dhrystone_second.c: Proc_6, Proc_7, Proc_8, Func_1, Func_2, Func_3. */
void dhrystone_proc_6(const struct dhrystone_world *world, enum dhrystone_ident value,
                      enum dhrystone_ident *result);
void dhrystone_proc_7(int one, int two, int *result);
void dhrystone_proc_8(struct dhrystone_world *world, int line[DHRYSTONE_LINE],
                      int table[DHRYSTONE_LINE][DHRYSTONE_LINE], int one, int two);
enum dhrystone_ident dhrystone_func_1(struct dhrystone_world *world, char one, char two);
bool dhrystone_func_2(struct dhrystone_world *world, const char *one, const char *two);
bool dhrystone_func_3(enum dhrystone_ident value);

#endif
