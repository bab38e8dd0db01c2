/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bind.h"

#include "facts.h"
#include "files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CACHE_INDEXES = 16 };

static bool read_text(const char *root, uint32_t cpu, const char *name, char *text, size_t size) {
    char path[4096];
    return path_format(path, sizeof path, "%s/sys/devices/system/cpu/cpu%u/%s", root, cpu, name) && file_read(path, text, size);
}

/* First CPU of a list such as "2-3,10-11". */
static bool first_of(const char *root, uint32_t cpu, const char *name, uint32_t *first) {
    char text[16384];
    if (!read_text(root, cpu, name, text, sizeof text) || *text < '0' || *text > '9') return false;
    *first = (uint32_t)strtoul(text, NULL, 10);
    return true;
}

static void read_caches(const char *root, struct bind_cpu *place) {
    char name[64], text[64];
    for (int i = 0; i < CACHE_INDEXES; i++) {
        snprintf(name, sizeof name, "cache/index%d/type", i);
        if (!read_text(root, place->cpu, name, text, sizeof text)) return;
        bool instructions = strncmp(text, "Instruction", 11) == 0;
        snprintf(name, sizeof name, "cache/index%d/level", i);
        if (instructions || !read_text(root, place->cpu, name, text, sizeof text) || *text < '1' || *text > '3') continue;
        snprintf(name, sizeof name, "cache/index%d/shared_cpu_list", i);
        if (!first_of(root, place->cpu, name, &place->caches[*text - '1'])) place->caches[*text - '1'] = BIND_UNKNOWN;
    }
}

static bool read_place(const char *root, struct bind_cpu *place) {
    char text[64];
    for (int level = 0; level < 3; level++) place->caches[level] = BIND_UNKNOWN;
    place->numa = BIND_UNKNOWN;
    place->package = 0;
    /* Linux 5.3 has given the list another name, and kept the old one. */
    if (!first_of(root, place->cpu, "topology/thread_siblings_list", &place->core)) return false;
    if (read_text(root, place->cpu, "topology/physical_package_id", text, sizeof text) && *text >= '0' && *text <= '9') {
        place->package = (uint32_t)strtoul(text, NULL, 10);
    }
    read_caches(root, place);
    return true;
}

static void read_numa(struct binding *b, const char *root) {
    char path[4096], list[16384];
    int node;
    if (!path_format(path, sizeof path, "%s/sys/devices/system/node", root)) return;
    char **names = directory_names(path);
    for (char **name = names; name != NULL && *name != NULL; name++) {
        if (!name_number(*name, "node", &node) || !path_format(path, sizeof path, "%s/sys/devices/system/node/%s/cpulist", root, *name) ||
            !file_read(path, list, sizeof list)) {
            continue;
        }
        for (size_t i = 0; i < b->count; i++) {
            if (cpu_list_has(list, b->cpus[i].cpu)) b->cpus[i].numa = (uint32_t)node;
        }
    }
    free(names);
}

static int by_place(const void *left, const void *right) {
    const struct bind_cpu *a = left, *b = right;
    if (a->numa != b->numa) return a->numa < b->numa ? -1 : 1;
    if (a->core != b->core) return a->core < b->core ? -1 : 1;
    return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

static bool same_unit(enum bind to, const struct bind_cpu *a, const struct bind_cpu *b) {
    return to == BIND_NUMA ? a->numa == b->numa : a->numa == b->numa && a->core == b->core;
}

/* Of units of which the i-th begins at starts[i], and which end at starts[units]. */
static void share_out(struct binding *b, uint32_t ranks, const uint32_t *starts, uint32_t units) {
    for (uint32_t i = 0; i < ranks; i++) {
        uint64_t first = (uint64_t)i * units / ranks;
        uint64_t end = (uint64_t)(i + 1) * units / ranks;
        /* More ranks than NUMA nodes share them. */
        if (end == first) end++;
        b->first[i] = starts[first];
        b->end[i] = starts[end];
    }
}

static const char *unbound(struct binding *b, const char *why) {
    bind_free(b);
    return why;
}

static const char *const NAMES[] = {[BIND_NONE] = "none", [BIND_CORE] = "core", [BIND_NUMA] = "numa"};

const char *bind_name(enum bind to) { return NAMES[to]; }

bool bind_read(const char *text, size_t length, enum bind *to) {
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (strlen(NAMES[i]) == length && strncasecmp(text, NAMES[i], length) == 0) {
            *to = (enum bind)i;
            return true;
        }
    }
    return false;
}

const char *bind_allowed(struct binding *b, enum bind to, uint32_t ranks) {
    size_t size = 0;
    const unsigned char *mask = to == BIND_NONE ? NULL : allowed_cpus(&size);
    return bind_plan(b, to, ranks, "", mask, size);
}

