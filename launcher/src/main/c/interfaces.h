/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_INTERFACES_H
#define FABRIC_INTERFACES_H

#include <stdbool.h>
#include <stddef.h>

enum { INTERFACES_MAX = 256, ADDRESSES_MAX = 16, INTERFACE_ADDRESS_BYTES = 46 };

/* A network interface that is up, in this process' network namespace. */
struct interface {
    int index;
    bool up; /* and not a loopback */
    char name[16];
    char mac[3 * 32];                                   /* "-" if it has none */
    char ipv4[ADDRESSES_MAX][INTERFACE_ADDRESS_BYTES]; /* neither host nor link scope */
    char ipv6[ADDRESSES_MAX][INTERFACE_ADDRESS_BYTES];
    size_t ipv4_count;
    size_t ipv6_count;
};

struct interfaces {
    struct interface all[INTERFACES_MAX];
    size_t count;
};

/*
 * Takes `length` bytes of an answer of the kernel's (rtnetlink(7)): links and addresses in any number and order, but a
 * link before its addresses. True once the answer's end has been seen; *failed tells of an error in it.
 */
bool interfaces_take(struct interfaces *interfaces, const void *answer, size_t length, bool *failed);

/* Asks the kernel. False if it does not answer. */
bool interfaces_read(struct interfaces *interfaces);

#endif
