/* Bytes of a file, plain or gzip by its first two bytes, several members in a row included. "-" is
 * standard input. A gzip stream that is cut, damaged, or followed by anything but zero padding or
 * another member is an error, found at the latest by the read that would report the end. */
#ifndef SCHEMA_INPUT_H
#define SCHEMA_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/err.h"

struct input; /* from input_open, ended by input_close */

/* How much a hostile gzip file may swell: RATIO times its size once BYTES plain bytes are out. */
enum { INPUT_SWELL_RATIO = 200, INPUT_SWELL_BYTES = 64 * 1024 * 1024 };

/* Messages of both functions do not name the file. */
int input_open(struct input **out, const char *path, struct err *err);
/* Up to `size` bytes, size > 0; *n = 0 is the end. ERR_DATA for a bad gzip stream. */
int input_read(struct input *input, void *bytes, size_t size, size_t *n, struct err *err);
/* How many bytes of the file were read so far; of gzip, compressed ones. */
uint64_t input_consumed(const struct input *input);
bool input_is_gzip(const struct input *input);
void input_close(struct input *input); /* NULL is fine */

#endif
