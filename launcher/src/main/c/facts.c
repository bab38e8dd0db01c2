/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "facts.h"

#include "files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CPUS_MAX = 65536, ARGUMENTS_MAX = 8192 };

static bool has(const unsigned char *mask, size_t size, size_t cpu) { return cpu / 8 < size && (mask[cpu / 8] >> (cpu % 8) & 1) != 0; }

bool cpu_list(const unsigned char *mask, size_t size, char *text, size_t text_size) {
    size_t length = 0;
    text[0] = '\0';
    for (size_t cpu = 0; cpu < size * 8; cpu++) {
        if (!has(mask, size, cpu)) continue;
        size_t last = cpu;
        while (has(mask, size, last + 1)) last++;
        const char *comma = length > 0 ? "," : "";
        int n = last > cpu ? snprintf(text + length, text_size - length, "%s%zu-%zu", comma, cpu, last)
                           : snprintf(text + length, text_size - length, "%s%zu", comma, cpu);
        if (n < 0 || (size_t)n >= text_size - length) return false;
        length += (size_t)n;
        cpu = last;
    }
    return length > 0;
}

bool cpu_list_meets(const char *list, const unsigned char *mask, size_t size) {
    while (*list >= '0' && *list <= '9') {
        char *end;
        unsigned long first = strtoul(list, &end, 10);
        unsigned long last = first;
        if (*end == '-') last = strtoul(end + 1, &end, 10);
        for (unsigned long cpu = first; cpu <= last && cpu < size * 8; cpu++) {
            if (has(mask, size, cpu)) return true;
        }
        if (*end != ',') return false;
        list = end + 1;
    }
    return false;
}

bool cpu_list_has(const char *list, uint32_t cpu) {
    static unsigned char mask[CPUS_MAX / 8];
    if (cpu >= CPUS_MAX) return false;
    mask[cpu / 8] = (unsigned char)(1 << cpu % 8);
    bool found = cpu_list_meets(list, mask, cpu / 8 + 1);
    mask[cpu / 8] = 0;
    return found;
}

static bool write_numa(struct bytes *hello, const char *root, const unsigned char *mask, size_t size) {
    char path[4096], list[16384], nodes[4096];
    unsigned char found[CPUS_MAX / 64] = {0};
    int node;
    if (!path_format(path, sizeof path, "%s/sys/devices/system/node", root)) return true;
    char **names = directory_names(path);
    if (names == NULL) return true;
    for (char **name = names; *name != NULL; name++) {
        if (!name_number(*name, "node", &node) || (size_t)node >= sizeof found * 8) continue;
        if (path_format(path, sizeof path, "%s/sys/devices/system/node/%s/cpulist", root, *name) && file_read(path, list, sizeof list) &&
            cpu_list_meets(list, mask, size)) {
            found[node / 8] |= (unsigned char)(1 << node % 8);
        }
    }
    free(names);
    if (!cpu_list(found, sizeof found, nodes, sizeof nodes)) return true;
    return bytes_append_text(hello, "numa ") && bytes_append_text(hello, nodes) && bytes_append_text(hello, "\n");
}

const unsigned char *allowed_cpus(size_t *size) {
    /* The kernel's own call: the C library's type ends at 1024 CPUs. */
    static unsigned long mask[CPUS_MAX / (8 * sizeof(unsigned long))];
    long result = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the mask is read byte by byte"
#endif
    *size = result > 0 ? (size_t)result : 0;
    return (const unsigned char *)mask;
}

bool facts_write_cpus(struct bytes *hello, const char *root) {
    char list[32768];
    size_t size;
    const unsigned char *mask = allowed_cpus(&size);
    if (!cpu_list(mask, size, list, sizeof list)) return true;
    return bytes_append_text(hello, "cpus ") && bytes_append_text(hello, list) && bytes_append_text(hello, "\n") &&
           write_numa(hello, root, mask, size);
}

/* Third field of one of the lines of /etc/passwd; read here because the C library would load plug-ins for it. */
static bool user_known(const char *root, uid_t uid) {
    char path[4096], line[4096];
    if (!path_format(path, sizeof path, "%s/etc/passwd", root)) return false;
    FILE *file = fopen(path, "re");
    if (file == NULL) return false;
    bool known = false;
    while (!known && fgets(line, sizeof line, file) != NULL) {
        char *field = strchr(line, ':');
        field = field == NULL ? NULL : strchr(field + 1, ':');
        if (field == NULL || field[1] < '0' || field[1] > '9') continue;
        char *end;
        unsigned long id = strtoul(field + 1, &end, 10);
        known = *end == ':' && id == uid;
    }
    fclose(file);
    return known;
}

bool facts_write_user(struct bytes *hello, const char *root) {
    const char *home = getenv("HOME");
    return bytes_format(hello, "uid %lu\ngid %lu\n", (unsigned long)geteuid(), (unsigned long)getegid()) &&
           (!user_known(root, geteuid()) || bytes_append_text(hello, "user-known\n")) &&
           ((home != NULL && *home != '\0') || bytes_append_text(hello, "home-unset\n"));
}

