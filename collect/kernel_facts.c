#include "collect/kernel_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/clock.h"
#include "schema/buffer.h"

static const uint64_t patience_ns = UINT64_C(10000000000);

/* In the child: a fact goes through the pipe as three texts, each with its NUL. */
static void tell(void *context, const char *name, const char *text, const char *why)
{
    struct buffer *out = context;
    const char *const parts[] = {name, text ? text : "", text ? "" : why};
    for (size_t i = 0; i < 3; i++)
        buffer_add(out, parts[i], strlen(parts[i]) + 1);
}

_Noreturn static void child_main(const struct kernel *kernel, int fd, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    int null = open("/dev/null", O_RDWR); /* drivers write where they like */
    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    struct buffer out = {0};
    kernel->facts(tell, &out);
    for (size_t done = 0; done < out.size && !out.failed;) {
        ssize_t n = write(fd, out.bytes + done, out.size - done);
        if (n < 0 && errno != EINTR)
            _exit(1);
        done += n > 0 ? (size_t)n : 0;
    }
    _exit(out.failed);
}

/* Until the child closes the pipe; false: it does not in time. */
static bool answer_read(int fd, struct buffer *answer)
{
    uint64_t end = clock_now_ns() + patience_ns;
    for (;;) {
        char bytes[1024];
        uint64_t now = clock_now_ns();
        struct pollfd waiting = {.fd = fd, .events = POLLIN};
        int n_ready = now < end ? poll(&waiting, 1, (int)((end - now) / 1000000 + 1)) : 0;
        if (n_ready < 0 && errno == EINTR)
            continue;
        if (n_ready <= 0)
            return false;
        ssize_t n = read(fd, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0;
        buffer_add(answer, bytes, (size_t)n);
    }
}

static void answer_add(const struct buffer *answer, const char *kernel, struct facts *facts)
{
    const char *at = answer->bytes, *end = at + answer->size;
    while (at < end) {
        const char *name = at, *text = name + strlen(name) + 1, *why = text + strlen(text) + 1;
        char full[80], source[64];
        snprintf(full, sizeof full, "%s.%s", kernel, name);
        snprintf(source, sizeof source, "kernel %s", kernel);
        if (why[0])
            facts_add_unknown(facts, full, source, "%s", why);
        else
            facts_add_text(facts, full, text, source);
        at = why + strlen(why) + 1;
    }
}

static int kernel_ask(const struct kernel *kernel, struct facts *facts, struct err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_system(err, "pipe");
    pid_t parent = getpid(), child = fork();
    if (child == 0)
        child_main(kernel, ends[1], parent);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return err_system(err, "fork");
    }
    struct buffer answer = {0};
    bool is_in_time = answer_read(ends[0], &answer);
    close(ends[0]);
    if (!is_in_time)
        kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    char name[80];
    snprintf(name, sizeof name, "%s.facts", kernel->name);
    if (!is_in_time)
        facts_add_unknown(facts, name, "kernel", "absent: no answer within 10 s");
    else if (WIFSIGNALED(status))
        facts_add_unknown(facts, name, "kernel", "absent: the process that asked died of signal %d",
                          WTERMSIG(status));
    else if (status != 0 || answer.failed)
        facts_add_unknown(facts, name, "kernel", "absent: the process that asked failed");
    else
        answer_add(&answer, kernel->name, facts);
    buffer_free(&answer);
    return 0;
}

int kernel_facts_add(const struct plan *plan, struct facts *facts, struct err *err)
{
    facts->class = FACT_IDENTITY;
    const struct kernel *last = NULL; /* the cells of a kernel follow one another */
    for (size_t i = 0; i < plan->n_cells; i++) {
        const struct kernel *kernel = plan->cells[i].kernel;
        if (kernel->facts && kernel != last)
            TRY(kernel_ask(kernel, facts, err));
        last = kernel;
    }
    return 0;
}
