/* The sizes of a program as `size` has them, in Berkeley's format: text is what is loaded and not
 * written to, data what is written to, bss what has no bytes in the file. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/program.h"

enum { TEXT, DATA, BSS, TOTAL, PARTS };

struct code_size {
    const unsigned char *file; /* mapped */
    size_t file_bytes;
    uint64_t sizes[PARTS];
    uint64_t segments; /* bytes in memory of all that is loaded, by the other table of the file */
    uint64_t n_segments;
};

/* What both tables of an ELF file have, of either class. */
struct part {
    uint64_t type, flags, memory_bytes;
};

static bool has_range(const struct code_size *code, uint64_t at, uint64_t bytes)
{
    return at <= code->file_bytes && bytes <= code->file_bytes - at;
}

#define READ_SECTION(Header) \
    do { \
        Header h; \
        memcpy(&h, code->file + at, sizeof h); \
        *part = (struct part){h.sh_type, h.sh_flags, h.sh_size}; \
    } while (0)
#define READ_SEGMENT(Header) \
    do { \
        Header h; \
        memcpy(&h, code->file + at, sizeof h); \
        *part = (struct part){h.p_type, h.p_flags, h.p_memsz}; \
    } while (0)

static void section_read(const struct code_size *code, bool is_64, uint64_t at, struct part *part)
{
    if (is_64)
        READ_SECTION(Elf64_Shdr);
    else
        READ_SECTION(Elf32_Shdr);
}

static void segment_read(const struct code_size *code, bool is_64, uint64_t at, struct part *part)
{
    if (is_64)
        READ_SEGMENT(Elf64_Phdr);
    else
        READ_SEGMENT(Elf32_Phdr);
}

static void section_add(struct code_size *code, const struct part *section)
{
    if (!(section->flags & SHF_ALLOC))
        return;
    if (section->type == SHT_NOBITS)
        code->sizes[BSS] += section->memory_bytes;
    else if (section->flags & SHF_WRITE)
        code->sizes[DATA] += section->memory_bytes;
    else
        code->sizes[TEXT] += section->memory_bytes;
}

/* Where the tables are; false when the file is none that is known. */
struct tables {
    bool is_64;
    uint64_t sections, n_sections, section_bytes, segments, n_segments, segment_bytes;
};

static bool tables_read(const struct code_size *code, struct tables *tables)
{
    static const uint16_t one = 1;
    unsigned char is_little = *(const unsigned char *)&one;
    const unsigned char *id = code->file;
    if (code->file_bytes < sizeof(Elf64_Ehdr) || memcmp(id, ELFMAG, SELFMAG) != 0 ||
        id[EI_DATA] != (is_little ? ELFDATA2LSB : ELFDATA2MSB))
        return false;
    tables->is_64 = id[EI_CLASS] == ELFCLASS64;
    if (tables->is_64) {
        Elf64_Ehdr h;
        memcpy(&h, id, sizeof h);
        *tables = (struct tables){true,      h.e_shoff, h.e_shnum,    h.e_shentsize,
                                  h.e_phoff, h.e_phnum, h.e_phentsize};
        return h.e_shentsize >= sizeof(Elf64_Shdr) && h.e_phentsize >= sizeof(Elf64_Phdr);
    }
    Elf32_Ehdr h;
    memcpy(&h, id, sizeof h);
    *tables = (struct tables){false,     h.e_shoff, h.e_shnum,    h.e_shentsize,
                              h.e_phoff, h.e_phnum, h.e_phentsize};
    return h.e_shentsize >= sizeof(Elf32_Shdr) && h.e_phentsize >= sizeof(Elf32_Phdr);
}

static enum kernel_outcome sizes_read(struct kernel_job *job, struct code_size *code)
{
    struct tables tables;
    memset(code->sizes, 0, sizeof code->sizes);
    code->segments = code->n_segments = 0;
    if (!tables_read(code, &tables))
        return kernel_reason(job, KERNEL_UNAVAILABLE, "it is no ELF file of this byte order");
    if (tables.n_sections == 0)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "its table of sections was taken out");
    if (!has_range(code, tables.sections, tables.n_sections * tables.section_bytes) ||
        !has_range(code, tables.segments, tables.n_segments * tables.segment_bytes))
        return kernel_reason(job, KERNEL_FAILED, "its tables are cut off");
    struct part part;
    for (uint64_t i = 0; i < tables.n_sections; i++) {
        section_read(code, tables.is_64, tables.sections + i * tables.section_bytes, &part);
        section_add(code, &part);
    }
    for (uint64_t i = 0; i < tables.n_segments; i++) {
        segment_read(code, tables.is_64, tables.segments + i * tables.segment_bytes, &part);
        if (part.type != PT_LOAD && part.type != PT_TLS)
            continue;
        code->segments += part.memory_bytes;
        code->n_segments++;
    }
    code->sizes[TOTAL] = code->sizes[TEXT] + code->sizes[DATA] + code->sizes[BSS];
    return KERNEL_OK;
}

