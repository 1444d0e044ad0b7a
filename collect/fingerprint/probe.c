#include "collect/fingerprint/probe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/fingerprint/below.h"
#include "schema/number.h"

enum { PROBE_PATH_MAX = 4096, PROBE_FILE_MAX = 16 << 20, PROBE_CHUNK = 16384, PROBE_NAMES_MAX = 4096 };

bool probe_is_live(const struct probe_root *root)
{
    return root->path[0] == '\0';
}

static int read_all(int fd, struct buffer *out)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return errno;
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    if (!S_ISREG(st.st_mode))
        return ENXIO;
    for (;;) {
        char *to = buffer_reserve(out, PROBE_CHUNK);
        if (!to)
            return ENOMEM;
        ssize_t n = read(fd, to, PROBE_CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        to[n] = '\0';
        if (n == 0)
            return 0;
        out->size += (size_t)n;
        if (out->size > PROBE_FILE_MAX)
            return EFBIG;
    }
}

static int read_path(const struct probe_root *root, struct buffer *out, const char *path)
{
    buffer_clear(out);
    int fd = below_open(root->path, path, O_RDONLY | O_NONBLOCK);
    if (fd < 0)
        return errno;
    int error = read_all(fd, out);
    close(fd);
    if (error != 0)
        buffer_clear(out);
    while (out->size > 0 && strchr(" \t\r\n", out->bytes[out->size - 1]) &&
           out->bytes[out->size - 1] != '\0')
        out->bytes[--out->size] = '\0';
    return error;
}

