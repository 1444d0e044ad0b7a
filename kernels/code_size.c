/* The sizes of programs and objects as `size` has them, in Berkeley's format: text is what is loaded and
 * not written to, data what is written to, bss what has no bytes in the file. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/program.h"

enum { TEXT, DATA, BSS, TOTAL, PARTS };

struct code_size {
    glob_t files;
    bool has_files; /* globfree is due */
    const unsigned char *file; /* the one that is looked at, mapped */
    size_t file_bytes;
    uint64_t sizes[PARTS]; /* of all files */
    /* By another table of the files: bytes in memory of all that is loaded of a program, how many parts
     * they are in; bytes of functions and data that symbols of objects name. */
    uint64_t segments, n_segments, symbols;
};

/* What both tables of an ELF file have, of either class. */
struct part {
    uint64_t type, flags, memory_bytes;
    uint64_t offset; /* in the file, of a section */
};

static bool has_range(const struct code_size *code, uint64_t at, uint64_t bytes)
{
    return at <= code->file_bytes && bytes <= code->file_bytes - at;
}

#define READ_SECTION(Header) \
    do { \
        Header h; \
        memcpy(&h, code->file + at, sizeof h); \
        *part = (struct part){h.sh_type, h.sh_flags, h.sh_size, h.sh_offset}; \
    } while (0)
#define READ_SEGMENT(Header) \
    do { \
        Header h; \
        memcpy(&h, code->file + at, sizeof h); \
        *part = (struct part){h.p_type, h.p_flags, h.p_memsz, 0}; \
    } while (0)

#define ADD_SYMBOL(Symbol) \
    do { \
        Symbol symbol; \
        memcpy(&symbol, code->file + at, sizeof symbol); \
        unsigned type = symbol.st_info & 15; \
        if ((type == STT_FUNC || type == STT_OBJECT || type == STT_TLS) && \
            symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_COMMON) \
            code->symbols += symbol.st_size; \
    } while (0)

/* Where a table of symbols is; false when it is cut off. */
static bool symbols_add(struct code_size *code, bool is_64, const struct part *section)
{
    size_t step = is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    if (!has_range(code, section->offset, section->memory_bytes))
        return false;
    for (uint64_t at = section->offset; at + step <= section->offset + section->memory_bytes; at += step)
        if (is_64)
            ADD_SYMBOL(Elf64_Sym);
        else
            ADD_SYMBOL(Elf32_Sym);
    return true;
}

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
    bool is_64, is_object;
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
        *tables = (struct tables){true,          h.e_type == ET_REL, h.e_shoff, h.e_shnum,
                                  h.e_shentsize, h.e_phoff,          h.e_phnum, h.e_phentsize};
        return h.e_shentsize >= sizeof(Elf64_Shdr) &&
               (h.e_phnum == 0 || h.e_phentsize >= sizeof(Elf64_Phdr));
    }
    Elf32_Ehdr h;
    memcpy(&h, id, sizeof h);
    *tables = (struct tables){false,         h.e_type == ET_REL, h.e_shoff, h.e_shnum,
                              h.e_shentsize, h.e_phoff,          h.e_phnum, h.e_phentsize};
    return h.e_shentsize >= sizeof(Elf32_Shdr) &&
           (h.e_phnum == 0 || h.e_phentsize >= sizeof(Elf32_Phdr));
}

/* Adds what is in the file that is mapped. */
static enum kernel_outcome file_add(struct kernel_job *job, struct code_size *code)
{
    struct tables tables;
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
        if (tables.is_object && part.type == SHT_SYMTAB && !symbols_add(code, tables.is_64, &part))
            return kernel_reason(job, KERNEL_FAILED, "its symbols are cut off");
    }
    for (uint64_t i = 0; i < tables.n_segments; i++) {
        segment_read(code, tables.is_64, tables.segments + i * tables.segment_bytes, &part);
        if (part.type != PT_LOAD && part.type != PT_TLS)
            continue;
        code->segments += part.memory_bytes;
        code->n_segments++;
    }
    return KERNEL_OK;
}

static enum kernel_outcome file_read(struct kernel_job *job, struct code_size *code, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *file = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0)
        file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    int error = errno;
    if (fd >= 0)
        close(fd);
    if (file == MAP_FAILED)
        return kernel_reason(job, KERNEL_FAILED, "%s: %s", kernel_setting(job, "program"),
                             strerror(error));
    code->file = file;
    code->file_bytes = (size_t)status.st_size;
    enum kernel_outcome outcome = file_add(job, code);
    munmap(file, code->file_bytes);
    code->file = NULL;
    return outcome;
}

/* ---- which files ---- */

/* "objects", all of the kernels, or "NAME.o", those of one: as the build left them. */
static bool is_of_objects(const char *name)
{
    size_t size = strlen(name);
    return strcmp(name, "objects") == 0 || (size > 2 && strcmp(name + size - 2, ".o") == 0);
}

/* The objects lie in ../kernels from the program: a kernel's own file and those whose names begin with
 * its name and _. */
