/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "facts.h"

#include "check.h"
#include "files.h"

#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/fabric-launcher-test-XXXXXX";

__attribute__((format(printf, 1, 2))) static char *at(const char *format, ...) {
    static char path[4096];
    size_t length = strlen(root);
    memcpy(path, root, length);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path + length, sizeof path - length, format, arguments);
    va_end(arguments);
    return path;
}

static void make_parents(char *path) {
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
}

static void put(const char *name, const char *text) {
    char *path = at("%s", name);
    make_parents(path);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
}

static void put_link(const char *name, const char *target) {
    char *path = at("%s", name);
    make_parents(path);
    CHECK(symlink(target, path) == 0);
}

static const char *text_of(struct bytes *b) {
    CHECK(bytes_append(b, "", 1));
    return bytes_first(b);
}

static void lists_cpus_as_the_kernel_does(void) {
    char text[64];
    CHECK(cpu_list((const unsigned char[]){0x0f}, 1, text, sizeof text));
    CHECK_TEXT(text, "0-3");
    CHECK(cpu_list((const unsigned char[]){0x81, 0x01, 0x80}, 3, text, sizeof text));
    CHECK_TEXT(text, "0,7-8,23");
    CHECK(!cpu_list((const unsigned char[]){0, 0}, 2, text, sizeof text));
    CHECK(!cpu_list((const unsigned char[]){0x55, 0x55}, 2, text, 8));
    const unsigned char mask[] = {0x10, 0x01};
    CHECK(cpu_list_meets("4", mask, 2));
    CHECK(cpu_list_meets("0-3,8", mask, 2));
    CHECK(!cpu_list_meets("0-3,5-7", mask, 2));
    CHECK(!cpu_list_meets("", mask, 2));
    CHECK(!cpu_list_meets("99999999999999999999-99999999999999999999", mask, 2));
    CHECK(!cpu_list_meets("junk", mask, 2));
}

static void names_the_devices_that_open(void) {
    put("/dev/infiniband/uverbs0", "");
    put("/dev/infiniband/uverbs1", "");
    put("/dev/infiniband/rdma_cm", "");
    mkdir(at("/dev/infiniband/uverbs2"), 0755); /* a directory does not open for writing */
    put("/sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0\n");
    put("/sys/class/infiniband_verbs/uverbs1/ibdev", "mlx5_1\n");
    put("/sys/class/infiniband_verbs/uverbs2/ibdev", "mlx5_2\n");
    put("/sys/class/infiniband_verbs/uverbs3/ibdev", "mlx5_3\n");
    put_link("/sys/class/infiniband_verbs/uverbs0/device", "../../../devices/pci0000:00/0000:05:00.0");
    put("/sys/class/infiniband/mlx5_0/node_guid", "9803:9B03:0067:7c9a\n");
    put("/sys/class/infiniband/mlx5_1/node_guid", "0000:0000:0000:0000\n");
    put("/sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
    put("/sys/class/infiniband/mlx5_0/ports/2/state", "4: ACTIVE\n");
    put("/sys/class/infiniband/mlx5_1/ports/1/state", "4: ACTIVE\n");
    put("/dev/cxi0", "");
    put_link("/sys/class/cxi/cxi0/device", "../../../0000:21:00.0");
    put("/dev/cxi1", "");
    struct bytes hello = BYTES_LIMITED(4096);
    CHECK(facts_write_devices(&hello, root));
    CHECK_TEXT(text_of(&hello),
               "rdma mlx5_0 1 98039b0300677c9a 0000:05:00.0\nrdma mlx5_0 2 98039b0300677c9a 0000:05:00.0\nrdma mlx5_1 1 - -\n"
               "cxi cxi0 0000:21:00.0\ncxi cxi1 -\n");
    bytes_free(&hello);
}

static void says_whether_the_user_is_known(void) {
    char line[64];
    struct bytes hello = BYTES_LIMITED(4096);
    char *home = getenv("HOME");
    char *kept = home != NULL ? strdup(home) : NULL;
    unsetenv("HOME");
    CHECK(facts_write_user(&hello, root));
    CHECK(strstr(text_of(&hello), "user-known") == NULL && strstr(bytes_first(&hello), "home-unset\n") != NULL);
    bytes_free(&hello);
    snprintf(line, sizeof line, "broken\n::\nother:x:%u:0::/:\nme:x:%u:0::/:\n", geteuid() + 1, geteuid());
    put("/etc/passwd", line);
    setenv("HOME", "/", 1);
    CHECK(facts_write_user(&hello, root));
    CHECK(strstr(text_of(&hello), "user-known\n") != NULL && strstr(bytes_first(&hello), "home-unset") == NULL);
    bytes_free(&hello);
    if (kept != NULL) setenv("HOME", kept, 1);
    free(kept);
}

static void numa_nodes_are_those_of_the_cpus(void) {
    put("/sys/devices/system/node/node0/cpulist", "0-4095\n");
    put("/sys/devices/system/node/node1/cpulist", "\n");
    put("/sys/devices/system/node/node2/cpulist", "60000-60001\n");
    struct bytes hello = BYTES_LIMITED(65536);
    CHECK(facts_write_cpus(&hello, root));
    CHECK(strstr(text_of(&hello), "\nnuma 0\n") != NULL && strncmp(bytes_first(&hello), "cpus ", 5) == 0);
    bytes_free(&hello);
}

static void memory_is_the_least_of_machine_and_control_group(void) {
    static const char *const KEPT[] = {"memory 2097152\n", "memory 1048576\n", "memory 524288\n"};
    put("/proc/meminfo", "MemTotal:           2048 kB\nMemFree: 1 kB\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    for (size_t i = 0; i < sizeof KEPT / sizeof KEPT[0]; i++) {
        struct bytes hello = BYTES_LIMITED(4096);
        if (i == 1) put("/sys/fs/cgroup/memory.max", "1048576\n");
        if (i == 2) put("/sys/fs/cgroup/memory.max", "max\n");
        if (i == 2) put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "524288\n");
        CHECK(facts_write_memory(&hello, root));
        CHECK_TEXT(text_of(&hello), KEPT[i]);
        bytes_free(&hello);
    }
}

