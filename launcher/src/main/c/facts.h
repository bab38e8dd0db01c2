/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_FACTS_H
#define FABRIC_FACTS_H

#include "bind.h"
#include "bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first line. */
#define FACTS_GREETING "hello 1\n"

/*
 * What pmixd has to know of the application's container and cannot see from its own: everything between `hello` and
 * `end`. `root` is the directory that holds sys, dev, proc and etc ("" but in tests). `command` is what every rank runs, NULL where that
 * comes later; `beside_server` is the environment of ranks that pmixd is beside of in their own container, else NULL. False if it does not fit into `hello`.
 */
bool facts_write(struct bytes *hello, const char *root, uint32_t ranks, char *const *command, const struct binding *binding, char *const beside_server[]);

/* The parts of it, each writes its lines; a thing that cannot be read is left out. */
bool facts_write_cpus(struct bytes *hello, const char *root);
bool facts_write_cpu_time(struct bytes *hello, const char *root);
bool facts_write_memory(struct bytes *hello, const char *root);
bool facts_write_program(struct bytes *hello, char *const *command);
bool facts_write_user(struct bytes *hello, const char *root);
/* Whether pmixd, beside the ranks in their container, sees the topology that hwloc of this environment would read. */
bool facts_topology_is_shared(char *const environment[]);
bool facts_write_devices(struct bytes *hello, const char *root);
bool facts_write_interfaces(struct bytes *hello, const char *root);

/* CPUs as a bit mask of `size` bytes to the kernel's list form ("0-3,8"); false if it does not fit. */
bool cpu_list(const unsigned char *mask, size_t size, char *text, size_t text_size);
/* Whether a list in the kernel's form names a CPU of the mask, or this one. */
bool cpu_list_meets(const char *list, const unsigned char *mask, size_t size);
bool cpu_list_has(const char *list, uint32_t cpu);

/* The CPUs that this process may use, as such a mask; size 0 where that is not known. */
const unsigned char *allowed_cpus(size_t *size);

#endif