static enum kernel_outcome needs(struct kernel_job *job)
{
    const char *name = kernel_setting(job, "program");
    return strcmp(name, "collect") == 0 ? KERNEL_OK : program_needs(job, name);
}

static enum kernel_outcome setup(struct kernel_job *job)
{
    struct code_size *code = calloc(1, sizeof *code);
    if (!code)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = code;
    const char *name = kernel_setting(job, "program");
    char path[4096] = "/proc/self/exe";
    if (strcmp(name, "collect") != 0 && !program_find(name, path, sizeof path))
        return kernel_reason(job, KERNEL_UNAVAILABLE, "%s is not installed", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *file = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0)
        file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    int error = errno;
    if (fd >= 0)
        close(fd);
    if (file == MAP_FAILED)
        return kernel_reason(job, KERNEL_FAILED, "%s: %s", name, strerror(error));
    code->file = file;
    code->file_bytes = (size_t)status.st_size;
    return KERNEL_OK;
}

static enum kernel_outcome run(struct kernel_job *job, uint64_t iterations)
{
    struct code_size *code = job->state;
    enum kernel_outcome outcome = KERNEL_OK;
    for (uint64_t i = 0; i < iterations && outcome == KERNEL_OK; i++)
        outcome = sizes_read(job, code);
    if (outcome == KERNEL_OK)
        kernel_report(job, "size", (double)code->sizes[job->test->code]);
    return outcome;
}

/* The segments, which the loader reads, hold the sections, and headers and gaps beside them. Data of
 * threads are in two of them. */
static enum kernel_outcome check(struct kernel_job *job)
{
    enum { GAP = 65536 };
    const struct code_size *code = job->state;
    uint64_t total = code->sizes[TOTAL];
    if (total == 0 || total > code->segments || code->segments > 2 * total + code->n_segments * GAP)
        return kernel_reason(job, KERNEL_WRONG,
                             "sections of %llu bytes do not make segments of %llu",
                             (unsigned long long)total, (unsigned long long)code->segments);
    return KERNEL_OK;
}

static void teardown(struct kernel_job *job)
{
    struct code_size *code = job->state;
    union {
        const unsigned char *in;
        void *out;
    } file = {code ? code->file : NULL};
    if (file.out)
        munmap(file.out, code->file_bytes);
    free(code);
    job->state = NULL;
}

static void work(const struct kernel_job *job, struct kernel_work *work)
{
    (void)job;
    work->steps = 1;
}

static const struct kernel_metric metrics[] = {{"size", QUANTITY_BYTES}, {0}};
static const struct kernel_setting program = {
    .key = "program",
    .help = "collect, which is the running one, or the name of an installed one",
    .type = SETTING_WORD,
    .values = {"collect", "collect,gzip,bzip2,openssl", "collect,gzip,bzip2,openssl"}};
static const struct kernel_setting *const settings[] = {&program, NULL};

#define PART(NAME, SUMMARY, CODE) \
    {.name = NAME, .summary = SUMMARY, .from = SUITE_QUICK, .metrics = metrics, \
     .settings = settings, .code = CODE, .run = run}

static const struct kernel_test tests[] = {
    PART("text", "code, and data that are not written to", TEXT),
    PART("data", "data with a value at the start", DATA),
    PART("bss", "data that start as 0", BSS),
    PART("total", "all three", TOTAL),
    {0}};

const struct kernel kernel_code_size = {
    .name = "code_size",
    .summary = "Sizes of this program and of installed ones, from the sections of the file",
    .source = "Daniel, sizes of programs for 32 and 64 bits (opensolaris-discuss)",
    .revision = 1,
    .flags = KERNEL_ONE_THREAD | KERNEL_ONE_PASS,
    .tests = tests,
    .work = work,
    .needs = needs,
    .setup = setup,
    .check = check,
    .teardown = teardown,
};
