#include "kernels/image_bmp.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INFO_BYTES = 40 };

struct image image_shape(size_t width, size_t height, unsigned pixel_bytes)
{
    return (struct image){.width = width,
                          .height = height,
                          .stride = (width * pixel_bytes + 3) / 4 * 4,
                          .pixel_bytes = pixel_bytes};
}

static void put(unsigned char *at, uint32_t value, unsigned n_bytes)
{
    for (unsigned i = 0; i < n_bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static uint32_t get(const unsigned char *at, unsigned n_bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < n_bytes; i++)
        value |= (uint32_t)at[i] << 8 * i;
    return value;
}

bool bmp_header(const struct image *image, unsigned char out[static BMP_HEADER_BYTES])
{
    static const uint32_t per_metre = 2835; /* 72 per inch */
    if (image->width > INT32_MAX || image->height > INT32_MAX ||
        image_bytes(image) > UINT32_MAX - BMP_HEADER_BYTES)
        return false;
    memset(out, 0, BMP_HEADER_BYTES);
    memcpy(out, "BM", 2);
    put(out + 2, (uint32_t)image_bytes(image) + BMP_HEADER_BYTES, 4);
    put(out + 10, BMP_HEADER_BYTES, 4);
    put(out + 14, INFO_BYTES, 4);
    put(out + 18, (uint32_t)image->width, 4);
    put(out + 22, (uint32_t)image->height, 4);
    put(out + 26, 1, 2); /* plane */
    put(out + 28, image->pixel_bytes * 8, 2);
    put(out + 34, (uint32_t)image_bytes(image), 4);
    put(out + 38, per_metre, 4);
    put(out + 42, per_metre, 4);
    return true;
}

bool bmp_parse(const unsigned char header[static BMP_HEADER_BYTES], uint64_t file_bytes,
               struct image *image)
{
    uint32_t width = get(header + 18, 4), height = get(header + 22, 4);
    uint32_t bits = get(header + 28, 2);
    if (memcmp(header, "BM", 2) != 0 || get(header + 10, 4) != BMP_HEADER_BYTES ||
        get(header + 14, 4) != INFO_BYTES || get(header + 26, 2) != 1 || get(header + 30, 4) != 0 ||
        (bits != 24 && bits != 32) || width == 0 || width > UINT16_MAX || height == 0 ||
        height > UINT16_MAX)
        return false;
    uint64_t stride = ((uint64_t)width * bits / 8 + 3) / 4 * 4;
    if (stride * height + BMP_HEADER_BYTES != file_bytes || get(header + 2, 4) != file_bytes)
        return false;
    *image = image_shape(width, height, bits / 8);
    return true;
}

static enum kernel_outcome trouble(struct kernel_job *job, const char *what)
{
    return kernel_reason(job, errno == ENOSPC || errno == EROFS ? KERNEL_UNAVAILABLE : KERNEL_FAILED,
                         "%s of the image: %s", what, strerror(errno));
}

static bool write_all(int fd, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

/* False at an error, errno says which, and at an end that comes too early: EIO. */
static bool read_all(int fd, unsigned char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = read(fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = EIO;
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

enum kernel_outcome bmp_write(struct kernel_job *job, const struct image *image, const char *path,
                              bool is_synced)
{
    unsigned char header[BMP_HEADER_BYTES];
    if (!bmp_header(image, header))
        return kernel_reason(job, KERNEL_UNAVAILABLE, "no bitmap has more than 4 GiB");
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return trouble(job, "opening the file");
    enum kernel_outcome outcome = KERNEL_OK;
    if (!write_all(fd, header, sizeof header) || !write_all(fd, image->bytes, image_bytes(image)))
        outcome = trouble(job, "writing");
    if (outcome == KERNEL_OK && is_synced && fsync(fd) < 0)
        outcome = trouble(job, "fsync");
    if (close(fd) < 0 && outcome == KERNEL_OK)
        outcome = trouble(job, "closing the file");
    return outcome;
}

enum kernel_outcome bmp_read(struct kernel_job *job, const struct image *image, const char *path)
{
    unsigned char header[BMP_HEADER_BYTES];
    struct image found;
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return trouble(job, "opening the file");
    enum kernel_outcome outcome = KERNEL_OK;
    if (fstat(fd, &st) < 0 || !read_all(fd, header, sizeof header))
        outcome = trouble(job, "reading");
    else if (!bmp_parse(header, (uint64_t)st.st_size, &found) || found.width != image->width ||
             found.height != image->height || found.pixel_bytes != image->pixel_bytes)
        outcome = kernel_reason(job, KERNEL_WRONG, "the header of the file is not that of the image");
    else if (!read_all(fd, image->bytes, image_bytes(image)))
        outcome = trouble(job, "reading");
    close(fd);
    return outcome;
}

void bmp_format(const struct image *image, uint32_t *out)
{
    for (size_t row = image->height; row-- > 0;) {
        const unsigned char *p = image->bytes + row * image->stride;
        for (size_t i = 0; i < image->width; i++, p += image->pixel_bytes)
            *out++ = 0xff000000u | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
    }
}
