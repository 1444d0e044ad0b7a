/* Errors: a function that can fail returns a negative enum err_code and fills the caller's
 * struct err. Context is added on the way up, so that a message reads outside in. Only main()
 * prints an error or exits. The text of a struct err means nothing unless an error was returned. */
#ifndef SCHEMA_ERR_H
#define SCHEMA_ERR_H

/* The negated value is the exit code of the program (see err_exit_code). */
enum err_code {
    ERR_NONE = 0,
    ERR_SYSTEM = -1,     /* the system failed: a write, a missing program, memory */
    ERR_USAGE = -2,      /* wrong usage */
    ERR_DATA = -3,       /* bad input data */
    ERR_WRONG = -4,      /* a kernel gave a wrong answer */
    ERR_REGRESSION = -5, /* a regression was found */
    ERR_UNCLEAR = -6     /* cannot tell: too little data */
};

struct err {
    enum err_code code;
    char text[768];
};

/* Fills *err; a text that does not fit is cut. Returns code, so that `return err_set(...)` works. */
int err_set(struct err *err, enum err_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As err_set with ERR_SYSTEM, ": " and the text of errno appended. */
int err_system(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts a context and ": " before the text that is there. Returns err->code. */
int err_wrap(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The exit code of the contract for a return value: 0 for >= 0, else 1 to 6. */
int err_exit_code(int result);

/* Passes an error on to the caller. */
#define TRY(expression)                                                                            \
    do {                                                                                           \
        int try_result_ = (expression);                                                            \
        if (try_result_ < 0)                                                                       \
            return try_result_;                                                                    \
    } while (0)

#endif
