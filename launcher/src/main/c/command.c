/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command.h"

#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return errno == EACCES ? EXIT_NOT_EXECUTABLE : EXIT_NOT_FOUND;
    if (!S_ISREG(status.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) != 0) return EXIT_NOT_EXECUTABLE;
    return 0;
}

int command_find(const char *command, const char *search_path, char *path, size_t size) {
    if (*command == '\0') return EXIT_NOT_FOUND;
    if (strchr(command, '/') != NULL) {
        return path_format(path, size, "%s", command) ? check(path) : EXIT_NOT_FOUND;
    }
    int result = EXIT_NOT_FOUND;
    const char *at = search_path != NULL ? search_path : "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    for (;;) {
        size_t length = strcspn(at, ":");
        /* An empty part is the current directory. */
        if (length < size && path_format(path, size, "%.*s%s%s", (int)length, at, length > 0 ? "/" : "./", command)) {
            int found = check(path);
            if (found == 0) return 0;
            if (found == EXIT_NOT_EXECUTABLE) result = found;
        }
        if (at[length] == '\0') return result;
        at += length + 1;
    }
}