/* The path of a format in `out`; false when it is too long. */
static bool path_format(char out[static PROBE_PATH_MAX], const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
static bool path_format(char out[static PROBE_PATH_MAX], const char *format, va_list args)
{
    int size = vsnprintf(out, PROBE_PATH_MAX, format, args);
    return size >= 0 && size < PROBE_PATH_MAX;
}

int probe_read(const struct probe_root *root, struct buffer *out, const char *path, ...)
{
    char full[PROBE_PATH_MAX];
    va_list args;
    va_start(args, path);
    bool fits = path_format(full, path, args);
    va_end(args);
    buffer_clear(out);
    return fits ? read_path(root, out, full) : ENAMETOOLONG;
}

bool probe_exists(const struct probe_root *root, const char *path, ...)
{
    char full[PROBE_PATH_MAX];
    va_list args;
    va_start(args, path);
    bool fits = path_format(full, path, args);
    va_end(args);
    int fd = fits ? below_open(root->path, full, O_PATH) : -1;
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_names(DIR *folder, struct buffer *out)
{
    char **names = calloc(PROBE_NAMES_MAX, sizeof *names);
    if (!names)
        return ENOMEM;
    size_t n = 0;
    int error = 0;
    for (struct dirent *entry; error == 0 && n < PROBE_NAMES_MAX && (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        names[n] = strdup(entry->d_name);
        if (names[n])
            n++;
        else
            error = ENOMEM;
    }
    qsort(names, n, sizeof *names, compare_names);
    for (size_t i = 0; i < n; i++) {
        buffer_add_text(out, names[i]);
        buffer_add_char(out, '\n');
        free(names[i]);
    }
    free(names);
    return error;
}

int probe_list(const struct probe_root *root, struct buffer *out, const char *path, ...)
{
    char full[PROBE_PATH_MAX];
    va_list args;
    va_start(args, path);
    bool fits = path_format(full, path, args);
    va_end(args);
    buffer_clear(out);
    if (!fits)
        return ENAMETOOLONG;
    int fd = below_open(root->path, full, O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        return errno;
    DIR *folder = fdopendir(fd);
    if (!folder) {
        int error = errno;
        close(fd);
        return error;
    }
    int error = list_names(folder, out);
    closedir(folder);
    return error;
}

const char *probe_reason(int error)
{
    switch (error) {
    case EACCES:
    case EPERM:
        return "denied";
    case EFBIG:
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP:
        return "unparsable";
    default: /* a file that is not there, or a driver that has no answer */
        return "absent";
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The value of one line, [size] bytes, when its key is this; NULL else. */
static const char *value_in_line(const char *line, size_t size, const char *key, size_t key_size)
{
    if (size < key_size || memcmp(line, key, key_size) != 0)
        return NULL;
    const char *end = line + size;
    const char *colon = memchr(line, ':', size);
    const char *p = line + key_size;
    if (!colon)
        return p < end && is_blank(*p) ? p : NULL;
    while (p < end && is_blank(*p))
        p++;
    return p == colon ? p + 1 : NULL;
}

bool probe_line_value(const char *text, const char *key, struct buffer *out)
{
    buffer_clear(out);
    size_t key_size = strlen(key);
    while (*text) {
        size_t size = strcspn(text, "\n");
        const char *value = value_in_line(text, size, key, key_size);
        if (value) {
            const char *end = text + size;
            while (value < end && is_blank(*value))
                value++;
            while (end > value && is_blank(end[-1]))
                end--;
            buffer_add(out, value, (size_t)(end - value));
            return true;
        }
        text += size + (text[size] == '\n');
    }
    return false;
}

bool probe_count(const char *text, uint64_t *out)
{
    return number_parse_count(text, strspn(text, "0123456789"), out);
}

bool probe_thousandths(const char *text, uint64_t *out)
{
    uint64_t value;
    if (!probe_count(text, &value) || value > UINT64_MAX / 1000 - 1)
        return false;
    value *= 1000;
    text += strspn(text, "0123456789");
    if (*text == '.')
        text++;
    for (uint64_t digit = 100; digit > 0 && *text >= '0' && *text <= '9'; digit /= 10)
        value += (uint64_t)(*text++ - '0') * digit;
    *out = value;
    return true;
}

size_t probe_cpu_list(const char *text, unsigned out[static PROBE_CPUS_MAX])
{
    size_t n = 0;
    while (*text >= '0' && *text <= '9') {
        uint64_t first, last;
        if (!probe_count(text, &first))
            return 0;
        text += strspn(text, "0123456789");
        last = first;
        if (*text == '-') {
            text++;
            if (!probe_count(text, &last))
                return 0;
            text += strspn(text, "0123456789");
        }
        if (last < first || last >= PROBE_CPUS_MAX || (n > 0 && first <= out[n - 1]))
            return 0;
        for (uint64_t cpu = first; cpu <= last; cpu++)
            out[n++] = (unsigned)cpu;
        if (*text == ',')
            text++;
    }
    return *text == '\0' || *text == '\n' ? n : 0;
}

void probe_add_cpu_list(const unsigned *cpus, size_t n, struct buffer *out)
{
    for (size_t i = 0; i < n; i++) {
        unsigned first = cpus[i];
        while (i + 1 < n && cpus[i + 1] == cpus[i] + 1)
            i++;
        buffer_add_format(out, "%s%u", out->size > 0 ? "," : "", first);
        if (cpus[i] > first)
            buffer_add_format(out, "-%u", cpus[i]);
    }
}

size_t probe_cpus_online(const struct probe_root *root, unsigned out[static PROBE_CPUS_MAX])
{
    struct buffer text = {0};
    size_t n = probe_read(root, &text, PROBE_CPUS "/online") == 0
                   ? probe_cpu_list(buffer_text(&text), out)
                   : 0;
    buffer_free(&text);
    return n;
}

void probe_bracketed(const char *text, struct buffer *out)
{
    buffer_clear(out);
    const char *open = strchr(text, '[');
    const char *close = open ? strchr(open, ']') : NULL;
    if (close)
        buffer_add(out, open + 1, (size_t)(close - open - 1));
    else
        buffer_add(out, text, strcspn(text, "\n"));
}

void probe_word(const char *text, char out[static PROBE_WORD_SIZE])
{
    size_t n = 0;
    for (; *text && *text != '\n' && n < PROBE_WORD_SIZE - 1; text++) {
        char c = *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        out[n++] = is_plain ? c : '_';
    }
    out[n] = '\0';
}

bool probe_is_placeholder(const char *text)
{
    /* As seen in published DMI tables. */
    static const char *const placeholders[] = {
        "to be filled by o.e.m.", "to be filled by oem", "default string", "system product name",
        "system manufacturer",    "system version",      "not specified",  "not applicable",
        "none",                   "unknown",             "n/a",            "o.e.m.",
        "oem",                    "0123456789",          "123456789",      "invalid",
        "empty",                  "undefined",           "type2 - board product name1"};
    while (is_blank(*text) || *text == '\n')
        text++;
    size_t size = strlen(text);
    while (size > 0 && (is_blank(text[size - 1]) || text[size - 1] == '\n'))
        size--;
    for (size_t i = 0; i < sizeof placeholders / sizeof placeholders[0]; i++)
        if (strlen(placeholders[i]) == size && strncasecmp(placeholders[i], text, size) == 0)
            return true;
    /* All of one kind of filler: 000..., fff..., xxx..., ... */
    return size > 1 && strchr("0fFxX.-\xff", text[0]) && strspn(text, (char[]){text[0], 0}) >= size;
}

void probe_add_file(const struct probe_root *root, struct facts *facts, const char *name,
                    const char *path)
{
    struct buffer text = {0};
    int error = probe_read(root, &text, "%s", path);
    if (error != 0)
        facts_add_unknown(facts, name, path, "%s: %s", probe_reason(error), path);
    else
        facts_add_text(facts, name, buffer_text(&text), path);
    buffer_free(&text);
}

void probe_add_file_number(const struct probe_root *root, struct facts *facts, const char *name,
                           double factor, const char *unit, const char *path)
{
    struct buffer text = {0};
    uint64_t value;
    int error = probe_read(root, &text, "%s", path);
    if (error != 0)
        facts_add_unknown(facts, name, path, "%s: %s", probe_reason(error), path);
    else if (!probe_count(buffer_text(&text), &value))
        facts_add_unknown(facts, name, path, "unparsable: '%.60s'", buffer_text(&text));
    else
        facts_add_number(facts, name, (double)value * factor, unit, path);
    buffer_free(&text);
}

void probe_add_file_bracketed(const struct probe_root *root, struct facts *facts, const char *name,
                              const char *path)
{
    struct buffer text = {0}, word = {0};
    int error = probe_read(root, &text, "%s", path);
    probe_bracketed(buffer_text(&text), &word);
    if (error != 0)
        facts_add_unknown(facts, name, path, "%s: %s", probe_reason(error), path);
    else
        facts_add_text(facts, name, buffer_text(&word), path);
    buffer_free(&text);
    buffer_free(&word);
}

void probe_add_checked(struct facts *facts, const char *name, const char *text, const char *source)
{
    if (probe_is_placeholder(text))
        facts_add_unknown(facts, name, source, "placeholder: '%.60s'", text);
    else
        facts_add_text(facts, name, text, source);
}

void probe_add_missing(struct facts *facts, const char *name, const char *source, const char *why)
{
    for (size_t i = 0; i < facts->n; i++)
        if (strcmp(facts->facts[i].name, name) == 0)
            return;
    facts_add_unknown(facts, name, source, "%s", why);
}
