/* The bytes as a file of every format. Whatever they are, an importer ends with records that a reader
 * takes, each of an identity of its own, or with file:line. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "normalize/import.h"
#include "normalize/import/importing.h"
#include "schema/archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool is_true, const char *importer, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "fuzz_import: %s: %s\n", importer, what);
    abort();
}

static int add_bytes(void *context, const void *bytes, size_t size, struct err *err)
{
    struct buffer *out = context;
    buffer_add(out, bytes, size);
    return out->failed ? err_set(err, ERR_SYSTEM, "out of memory") : 0;
}

static void open_memory(const void *bytes, size_t size, char path[static 64], int *fd)
{
    *fd = memfd_create("fuzz", MFD_CLOEXEC);
    require(*fd >= 0 && write(*fd, bytes, size) == (ssize_t)size, "file", "cannot be written");
    snprintf(path, 64, "/proc/self/fd/%d", *fd);
}

static void check_records(const char *importer, const struct buffer *records)
{
    char path[64];
    int fd;
    struct err err;
    struct archive *archive;
    open_memory(records->bytes, records->size, path, &fd);
    require(archive_new(&archive, &err) == 0, importer, err.text);
    require(archive_add(archive, path, &err) == 0, importer, err.text);
    require(archive_seal(archive, NULL, &err) == 0, importer, err.text);
    require(archive_tally(archive).n_duplicates == 0, importer, "a record is there twice");
    archive_free(archive);
    close(fd);
}

static void import_as(const struct importer *importer, const char *path)
{
    struct err err = {0};
    struct buffer out = {0};
    struct writer writer;
    struct import import;
    writer_init(&writer, add_bytes, &out);
    require(writer_header(&writer, &err) == 0, "writer", err.text);
    int result = import_open(&import, path, &err);
    import.importer = importer;
    import.writer = &writer;
    import.machine = "machine";
    import.time = "2020";
    if (result == 0) {
        importer->recognises(&import);
        result = importer->read(&import, &err);
    }
    if (result < 0) {
        require(err.code == ERR_DATA, importer->name, err.text);
        require(strncmp(err.text, path, strlen(path)) == 0, importer->name,
                "a message does not begin with the file");
    } else if (import.tally.n_runs > 0) {
        require(writer_end(&writer, &err) == 0, importer->name, err.text);
        check_records(importer->name, &out);
    }
    import_close(&import);
    writer_free(&writer);
    buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[64];
    int fd;
    open_memory(bytes, size, path, &fd);
    for (size_t i = 0; importers[i]; i++)
        import_as(importers[i], path);
    close(fd);
    return 0;
}
