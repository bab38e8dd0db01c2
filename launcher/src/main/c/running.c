/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "running.h"

#include "clock.h"
#include "files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool file_of(const char *socket_path, char *path, size_t size) {
    const char *slash = strrchr(socket_path, '/');
    return path_format(path, size, "%.*sranks-run", slash == NULL ? 0 : (int)(slash - socket_path) + 1, socket_path);
}

void running_begin(const char *socket_path) {
    char path[4096], whole[4096];
    if (!file_of(socket_path, path, sizeof path) || !path_format(whole, sizeof whole, "%s.new", path)) return;
    unlink(whole);
    int fd = open(whole, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0) return;
    bool written = dprintf(fd, "%lld\n", (long long)clock_ms()) > 0;
    close(fd);
    if (!written || rename(whole, path) != 0) unlink(whole);
}

void running_end(const char *socket_path) {
    char path[4096];
    if (file_of(socket_path, path, sizeof path)) unlink(path);
}

bool running_for(const char *socket_path, int seconds) {
    char path[4096], text[32];
    if (!file_of(socket_path, path, sizeof path) || !file_read(path, text, sizeof text)) return false;
    return clock_ms() - strtoll(text, NULL, 10) >= (long long)seconds * 1000;
}
