/* A file that is locked as long as this process lives: by it a later run tells what was left behind
 * by a run that was killed. A record lock (fcntl): unlike those of flock, child processes do not
 * inherit it, so that it ends with the process that took it. */
#ifndef COLLECT_LOCK_H
#define COLLECT_LOCK_H

/* Opens the file, made first when should_make, and locks it. The descriptor, or -1: no such file, or
 * another process has it (errno EAGAIN or EACCES). No other descriptor of it may be closed while the
 * lock is to last. */
int lock_take(const char *path, int should_make);

#endif
