/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * On which CPUs the ranks of this pod run. They share out the CPUs that the container may use, in the order of NUMA nodes, then of cores: rank i of r
 * takes the i-th of r equal shares of the cores, or of the NUMA nodes. What is one core, one cache and one NUMA node is read from
 * /sys/devices/system (kernel: Documentation/ABI/stable/sysfs-devices-system-cpu, sysfs-devices-node).
 */
#ifndef FABRIC_BIND_H
#define FABRIC_BIND_H

#include "bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bind { BIND_NONE, BIND_CORE, BIND_NUMA };

/* Reads "none", "core" or "numa", of which the first `length` bytes count. */
bool bind_read(const char *text, size_t length, enum bind *to);
const char *bind_name(enum bind to);

/* One CPU that may be used, and the lowest of those with which it shares something. */
struct bind_cpu {
    uint32_t cpu;
    uint32_t numa;
    uint32_t package;
    uint32_t core;
    uint32_t caches[3]; /* of level 1 to 3; BIND_UNKNOWN: there is none */
};

#define BIND_UNKNOWN UINT32_MAX

struct binding {
    struct bind_cpu *cpus; /* in the order in which they are shared out; NULL: no rank is bound */
    size_t count;
    uint32_t *first;       /* of each rank, where its CPUs begin; those of rank i end before end[i] */
    uint32_t *end;
};

/*
 * Shares out the CPUs of a mask. Returns NULL, or why the ranks stay unbound, in words for the log; out of memory is such a reason too. The
 * paths begin with root.
 */
const char *bind_plan(struct binding *b, enum bind to, uint32_t ranks, const char *root, const unsigned char *mask, size_t mask_size);

/* The same of the CPUs that this process may use. */
const char *bind_allowed(struct binding *b, enum bind to, uint32_t ranks);

/*
 * A line "bound RANK CPUS LOCALITY" for each rank, the locality in the form of PMIx_server_generate_locality_string; nothing where none is bound. A
 * package, cache or core has the number of its lowest CPU, where libpmix counts: ranks of one host compare them, nobody else does.
 */
bool bind_write(const struct binding *b, uint32_t ranks, struct bytes *out);

/* Binds this process to the CPUs of a rank; where the kernel refuses, it goes on as it is. */
void bind_apply(const struct binding *b, uint32_t rank);

void bind_free(struct binding *b);

#endif
