#include "schema/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "schema/text.h"

static const int64_t FIRST_NS = 1000000000;   /* shorter jobs need no line */
static const int64_t BETWEEN_NS = 200000000; /* a person reads no faster */

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void progress_start(struct progress *progress, uint64_t total)
{
    *progress = (struct progress){.total = total, .is_shown = isatty(STDERR_FILENO) == 1};
    if (progress->is_shown)
        progress->start_ns = now_ns();
}

/* Appends what fits into the rest of out. */
static void append(char out[static PROGRESS_TEXT_SIZE], const char *text)
{
    size_t used = strlen(out);
    snprintf(out + used, PROGRESS_TEXT_SIZE - used, "%s", text);
}

static void append_time(char out[static PROGRESS_TEXT_SIZE], double seconds)
{
    char text[64];
    /* A job of years is no use to anybody; the limit keeps the cast in range. */
    uint64_t s = seconds > 1e9 ? 1000000000 : (uint64_t)(seconds + 0.5);
    if (s >= 3600)
        snprintf(text, sizeof text, ", %" PRIu64 ":%02" PRIu64 ":%02" PRIu64 " left", s / 3600,
                 s / 60 % 60, s % 60);
    else
        snprintf(text, sizeof text, ", %" PRIu64 ":%02" PRIu64 " left", s / 60, s % 60);
    append(out, text);
}

void progress_format(char out[static PROGRESS_TEXT_SIZE], uint64_t done, uint64_t total,
                     int64_t elapsed_ns, const char *what, size_t columns)
{
    if (total > 0) {
        double share = (double)done / (double)total;
        snprintf(out, PROGRESS_TEXT_SIZE, "%" PRIu64 " of %" PRIu64 " (%d %%)", done, total,
                 (int)(100 * (share < 1 ? share : 1)));
        if (done > 0 && done < total)
            append_time(out, (double)elapsed_ns / 1e9 * (1 - share) / share);
    } else {
        snprintf(out, PROGRESS_TEXT_SIZE, "%" PRIu64, done);
    }
    if (what[0]) {
        append(out, ": ");
        append(out, what);
    }
    if (columns < PROGRESS_TEXT_SIZE)
        out[columns] = '\0';
    for (char *p = out; *p; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    }
    out[text_utf8_prefix(out, strlen(out))] = '\0';
}

void progress_step(struct progress *progress, uint64_t done, const char *what)
{
    progress->done = done;
    if (!progress->is_shown)
        return;
    int64_t now = now_ns();
    if (now - progress->start_ns < FIRST_NS ||
        (progress->drawn_ns && now - progress->drawn_ns < BETWEEN_NS))
        return;
    struct winsize window;
    size_t columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1
                         ? window.ws_col - 1U
                         : 79;
    char text[PROGRESS_TEXT_SIZE];
    progress_format(text, done, progress->total, now - progress->start_ns, what, columns);
    fprintf(stderr, "\r\033[K%s", text);
    fflush(stderr);
    progress->drawn_ns = now;
}

void progress_end(struct progress *progress)
{
    if (progress->drawn_ns) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    progress->drawn_ns = 0;
}