static void objects_find(struct code_size *code, const char *name)
{
    char folder[3072], pattern[4096];
    ssize_t size = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[size > 0 ? size : 0] = '\0';
    char *slash = strrchr(folder, '/');
    *(slash ? slash : folder) = '\0';
    bool is_all = strcmp(name, "objects") == 0;
    int stem = (int)strlen(name) - 2;
    snprintf(pattern, sizeof pattern, "%s/../kernels/%.*s.o", folder, is_all ? 1 : stem,
             is_all ? "*" : name);
    glob(pattern, 0, NULL, &code->files);
    code->has_files = true;
    if (is_all)
        return;
    snprintf(pattern, sizeof pattern, "%s/../kernels/%.*s_*.o", folder, stem, name);
    glob(pattern, GLOB_APPEND, NULL, &code->files);
}

static enum kernel_outcome needs(struct kernel_job *job)
{
    const char *name = kernel_setting(job, "program");
    struct code_size code = {0};
    if (strcmp(name, "collect") == 0)
        return KERNEL_OK;
    if (!is_of_objects(name))
        return program_needs(job, name);
    objects_find(&code, name);
    size_t n = code.files.gl_pathc;
    globfree(&code.files);
    return n > 0 ? KERNEL_OK
                 : kernel_reason(job, KERNEL_UNAVAILABLE,
                                 "no objects of the kernels lie beside the program, as in a build");
}

static enum kernel_outcome setup(struct kernel_job *job)
{
    struct code_size *code = calloc(1, sizeof *code);
    if (!code)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = code;
    if (is_of_objects(kernel_setting(job, "program")))
        objects_find(code, kernel_setting(job, "program"));
    return KERNEL_OK;
}

static enum kernel_outcome sizes_read(struct kernel_job *job, struct code_size *code)
{
    const char *name = kernel_setting(job, "program");
    char path[4096] = "/proc/self/exe";
    enum kernel_outcome outcome = KERNEL_OK;
    memset(code->sizes, 0, sizeof code->sizes);
    code->segments = code->n_segments = code->symbols = 0;
    if (!code->has_files && strcmp(name, "collect") != 0 && !program_find(name, path, sizeof path))
        return kernel_reason(job, KERNEL_UNAVAILABLE, "%s is not installed", name);
    if (!code->has_files)
        outcome = file_read(job, code, path);
    for (size_t i = 0; i < code->files.gl_pathc && outcome == KERNEL_OK; i++)
        outcome = file_read(job, code, code->files.gl_pathv[i]);
    code->sizes[TOTAL] = code->sizes[TEXT] + code->sizes[DATA] + code->sizes[BSS];
    return outcome;
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
 * threads are in two of them. Objects have none, but what their symbols name lies in the sections. */
static enum kernel_outcome check(struct kernel_job *job)
{
    enum { GAP = 65536 };
    const struct code_size *code = job->state;
    uint64_t total = code->sizes[TOTAL];
    if (code->has_files)
        return code->symbols > 0 && code->symbols <= total
                   ? KERNEL_OK
                   : kernel_reason(job, KERNEL_WRONG,
                                   "sections of %llu bytes do not hold symbols of %llu",
                                   (unsigned long long)total, (unsigned long long)code->symbols);
    if (total == 0 || total > code->segments || code->segments > 2 * total + code->n_segments * GAP)
        return kernel_reason(job, KERNEL_WRONG,
                             "sections of %llu bytes do not make segments of %llu",
                             (unsigned long long)total, (unsigned long long)code->segments);
    return KERNEL_OK;
}

static void teardown(struct kernel_job *job)
{
    struct code_size *code = job->state;
    if (code && code->has_files)
        globfree(&code->files);
    free(code);
    job->state = NULL;
}

static void work(const struct kernel_job *job, struct kernel_work *work)
{
    (void)job;
    work->steps = 1;
}

static const struct kernel_metric metrics[] = {{"size", QUANTITY_BYTES}, {0}};
/* In the full suite each kernel by itself, as far as it was built; a name for each in the registry. */
static const char *programs(const struct kernel_host *host, enum kernel_suite suite)
{
    static const char standard[] = "collect,objects,gzip,bzip2,openssl";
    static char list[4096]; /* of the full suite */
    (void)host;
    if (suite != SUITE_FULL)
        return suite == SUITE_QUICK ? "collect,objects" : standard;
    int size = snprintf(list, sizeof list, "%s", standard);
    for (const struct kernel *const *kernel = kernel_registry;
         *kernel && size > 0 && (size_t)size < sizeof list; kernel++)
        size += snprintf(list + size, sizeof list - (size_t)size, ",%s.o", (*kernel)->name);
    return list;
}

static const struct kernel_setting program = {
    .key = "program",
    .help = "collect, which is the running one; objects, all that its kernels were compiled to; KERNEL.o, "
            "those of one kernel; or the name of an installed program",
    .type = SETTING_WORD,
    .automatic = programs};
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
    .summary = "Sizes of this program, of its objects and of installed programs, from the sections of the files",
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
