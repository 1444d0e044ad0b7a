#include "collect/stop.h"

#include <stddef.h>

volatile sig_atomic_t stop_signal;

static void on_signal(int number)
{
    stop_signal = number;
}

void stop_catch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal}, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int stop_check(struct err *err)
{
    if (stop_signal == 0)
        return 0;
    return err_set(err, ERR_SYSTEM, "interrupted by signal %d", (int)stop_signal);
}
