/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hosts.h"

#include "check.h"

void test_hosts(void) {
    char name[16];
    CHECK(host_of_line("w-0.job.ns.svc slots=2\n", name, sizeof name));
    CHECK_TEXT(name, "w-0.job.ns.svc");
    CHECK(host_of_line("  w-1:4\n", name, sizeof name));
    CHECK_TEXT(name, "w-1");
    CHECK(host_of_line("w-2", name, sizeof name));
    CHECK_TEXT(name, "w-2");
    CHECK(host_of_line("w-3#near\r\n", name, sizeof name));
    CHECK_TEXT(name, "w-3");
    CHECK(!host_of_line("\n", name, sizeof name));
    CHECK(!host_of_line("# w-4\n", name, sizeof name));
    CHECK(!host_of_line("w\033[31m slots=1\n", name, sizeof name));
    CHECK(!host_of_line("w\xc3\xa4\n", name, sizeof name));
    CHECK(!host_of_line("a-name-of-16-byte slots=1\n", name, sizeof name));
}