/* Words with a blank between them; a longer line is left out, since a part would be another command. */
static bool write_command(struct bytes *hello, char *const *command) {
    char line[ARGUMENTS_MAX];
    size_t length = 0;
    for (char *const *word = command; *word != NULL; word++) {
        int n = snprintf(line + length, sizeof line - length, "%s%s", word == command ? "" : " ", *word);
        if (n < 0 || (size_t)n >= sizeof line - length) return true;
        length += (size_t)n;
    }
    return length == 0 || (bytes_append_text(hello, "argv ") && bytes_append_escaped(hello, line, length) && bytes_append_text(hello, "\n"));
}

bool facts_write_program(struct bytes *hello, char *const *command) {
    char directory[4096];
    if (command == NULL) return true;
    if (getcwd(directory, sizeof directory) != NULL &&
        !(bytes_append_text(hello, "wdir ") && bytes_append_escaped(hello, directory, strlen(directory)) && bytes_append_text(hello, "\n"))) {
        return false;
    }
    return write_command(hello, command);
}

bool facts_write_cpu_time(struct bytes *hello, const char *root) {
    /* Of the container's own control group, which it sees as the root: version 2, "MICROSECONDS PERIOD" or "max PERIOD"; version 1, -1 for no limit. */
    static const char *const QUOTAS[] = {"cpu.max", "cpu/cpu.cfs_quota_us", "cpu,cpuacct/cpu.cfs_quota_us"};
    static const char *const PERIODS[] = {NULL, "cpu/cpu.cfs_period_us", "cpu,cpuacct/cpu.cfs_period_us"};
    char path[4096], text[64];
    unsigned long long least = 0;
    for (size_t i = 0; i < sizeof QUOTAS / sizeof QUOTAS[0]; i++) {
        unsigned long long quota, period;
        if (!path_format(path, sizeof path, "%s/sys/fs/cgroup/%s", root, QUOTAS[i]) || !file_read(path, text, sizeof text)) continue;
        if (*text < '0' || *text > '9') continue;
        if (PERIODS[i] == NULL) {
            if (sscanf(text, "%18llu %18llu", &quota, &period) != 2) continue;
        } else {
            quota = strtoull(text, NULL, 10);
            if (!path_format(path, sizeof path, "%s/sys/fs/cgroup/%s", root, PERIODS[i]) || !file_read(path, text, sizeof text)) continue;
            period = strtoull(text, NULL, 10);
        }
        if (period == 0 || quota == 0 || quota > UINT64_MAX / 1000) continue;
        unsigned long long millis = quota * 1000 / period;
        if (least == 0 || millis < least) least = millis > 0 ? millis : 1;
    }
    return least == 0 || least > INT32_MAX || bytes_format(hello, "cpu-time %llu\n", least);
}

/* The value of "MemTotal:   16316412 kB"; 0 where it cannot be read. */
static uint64_t machine_memory(const char *root) {
    char path[4096], line[256];
    unsigned long long kibibytes = 0;
    if (!path_format(path, sizeof path, "%s/proc/meminfo", root)) return 0;
    FILE *file = fopen(path, "re");
    if (file == NULL) return 0;
    while (fgets(line, sizeof line, file) != NULL && sscanf(line, "MemTotal: %llu kB", &kibibytes) != 1) continue;
    fclose(file);
    return (uint64_t)kibibytes * 1024;
}

bool facts_write_memory(struct bytes *hello, const char *root) {
    /* Of the container's own control group, which it sees as the root: version 2, version 1. */
    static const char *const LIMITS[] = {"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"};
    char path[4096], text[64];
    uint64_t memory = machine_memory(root);
    for (size_t i = 0; i < sizeof LIMITS / sizeof LIMITS[0]; i++) {
        if (!path_format(path, sizeof path, "%s/%s", root, LIMITS[i]) || !file_read(path, text, sizeof text)) continue;
        /* "max", or in version 1 a number that no machine has, is no limit. */
        uint64_t limit = *text >= '0' && *text <= '9' ? strtoull(text, NULL, 10) : 0;
        if (limit > 0 && (memory == 0 || limit < memory)) memory = limit;
    }
    return memory == 0 || memory > INT64_MAX || bytes_format(hello, "memory %llu\n", (unsigned long long)memory);
}

bool facts_topology_is_shared(char *const environment[]) {
    /* A file or a synthetic topology, another root, other components: what the user wants counts, and pmixd does not have these variables. */
    for (size_t i = 0; environment[i] != NULL; i++) {
        if (strncmp(environment[i], "HWLOC_", 6) == 0 || strncmp(environment[i], "PMIX_MCA_pmix_hwloc_", 20) == 0) return false;
    }
    return true;
}

bool facts_write(struct bytes *hello, const char *root, uint32_t ranks, char *const *command, const struct binding *binding, char *const beside_server[]) {
    return bytes_append_text(hello, FACTS_GREETING) && facts_write_user(hello, root) && facts_write_cpus(hello, root) &&
           (beside_server == NULL || !facts_topology_is_shared(beside_server) || bytes_append_text(hello, "topology-shared\n")) && facts_write_cpu_time(hello, root) && facts_write_memory(hello, root) && facts_write_program(hello, command) && bytes_format(hello, "ranks %u\n", ranks) && (binding == NULL || bind_write(binding, ranks, hello)) && facts_write_devices(hello, root) && facts_write_interfaces(hello, root) &&
           bytes_append_text(hello, "end\n");
}
