/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bind.h"

#include "check.h"
#include "facts.h"
#include "files.h"

#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[] = "/tmp/fabric-launcher-bind-XXXXXX";

__attribute__((format(printf, 2, 3))) static void put(const char *text, const char *format, ...) {
    char path[512];
    size_t length = (size_t)snprintf(path, sizeof path, "%s", root);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path + length, sizeof path - length, format, arguments);
    va_end(arguments);
    for (char *slash = strchr(path + length + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
}

/* As Linux shows a host of two packages, each a NUMA node of four cores of two threads: CPU n and CPU n + 8 are one core. */
static void make_host(void) {
    char text[64];
    put("0-3,8-11\n", "/sys/devices/system/node/node0/cpulist");
    put("4-7,12-15\n", "/sys/devices/system/node/node1/cpulist");
    for (int cpu = 0; cpu < 16; cpu++) {
        int core = cpu % 8;
        snprintf(text, sizeof text, "%d,%d\n", core, core + 8);
        put(text, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
        put(text, "/sys/devices/system/cpu/cpu%d/cache/index0/shared_cpu_list", cpu);
        put("Data\n", "/sys/devices/system/cpu/cpu%d/cache/index0/type", cpu);
        put("1\n", "/sys/devices/system/cpu/cpu%d/cache/index0/level", cpu);
        put("Instruction\n", "/sys/devices/system/cpu/cpu%d/cache/index1/type", cpu);
        put("1\n", "/sys/devices/system/cpu/cpu%d/cache/index1/level", cpu);
        put("Unified\n", "/sys/devices/system/cpu/cpu%d/cache/index2/type", cpu);
        put("3\n", "/sys/devices/system/cpu/cpu%d/cache/index2/level", cpu);
        put(core < 4 ? "0-3,8-11\n" : "4-7,12-15\n", "/sys/devices/system/cpu/cpu%d/cache/index2/shared_cpu_list", cpu);
        put(core < 4 ? "0\n" : "1\n", "/sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
    }
}

static const char *plan(enum bind to, uint32_t ranks, const unsigned char *mask, size_t size) {
    static char text[4096];
    struct binding binding;
    struct bytes out = BYTES_LIMITED(sizeof text);
    const char *why = bind_plan(&binding, to, ranks, root, mask, size);
    if (why == NULL) {
        CHECK(bind_write(&binding, ranks, &out));
        CHECK(bytes_append(&out, "", 1));
        snprintf(text, sizeof text, "%s", bytes_first(&out));
        bind_free(&binding);
    } else {
        CHECK(binding.cpus == NULL);
        CHECK(bind_write(&binding, ranks, &out) && bytes_length(&out) == 0);
        snprintf(text, sizeof text, "%s", why);
    }
    bytes_free(&out);
    return text;
}

static const unsigned char ALL[] = {0xff, 0xff};

static void shares_out_cores_in_the_order_of_numa_nodes(void) {
    CHECK_TEXT(plan(BIND_CORE, 4, ALL, 2), "bound 0 0-1,8-9 SK0:L30:L10-1:CR0-1:HT0-1,8-9:NM0\n"
                                          "bound 1 2-3,10-11 SK0:L30:L12-3:CR2-3:HT2-3,10-11:NM0\n"
                                          "bound 2 4-5,12-13 SK1:L34:L14-5:CR4-5:HT4-5,12-13:NM1\n"
                                          "bound 3 6-7,14-15 SK1:L34:L16-7:CR6-7:HT6-7,14-15:NM1\n");
    const char *each = plan(BIND_CORE, 8, ALL, 2);
    CHECK(strstr(each, "bound 7 7,15 SK1:L34:L17:CR7:HT7,15:NM1\n") != NULL);
    /* Eight cores for three ranks: two, three and three of them. */
    const char *three = plan(BIND_CORE, 3, ALL, 2);
    CHECK(strstr(three, "bound 0 0-1,8-9 ") != NULL && strstr(three, "bound 1 2-4,10-12 SK0-1:") != NULL);
    CHECK(strstr(three, "bound 2 5-7,13-15 ") != NULL);
    CHECK(strstr(plan(BIND_CORE, 1, ALL, 2), "bound 0 0-15 ") != NULL);
}

static void shares_out_numa_nodes(void) {
    const char *two = plan(BIND_NUMA, 2, ALL, 2);
    CHECK(strstr(two, "bound 0 0-3,8-11 ") != NULL && strstr(two, "bound 1 4-7,12-15 ") != NULL);
    const char *four = plan(BIND_NUMA, 4, ALL, 2);
    CHECK(strstr(four, "bound 1 0-3,8-11 ") != NULL && strstr(four, "bound 2 4-7,12-15 ") != NULL);
    CHECK(strstr(plan(BIND_NUMA, 1, ALL, 2), "bound 0 0-15 ") != NULL);
}

/* As where the kubelet has given the container CPUs of its own. */
static void keeps_to_the_cpus_that_the_container_may_use(void) {
    const unsigned char mask[] = {0x3c, 0x04}; /* 2-5 and 10 */
    const char *text = plan(BIND_CORE, 2, mask, 2);
    CHECK(strstr(text, "bound 0 2-3,10 ") != NULL && strstr(text, "bound 1 4-5 ") != NULL);
    CHECK_TEXT(plan(BIND_CORE, 5, mask, 2), "there are more ranks than cores");
}

static void says_why_ranks_stay_unbound(void) {
    CHECK_TEXT(plan(BIND_NONE, 4, ALL, 2), "");
    CHECK_TEXT(plan(BIND_CORE, 9, ALL, 2), "there are more ranks than cores");
    CHECK_TEXT(plan(BIND_CORE, 1, ALL, 0), "it is not known which CPUs this container may use");
    const unsigned char unknown[] = {0, 0, 1};
    CHECK_TEXT(plan(BIND_CORE, 1, unknown, 3), "/sys does not say which CPUs are one core");
    put("16\n", "/sys/devices/system/cpu/cpu16/topology/thread_siblings_list");
    CHECK_TEXT(plan(BIND_NUMA, 1, unknown, 3), "/sys does not say which NUMA node a CPU is of");
    CHECK_TEXT(plan(BIND_CORE, 1, unknown, 3), "bound 0 16 SK0:CR16:HT16\n");
}

static void binds_the_process(void) {
    size_t size;
    const unsigned char *mask = allowed_cpus(&size);
    CHECK(size > 0);
    uint32_t first = 0;
    while ((mask[first / 8] >> first % 8 & 1) == 0) first++;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        struct bind_cpu cpu = {.cpu = first};
        uint32_t begin = 0, end = 1;
        struct binding binding = {.cpus = &cpu, .count = 1, .first = &begin, .end = &end};
        bind_apply(&binding, 0);
        size_t now_size;
        const unsigned char *now = allowed_cpus(&now_size);
        uint32_t count = 0;
        for (uint32_t i = 0; i < now_size * 8; i++) count += (uint32_t)(now[i / 8] >> i % 8 & 1);
        _exit(count == 1 && (now[first / 8] >> first % 8 & 1) != 0 ? 0 : 1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

void test_bind(void) {
    CHECK(mkdtemp(root) != NULL);
    make_host();
    shares_out_cores_in_the_order_of_numa_nodes();
    shares_out_numa_nodes();
    keeps_to_the_cpus_that_the_container_may_use();
    says_why_ranks_stay_unbound();
    binds_the_process();
}
