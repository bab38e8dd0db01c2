/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FABRIC_CHECK_H
#define FABRIC_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

#define CHECK_TEXT(actual, expected)                                                                         \
    do {                                                                                                     \
        const char *actual_ = (actual), *expected_ = (expected);                                             \
        if (actual_ == NULL || strcmp(actual_, expected_) != 0) {                                            \
            fprintf(stderr, "%s:%d: '%s' instead of '%s'\n", __FILE__, __LINE__, actual_, expected_);        \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

void test_bytes(void);
void test_message(void);
void test_block(void);
void test_facts(void);
void test_interfaces(void);
void test_command(void);
void test_options(void);
void test_output(void);
void test_fuzz(void);
void test_hosts(void);
void test_environment(void);
void test_mpirun(void);
void test_relay(void);
void test_bind(void);
void test_files(void);
void test_pmi(void);

#endif