const char *bind_plan(struct binding *b, enum bind to, uint32_t ranks, const char *root, const unsigned char *mask, size_t mask_size) {
    memset(b, 0, sizeof *b);
    if (to == BIND_NONE) return NULL;
    for (size_t cpu = 0; cpu < mask_size * 8; cpu++) b->count += mask[cpu / 8] >> cpu % 8 & 1;
    if (b->count == 0) return unbound(b, "it is not known which CPUs this container may use");
    b->cpus = calloc(b->count, sizeof *b->cpus);
    b->first = calloc(ranks, sizeof *b->first);
    b->end = calloc(ranks, sizeof *b->end);
    uint32_t *starts = calloc(b->count + 1, sizeof *starts);
    const char *why = NULL;
    uint32_t units = 0;
    if (b->cpus == NULL || b->first == NULL || b->end == NULL || starts == NULL) {
        why = "out of memory";
    } else {
        size_t filled = 0;
        for (size_t cpu = 0; cpu < mask_size * 8 && why == NULL; cpu++) {
            if ((mask[cpu / 8] >> cpu % 8 & 1) == 0) continue;
            b->cpus[filled].cpu = (uint32_t)cpu;
            if (!read_place(root, &b->cpus[filled++])) why = "/sys does not say which CPUs are one core";
        }
        if (why == NULL) {
            read_numa(b, root);
            qsort(b->cpus, b->count, sizeof *b->cpus, by_place);
            if (to == BIND_NUMA && b->cpus[b->count - 1].numa == BIND_UNKNOWN) why = "/sys does not say which NUMA node a CPU is of";
            for (uint32_t i = 0; i < b->count; i++) {
                if (i == 0 || !same_unit(to, &b->cpus[i - 1], &b->cpus[i])) starts[units++] = i;
            }
            starts[units] = (uint32_t)b->count;
            if (to == BIND_CORE && units < ranks) why = "there are more ranks than cores";
        }
    }
    if (why == NULL) share_out(b, ranks, starts, units);
    free(starts);
    return why == NULL ? NULL : unbound(b, why);
}

static uint32_t cpu_of(const struct bind_cpu *c) { return c->cpu; }
static uint32_t numa_of(const struct bind_cpu *c) { return c->numa; }
static uint32_t package_of(const struct bind_cpu *c) { return c->package; }
static uint32_t core_of(const struct bind_cpu *c) { return c->core; }
static uint32_t l1_of(const struct bind_cpu *c) { return c->caches[0]; }
static uint32_t l2_of(const struct bind_cpu *c) { return c->caches[1]; }
static uint32_t l3_of(const struct bind_cpu *c) { return c->caches[2]; }

/* Those of what the CPUs of a rank are on, in whole words as the kernel takes them; NULL where one of them is not known (size 0), or without memory. */
static unsigned char *mask_of(const struct binding *b, uint32_t rank, uint32_t (*of)(const struct bind_cpu *), size_t *size) {
    uint32_t highest = 0;
    *size = 0;
    for (uint32_t i = b->first[rank]; i < b->end[rank]; i++) {
        uint32_t value = of(&b->cpus[i]);
        if (value == BIND_UNKNOWN) return NULL;
        if (value > highest) highest = value;
    }
    *size = (highest / (8 * sizeof(unsigned long)) + 1) * sizeof(unsigned long);
    unsigned char *mask = calloc(*size, 1);
    for (uint32_t i = b->first[rank]; mask != NULL && i < b->end[rank]; i++) {
        uint32_t value = of(&b->cpus[i]);
        mask[value / 8] |= (unsigned char)(1 << value % 8);
    }
    return mask;
}

/* "TAG" and the list of what the CPUs of a rank are on, unless that is not known of one of them. */
static bool append_list(const struct binding *b, uint32_t rank, const char *tag, uint32_t (*of)(const struct bind_cpu *), struct bytes *out) {
    char text[32768];
    size_t size;
    unsigned char *mask = mask_of(b, rank, of, &size);
    if (mask == NULL) return size == 0;
    bool fine = cpu_list(mask, size, text, sizeof text) && bytes_append_text(out, tag) && bytes_append_text(out, text);
    free(mask);
    return fine;
}

bool bind_write(const struct binding *b, uint32_t ranks, struct bytes *out) {
    for (uint32_t rank = 0; b->cpus != NULL && rank < ranks; rank++) {
        /* Tags and their order as in libpmix: package, caches, core, hardware thread, NUMA node. */
        if (!bytes_format(out, "bound %u ", rank) || !append_list(b, rank, "", cpu_of, out) || 
            !append_list(b, rank, " SK", package_of, out) || !append_list(b, rank, ":L3", l3_of, out) ||
            !append_list(b, rank, ":L2", l2_of, out) || !append_list(b, rank, ":L1", l1_of, out) || !append_list(b, rank, ":CR", core_of, out) ||
            !append_list(b, rank, ":HT", cpu_of, out) || !append_list(b, rank, ":NM", numa_of, out) || !bytes_append_text(out, "\n")) {
            return false;
        }
    }
    return true;
}

void bind_apply(const struct binding *b, uint32_t rank) {
    if (b->cpus == NULL) return;
    /* Of as many words as its highest CPU needs: the C library's type ends at 1024 CPUs. */
    size_t size;
    unsigned char *mask = mask_of(b, rank, cpu_of, &size);
    if (mask == NULL) return;
    syscall(SYS_sched_setaffinity, 0, size, mask);
    free(mask);
}

void bind_free(struct binding *b) {
    free(b->cpus);
    free(b->first);
    free(b->end);
    memset(b, 0, sizeof *b);
}
