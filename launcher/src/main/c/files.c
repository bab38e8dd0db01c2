/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_read(const char *path, char *text, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    size_t length = 0;
    ssize_t n;
    do {
        n = read(fd, text + length, size - length);
        if (n > 0) length += (size_t)n;
    } while ((n > 0 && length < size) || (n < 0 && errno == EINTR));
    close(fd);
    if (n < 0 || length == size) return false;
    while (length > 0 && text[length - 1] == '\n') length--;
    text[length] = '\0';
    return length > 0;
}

bool file_link_name(const char *path, char *name, size_t size) {
    char target[4096];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length <= 0) return false;
    target[length] = '\0';
    const char *slash = strrchr(target, '/');
    const char *last = slash == NULL ? target : slash + 1;
    if (strlen(last) >= size) return false;
    strcpy(name, last);
    return true;
}

bool path_format(char *path, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path, size, format, arguments);
    va_end(arguments);
    return length >= 0 && (size_t)length < size;
}

void directory_of_keep_names(const char *path) {
    char parent[4096];
    const char *slash = path == NULL ? NULL : strrchr(path, '/');
    if (slash == NULL || slash == path || !path_format(parent, sizeof parent, "%.*s", (int)(slash - path), path)) return;
    int fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return;
    struct stat status;
    if (fstat(fd, &status) == 0 && status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0 && (status.st_mode & S_ISVTX) == 0) {
        (void)fchmod(fd, (status.st_mode & 07777) | S_ISVTX);
    }
    close(fd);
}

int directory_make_own(const char *path) {
    directory_of_keep_names(path);
    if (mkdir(path, 0755) != 0 && errno != EEXIST) return -1;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    struct stat status;
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0) return fd;
    if (fd >= 0) close(fd);
    errno = EPERM;
    return -1;
}

bool name_number(const char *name, const char *prefix, int *number) {
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0) return false;
    const char *digits = name + length;
    size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > 9 || digits[count] != '\0') return false;
    *number = atoi(digits);
    return true;
}

static size_t hex_count(const char *text) { return strspn(text, "0123456789abcdefABCDEF"); }

bool is_pci_address(const char *text) {
    size_t domain = hex_count(text);
    if (domain < 4 || domain > 8 || text[domain] != ':') return false;
    text += domain + 1;
    return hex_count(text) == 2 && text[2] == ':' && hex_count(text + 3) == 2 && text[5] == '.' && hex_count(text + 6) == 1 && text[7] == '\0';
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* One piece of memory: the pointers, then the names. */
static char **pack(char *const *names, size_t count, size_t bytes) {
    char **packed = malloc((count + 1) * sizeof *packed + bytes);
    if (packed == NULL) return NULL;
    char *at = (char *)(packed + count + 1);
    for (size_t i = 0; i < count; i++) {
        packed[i] = at;
        at = stpcpy(at, names[i]) + 1;
    }
    packed[count] = NULL;
    return packed;
}

char **directory_names(const char *path) {
    DIR *directory = opendir(path);
    if (directory == NULL) return NULL;
    char **names = NULL;
    size_t count = 0, capacity = 0, bytes = 0;
    bool whole = true;
    struct dirent *entry;
    while (whole && (entry = readdir(directory)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (count == capacity) {
            capacity = capacity > 0 ? capacity * 2 : 32;
            char **more = realloc(names, capacity * sizeof *names);
            whole = more != NULL;
            if (!whole) break;
            names = more;
        }
        whole = (names[count] = strdup(entry->d_name)) != NULL;
        if (whole) bytes += strlen(names[count++]) + 1;
    }
    closedir(directory);
    if (count > 1) qsort(names, count, sizeof *names, by_name);
    char **packed = whole ? pack(names, count, bytes) : NULL;
    for (size_t i = 0; i < count; i++) free(names[i]);
    free(names);
    return packed;
}
