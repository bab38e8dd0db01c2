/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "environment.h"

#include "bytes.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool collect(struct bytes *file, const char *names) {
    char name[256];
    for (const char *at = names; *at != '\0'; at += *at == ',') {
        size_t length = strcspn(at, ",");
        if (length >= sizeof name) {
            errno = ENAMETOOLONG;
            return false;
        }
        memcpy(name, at, length);
        name[length] = '\0';
        const char *value = getenv(name);
        if (length > 0 && value != NULL && !(bytes_format(file, "%s=%s", name, value) && bytes_append(file, "", 1))) return false;
        at += length;
    }
    return true;
}

static bool write_all(int fd, const char *data, size_t length) {
    while (length > 0) {
        ssize_t n = write(fd, data, length);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        data += n;
        length -= (size_t)n;
    }
    /* Not left to the umask: sessions may be of any user. */
    return fchmod(fd, 0644) == 0;
}

bool environment_keep(const char *path, const char *names) {
    struct bytes file = BYTES_LIMITED(ENVIRONMENT_FILE_MAX);
    char aside[4096];
    directory_of_keep_names(path);
    bool done = collect(&file, names) && path_format(aside, sizeof aside, "%s.%ld", path, (long)getpid());
    if (done) {
        unlink(aside);
        int fd = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        done = fd >= 0 && write_all(fd, bytes_first(&file), bytes_length(&file));
        if (fd >= 0 && close(fd) != 0) done = false;
        done = done && rename(aside, path) == 0;
        if (!done) {
            int error = errno;
            unlink(aside);
            errno = error;
        }
    }
    bytes_free(&file);
    return done;
}

/* One that is not of the form NAME=VALUE does not count. */
static bool set(char *variable) {
    char *equals = strchr(variable, '=');
    if (equals == NULL || equals == variable) return true;
    *equals = '\0';
    return setenv(variable, equals + 1, 0) == 0;
}

/* Every user of the container may write where it lies, and a session may be root's: LD_PRELOAD by another user would be run by root. */
static bool is_trusted(int fd) {
    struct stat file;
    if (fstat(fd, &file) != 0) return false;
    if (S_ISREG(file.st_mode) && (file.st_uid == 0 || file.st_uid == geteuid()) && (file.st_mode & (S_IWGRP | S_IWOTH)) == 0) return true;
    errno = EPERM;
    return false;
}

bool environment_take(const char *path) {
    static char text[ENVIRONMENT_FILE_MAX + 1];
    /* A pipe that nobody writes would be waited for. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return false;
    if (!is_trusted(fd)) {
        close(fd);
        errno = EPERM;
        return false;
    }
    size_t length = 0;
    ssize_t n = 0;
    while (length < ENVIRONMENT_FILE_MAX && (n = read(fd, text + length, ENVIRONMENT_FILE_MAX - length)) != 0) {
        if (n < 0 && errno != EINTR) break;
        if (n > 0) length += (size_t)n;
    }
    close(fd);
    text[length] = '\0';
    bool done = n >= 0;
    for (char *at = text; done && at < text + length; at += strlen(at) + 1) done = set(at);
    return done;
}
