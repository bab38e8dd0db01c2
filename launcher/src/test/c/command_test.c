/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command.h"

#include "check.h"

void test_command(void) {
    char path[256];
    CHECK(command_find("sh", "/nowhere:/bin", path, sizeof path) == 0);
    CHECK_TEXT(path, "/bin/sh");
    CHECK(command_find("sh", NULL, path, sizeof path) == 0);
    CHECK(command_find("/bin/sh", "/nowhere", path, sizeof path) == 0);
    CHECK(command_find("no-such-command", "/bin:/usr/bin", path, sizeof path) == EXIT_NOT_FOUND);
    CHECK(command_find("sh", "", path, sizeof path) == EXIT_NOT_FOUND);
    CHECK(command_find("", "/bin", path, sizeof path) == EXIT_NOT_FOUND);
    CHECK(command_find("/etc/passwd", NULL, path, sizeof path) == EXIT_NOT_EXECUTABLE);
    CHECK(command_find("passwd", "/etc", path, sizeof path) == EXIT_NOT_EXECUTABLE);
    CHECK(command_find("/bin", NULL, path, sizeof path) == EXIT_NOT_EXECUTABLE);
    CHECK(command_find("passwd", "/etc::/nowhere:", path, sizeof path) == EXIT_NOT_EXECUTABLE);
    char long_path[9000];
    memset(long_path, 'a', sizeof long_path - 1);
    long_path[sizeof long_path - 1] = '\0';
    CHECK(command_find("sh", long_path, path, sizeof path) == EXIT_NOT_FOUND);
    CHECK(command_find(long_path, "/bin", path, sizeof path) == EXIT_NOT_FOUND);
}
