/* A wish from outside to stop: what is under way ends soon and tidies up. */
#ifndef COLLECT_STOP_H
#define COLLECT_STOP_H

#include <signal.h>

#include "schema/err.h"

extern volatile sig_atomic_t stop_signal; /* 0, or the signal that came */

/* SIGINT, SIGTERM and SIGHUP are such wishes from now on, unless they are ignored from outside (nohup,
 * a job in the background of a script). SIGPIPE is ignored: a closed pipe is an error of write. */
void stop_catch(void);
/* ERR_SYSTEM once a signal has come. */
int stop_check(struct err *err);

#endif
