/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "files.h"

#include "check.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static mode_t mode_of(const char *path) {
    struct stat status;
    CHECK(lstat(path, &status) == 0);
    return status.st_mode & 07777;
}

/* A volume that the kubelet makes for all users of a pod. */
void test_files(void) {
    char volume[] = "/tmp/files-XXXXXX", own[64], link[64], elsewhere[64];
    CHECK(mkdtemp(volume) != NULL);
    snprintf(own, sizeof own, "%s/mpirun", volume);
    snprintf(link, sizeof link, "%s/link", volume);
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", volume);

    CHECK(chmod(volume, 0777) == 0);
    directory_of_keep_names(own);
    CHECK(mode_of(volume) == 01777);
    CHECK(chmod(volume, 0755) == 0);
    directory_of_keep_names(own);
    CHECK(mode_of(volume) == 0755);

    CHECK(chmod(volume, 0777) == 0);
    int fd = directory_make_own(own);
    CHECK(fd >= 0);
    close(fd);
    CHECK(mode_of(volume) == 01777);
    CHECK(mode_of(own) == 0755);
    /* A container that starts again finds it. */
    fd = directory_make_own(own);
    CHECK(fd >= 0);
    close(fd);

    /* What another user may have put there before. */
    CHECK(chmod(own, 0777) == 0);
    CHECK(directory_make_own(own) == -1 && errno == EPERM);
    CHECK(mkdir(elsewhere, 0755) == 0 && symlink(elsewhere, link) == 0);
    CHECK(directory_make_own(link) == -1 && errno == EPERM);
    if (geteuid() == 0) {
        CHECK(chmod(own, 0755) == 0 && chown(own, 1000, 1000) == 0);
        CHECK(directory_make_own(own) == -1 && errno == EPERM);
        CHECK(chown(volume, 1000, 1000) == 0 && chmod(volume, 0777) == 0);
        directory_of_keep_names(own);
        CHECK(mode_of(volume) == 0777);
    }
    unlink(link);
    rmdir(elsewhere);
    rmdir(own);
    rmdir(volume);
}
