/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "install.h"

#include "command.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static bool copy(int from, int to) {
    struct stat status;
    if (fstat(from, &status) != 0) return false;
    off_t left = status.st_size;
    while (left > 0) {
        ssize_t n = sendfile(to, from, NULL, (size_t)left);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        left -= n;
    }
    /* Not left to the umask: any user may be the application's. */
    return fchmod(to, 0755) == 0;
}

int install(const char *path) {
    char aside[4096];
    directory_of_keep_names(path);
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    bool done = from >= 0 && path_format(aside, sizeof aside, "%s.%ld", path, (long)getpid());
    if (done) {
        unlink(aside);
        int to = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
        done = to >= 0 && copy(from, to);
        /* Open for writing while it is executed would be "text file busy". */
        if (to >= 0 && close(to) != 0) done = false;
        done = done && rename(aside, path) == 0;
        if (!done) {
            int error = errno;
            unlink(aside);
            errno = error;
        }
    }
    if (!done) fprintf(stderr, "fabric-launcher: cannot install %s: %s\n", path, strerror(errno));
    if (from >= 0) close(from);
    return done ? 0 : EXIT_LAUNCHER;
}
