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
    char whole[48];
    const char *settings = "nameserver 10.0.0.10\nsearch a.example\nsearch ns.svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5";
    CHECK(host_lookup_name("w-0.job.ns.svc", settings, whole, sizeof whole));
    CHECK_TEXT(whole, "w-0.job.ns.svc.cluster.local.");
    CHECK(host_lookup_name("w-0.job.ns.svc", "search svc.k8s.\t\nsearchless svc.x", whole, sizeof whole));
    CHECK_TEXT(whole, "w-0.job.ns.svc.k8s.");
    CHECK(host_lookup_name("w-0.job.ns.svc", "search svc.\nsearch", whole, sizeof whole));
    CHECK_TEXT(whole, "w-0.job.ns.svc");
    CHECK(host_lookup_name("w-0.job", settings, whole, sizeof whole));
    CHECK_TEXT(whole, "w-0.job");
    CHECK(!host_lookup_name("w-0.a-job-with-a-long-name.ns.svc", settings, whole, 32));
}
