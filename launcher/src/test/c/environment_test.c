/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "environment.h"

#include "check.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

void test_environment(void) {
    char directory[] = "/tmp/environment-XXXXXX", path[64];
    CHECK(mkdtemp(directory) != NULL);
    snprintf(path, sizeof path, "%s/file", directory);
    setenv("TEST_DEVICES", "mlx5_0:1\nmlx5_1:1", 1);
    setenv("TEST_OWN", "of the container", 1);
    setenv("TEST_EMPTY", "", 1);
    unsetenv("TEST_MISSING");
    mode_t mask = umask(077);
    CHECK(environment_keep(path, "TEST_DEVICES,TEST_MISSING,TEST_OWN,TEST_EMPTY"));
    umask(mask);
    struct stat status;
    CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0644);

    unsetenv("TEST_DEVICES");
    unsetenv("TEST_EMPTY");
    setenv("TEST_OWN", "of the session", 1);
    CHECK(environment_take(path));
    CHECK_TEXT(getenv("TEST_DEVICES"), "mlx5_0:1\nmlx5_1:1");
    CHECK_TEXT(getenv("TEST_OWN"), "of the session");
    CHECK_TEXT(getenv("TEST_EMPTY"), "");
    CHECK(getenv("TEST_MISSING") == NULL);

    /* Anybody in the pod may write it. */
    FILE *file = fopen(path, "w");
    static const char odd[] = "=x\0TEST_NO_VALUE\0TEST_LAST=unended";
    fwrite(odd, 1, sizeof odd - 1, file);
    fclose(file);
    CHECK(environment_take(path));
    CHECK_TEXT(getenv("TEST_LAST"), "unended");
    unlink(path);
    CHECK(!environment_take(path) && errno == ENOENT);
    rmdir(directory);
    CHECK(!environment_keep(path, "TEST_OWN") && errno == ENOENT);
}