static void time_of_cpus_is_that_of_the_control_group(void) {
    static const char *const KEPT[] = {"", "", "cpu-time 2000\n", "cpu-time 500\n", "cpu-time 500\n"};
    for (size_t i = 0; i < sizeof KEPT / sizeof KEPT[0]; i++) {
        struct bytes hello = BYTES_LIMITED(4096);
        if (i == 1) put("/sys/fs/cgroup/cpu.max", "max 100000\n");
        if (i == 2) put("/sys/fs/cgroup/cpu.max", "200000 100000\n");
        if (i == 3) put("/sys/fs/cgroup/cpu.max", "max 100000\n");
        if (i == 3) put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "25000\n");
        if (i == 3) put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000\n");
        if (i == 4) put("/sys/fs/cgroup/cpu.max", "5x 0\n");
        CHECK(facts_write_cpu_time(&hello, root));
        CHECK_TEXT(text_of(&hello), KEPT[i]);
        bytes_free(&hello);
    }
}

static void a_command_that_is_too_long_is_not_told(void) {
    static char word[10000];
    memset(word, 'x', sizeof word - 1);
    char *command[] = {"solver", word, NULL};
    struct bytes hello = BYTES_LIMITED(65536);
    CHECK(facts_write_program(&hello, command));
    CHECK(strstr(text_of(&hello), "argv") == NULL && strncmp(bytes_first(&hello), "wdir /", 6) == 0);
    bytes_free(&hello);
}

static void a_topology_of_the_users_own_is_not_shared(void) {
    char *plain[] = {"PATH=/bin", "MY_HWLOC_XMLFILE=x", NULL}, *own[] = {"PATH=/bin", "HWLOC_XMLFILE=/topology.xml", NULL}, *pmix[] = {"PMIX_MCA_pmix_hwloc_topo_file=/x.xml", NULL};
    struct bytes hello = BYTES_LIMITED(65536);
    CHECK(facts_write(&hello, "", 2, NULL, NULL, plain) && strstr(text_of(&hello), "\ntopology-shared\n") != NULL);
    bytes_free(&hello);
    CHECK(facts_write(&hello, "", 2, NULL, NULL, pmix) && strstr(text_of(&hello), "topology-shared") == NULL);
    bytes_free(&hello);
    CHECK(facts_write(&hello, "", 2, NULL, NULL, own) && strstr(text_of(&hello), "topology-shared") == NULL);
    bytes_free(&hello);
    CHECK(facts_write(&hello, "", 2, NULL, NULL, NULL) && strstr(text_of(&hello), "topology-shared") == NULL);
    bytes_free(&hello);
}

static void is_whole_on_this_machine(void) {
    struct bytes hello = BYTES_LIMITED(65536);
    char *command[] = {"solver", "-n", "100%", NULL};
    CHECK(facts_write(&hello, "", 3, command, NULL, NULL));
    const char *text = text_of(&hello);
    CHECK(strstr(text, "\nargv solver -n 100%25\n") != NULL && strstr(text, "\nwdir /") != NULL && strstr(text, "\nmemory ") != NULL);
    CHECK(strncmp(text, "hello 1\nuid ", 12) == 0 && strstr(text, "\nranks 3\n") != NULL);
    CHECK_TEXT(text + strlen(text) - 5, "\nend\n");
    bytes_free(&hello);
    struct bytes small = BYTES_LIMITED(40);
    CHECK(!facts_write(&small, "", 3, NULL, NULL, NULL));
    bytes_free(&small);
}

void test_facts(void) {
    char command[128];
    CHECK(mkdtemp(root) != NULL);
    lists_cpus_as_the_kernel_does();
    names_the_devices_that_open();
    says_whether_the_user_is_known();
    numa_nodes_are_those_of_the_cpus();
    memory_is_the_least_of_machine_and_control_group();
    time_of_cpus_is_that_of_the_control_group();
    a_command_that_is_too_long_is_not_told();
    a_topology_of_the_users_own_is_not_shared();
    is_whole_on_this_machine();
    CHECK(is_pci_address("0000:05:00.0") && is_pci_address("10000:e1:00.1") && !is_pci_address("virtio0") && !is_pci_address("0000:05:00."));
    snprintf(command, sizeof command, "rm -rf %s", root);
    CHECK(system(command) == 0);
}
