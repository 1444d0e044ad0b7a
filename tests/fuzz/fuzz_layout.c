/* The bytes as a description of tables. Whatever they are, the parser must end with a layout or with
 * file:line, and a layout with a table made from a few records. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/layout/layout_eval.h"
#include "schema/archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char records[] =
    "schema,kind,run,machine,time,kernel,revision,test,variant,threads,x,x_unit,params,metric,rep,"
    "value,unit,iterations,elapsed_ns,status,text\n"
    "1,fact,r,m,2026,,,,,,,,,memory.total,,4096,B,,,ok,\n"
    "1,fact,r,m,2026,,,,,,,,,system.os,,,,,,ok,an os\n"
    "1,sample,r,m,2026,k,1,a,v,1,1024,B,p=1,rate,1,10,B/s,1,,ok,\n"
    "1,sample,r,m,2026,k,1,a,v,2,2048,B,p=1,rate,1,20,B/s,2,,ok,\n"
    "1,sample,r,m,2026,k,1,b,w,1,1024,B,p=2,rate,1,5,B/s,3,,ok,\n"
    "1,sample,s,n,2026,k,1,b,v,1,,,,time,1,0.5,s,,,ok,\n"
    "1,sample,s,n,2026,k,1,c,v,1,,,,time,1,,,,,unavailable,N/A\n";

static void require(bool is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "fuzz_layout: %s\n", what);
    abort();
}

static const struct selection *selection_get(void)
{
    static struct archive *archive;
    static struct selection selection;
    struct err err;
    if (archive)
        return &selection;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    char path[64];
    require(write(fd, records, sizeof records - 1) == (ssize_t)sizeof records - 1, "no memory file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    require(archive_new(&archive, &err) == 0 && archive_add(archive, path, &err) == 0 &&
                archive_seal(archive, NULL, &err) == 0 &&
                selection_make(&selection, archive, true, &err) == 0,
            err.text);
    close(fd);
    return &selection;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct layout layout;
    struct err err;
    struct buffer out = {0};
    size_t n_figures;
    char *text = malloc(size + 1);
    require(text != NULL, "no memory");
    if (size > 0)
        memcpy(text, bytes, size);
    text[size] = '\0';
    int result = layout_parse(&layout, text, "fuzz", &err);
    if (result < 0) {
        require(err.code == ERR_DATA, "an error that is not about the data");
        require(strncmp(err.text, "fuzz:", 5) == 0 && err.text[5] >= '1' && err.text[5] <= '9',
                "a message does not begin with file:line");
    } else {
        require(layout.n_tables > 0, "a layout without a table");
        require(layout_print(&layout, selection_get(), &out, &n_figures, &err) == 0, err.text);
    }
    layout_free(&layout);
    buffer_free(&out);
    free(text);
    return 0;
}
