/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: locality ROOT RANKS core|numa
 *
 * Holds what the launcher writes of bound ranks on the host whose /sys is below ROOT against what libpmix writes of the same CPUs. Their numbers
 * may differ: the launcher's are those of a CPU, libpmix's are counted by hwloc. What two ranks share must not, nor how many of a kind a rank has. Prints
 * "rank CPUS OURS THEIRS" for each and a line for each difference. HWLOC_FSROOT, which hwloc reads, is to be ROOT.
 */
#include "bind.h"

#include <hwloc.h>
#include <pmix.h>
#include <pmix_server.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CPUS 4096
#define MOST_RANKS 64
#define LENGTH 4096

static const char *const KINDS[] = {"SK", "L3", "L2", "L1", "CR", "HT", "NM"};

struct rank {
    char cpus[LENGTH];
    char ours[LENGTH];
    char *theirs;
};

/* The CPUs that the host has, as sched_getaffinity gives them. */
static size_t cpus_of_host(unsigned char *mask)
{
    hwloc_topology_t topology;
    size_t size = 0;
    unsigned cpu;

    if (hwloc_topology_init(&topology) != 0 || hwloc_topology_load(topology) != 0) {
        return 0;
    }
    hwloc_bitmap_foreach_begin(cpu, hwloc_topology_get_topology_cpuset(topology))
    {
        if (cpu < MOST_CPUS) {
            mask[cpu / 8] |= (unsigned char) (1u << cpu % 8);
            size = cpu / 8 + 1;
        }
    }
    hwloc_bitmap_foreach_end();
    hwloc_topology_destroy(topology);
    return size;
}

/* libpmix's strings of these CPUs: the set must read as the launcher wrote it. */
static bool write_theirs(struct rank *rank)
{
    pmix_cpuset_t cpuset = PMIX_CPUSET_STATIC_INIT;
    char ours[LENGTH + 8], *written = NULL;

    if (snprintf(ours, sizeof(ours), "hwloc:%s", rank->cpus) >= (int) sizeof(ours)
        || PMIx_Parse_cpuset_string(ours, &cpuset) != PMIX_SUCCESS
        || PMIx_server_generate_cpuset_string(&cpuset, &written) != PMIX_SUCCESS
        || PMIx_server_generate_locality_string(&cpuset, &rank->theirs) != PMIX_SUCCESS) {
        printf("libpmix does not write %s\n", ours);
        return false;
    }
    if (strcmp(ours, written) != 0) {
        printf("cpuset %s here, %s there\n", ours, written);
        return false;
    }
    printf("rank %s %s %s\n", rank->cpus, rank->ours, rank->theirs);
    return true;
}

/* What a locality string has of a kind; empty where it has nothing. */
static hwloc_bitmap_t of_kind(const char *locality, const char *kind)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    char text[LENGTH], *rest = NULL;

    if (snprintf(text, sizeof(text), "%s", locality) >= (int) sizeof(text)) {
        text[0] = '\0';
    }
    for (char *word = strtok_r(text, ":", &rest); word != NULL; word = strtok_r(NULL, ":", &rest)) {
        if (strncmp(word, kind, 2) == 0) {
            hwloc_bitmap_list_sscanf(set, word + 2);
        }
    }
    return set;
}

static bool compare(const char *kind, const struct rank *one, const struct rank *other)
{
    hwloc_bitmap_t sets[] = {of_kind(one->ours, kind), of_kind(other->ours, kind), of_kind(one->theirs, kind), of_kind(other->theirs, kind)};
    bool same = hwloc_bitmap_weight(sets[0]) == hwloc_bitmap_weight(sets[2])
                && hwloc_bitmap_intersects(sets[0], sets[1]) == hwloc_bitmap_intersects(sets[2], sets[3]);

    if (!same) {
        printf("differs in %s: %s and %s here, %s and %s there\n", kind, one->ours, other->ours, one->theirs, other->theirs);
    }
    for (int i = 0; i < 4; i++) {
        hwloc_bitmap_free(sets[i]);
    }
    return same;
}

int main(int argc, char **argv)
{
    static struct rank all[MOST_RANKS];
    unsigned char mask[MOST_CPUS / 8] = {0};
    struct binding binding;
    struct bytes out = BYTES_LIMITED(1 << 20);
    pmix_server_module_t module = {0};
    enum bind to;
    uint32_t ranks, read = 0;
    const char *why;
    bool same = true;

    if (argc != 4 || !bind_read(argv[3], strlen(argv[3]), &to) || atoi(argv[2]) > MOST_RANKS) {
        return 2;
    }
    ranks = (uint32_t) atoi(argv[2]);
    why = bind_plan(&binding, to, ranks, argv[1], mask, cpus_of_host(mask));
    if (why != NULL) {
        printf("%s\n", why);
        return 2;
    }
    if (!bind_write(&binding, ranks, &out) || !bytes_append(&out, "", 1) || PMIx_server_init(&module, NULL, 0) != PMIX_SUCCESS) {
        return 2;
    }
    for (char *line = strtok(bytes_first(&out), "\n"); line != NULL && read < MOST_RANKS; line = strtok(NULL, "\n")) {
        if (sscanf(line, "bound %*u %4095s %4095s", all[read].cpus, all[read].ours) != 2 || !write_theirs(&all[read])) {
            return 1;
        }
        read++;
    }
    for (uint32_t i = 0; i < read; i++) {
        for (uint32_t j = 0; j < read; j++) {
            for (size_t k = 0; k < sizeof(KINDS) / sizeof(KINDS[0]); k++) {
                same &= compare(KINDS[k], &all[i], &all[j]);
            }
        }
    }
    PMIx_server_finalize();
    bind_free(&binding);
    bytes_free(&out);
    return same && read == ranks ? 0 : 1;
}
