#include "report/page/about.h"

#include <stddef.h>
#include <string.h>

/* Records carry names only; the kernels themselves belong to collect, and a page must be able to
 * show records of kernels that are gone. */
static const struct {
    const char *name;
    const char *text;
} abouts[] = {
    {"bus_speed", "How fast data is read from caches and memory: all of an array, or one word in 2, 4, "
                  "8, 16 or 32. Large steps show what a whole burst or cache line costs."},
    {"rand_mem", "Reading and writing an array through indices, in order and at random."},
    {"mem_speed", "Arithmetic on whole arrays (dot product, triad, add, copy) against their size."},
    {"int_burn", "Integer patterns written to memory, read back and compared word by word."},
    {"multi_task", "Several processes that use the same memory system at the same time."},
    {"mem_latency", "The time of one dependent load, against the size of the memory that is visited."},
    {"mem_move", "Moving blocks of memory, with and without overlap."},
    {"paging", "An array is written and read once, at sizes up to and beyond the memory of the machine. "
               "Where it no longer fits, the system moves pages to disk and back and the rate falls, "
               "often below that of plain reading and writing of a file."},
    {"cpu_ops", "Latency and throughput of single instructions."},
    {"asm_loops", "Small loops that load and store floating-point numbers in different ways."},
    {"cpu_mp", "Integer and floating-point work alone, together, and beside work of low priority."},
    {"whetstone", "Eight loops of floating-point and integer work in fixed proportions. MWIPS, millions "
                  "of Whetstone instructions per second, sums them up."},
    {"linpack", "Solving 100 linear equations by Gaussian elimination."},
    {"livermore", "Twenty-four loops taken from programs of physics, each at three lengths."},
    {"fft", "The fast Fourier transform, against the number of points."},
    {"mflops", "Additions and multiplications per word loaded: 2, 8 and 32, against the array size."},
    {"dhrystone", "Integer and string work in the proportions of system programs of the 1980s."},
    {"classic", "Small programs that have been timed for decades."},
    {"disk_block", "Writing and reading a file in blocks of one size, against that size; buffered by "
                   "the system, or directly between program and device."},
    {"disk_random", "The time of single reads and writes at random places of a file."},
    {"disk_files", "Large and small files: writing, reading, deleting, copying a tree of folders."},
    {"disk_raw", "Reading a device without a file system, against the block size."},
    {"os_latency", "What the operating system takes for a call, a page fault, a switch, a process."},
    {"crypto", "Digests, ciphers and signatures in portable C, against the block size."},
    {"openssl_speed", "The algorithms of the installed OpenSSL, against the block size."},
    {"compress", "Compressing and decompressing a generated archive."},
    {"database", "Building a data dictionary in a database."},
    {"code_size", "How large the same program is in each build."},
    {"image", "Enlarging, saving, loading, scrolling and rotating images of growing size."},
    {"graphics", "Frames per second of drawn scenes."},
    {"control", "The harness itself: nothing, a fixed amount of work, and a kernel that lies and must "
                "be caught."},
};

const char *about_kernel(const char *name)
{
    for (size_t i = 0; i < sizeof abouts / sizeof abouts[0]; i++)
        if (strcmp(abouts[i].name, name) == 0)
            return abouts[i].text;
    return "";
}
