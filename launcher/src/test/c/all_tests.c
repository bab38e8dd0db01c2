/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "check.h"

static const struct {
    const char *name;
    void (*run)(void);
} TESTS[] = {
    {"bytes", test_bytes},     {"message", test_message}, {"block", test_block},   {"facts", test_facts}, {"interfaces", test_interfaces},
    {"command", test_command}, {"options", test_options}, {"output", test_output}, {"fuzz", test_fuzz},   {"hosts", test_hosts},
    {"environment", test_environment}, {"mpirun", test_mpirun}, {"relay", test_relay}, {"bind", test_bind}, {"files", test_files},
    {"pmi", test_pmi},
};

int main(void) {
    for (size_t i = 0; i < sizeof TESTS / sizeof TESTS[0]; i++) {
        TESTS[i].run();
        printf("ok %s\n", TESTS[i].name);
        fflush(stdout);
    }
    return 0;
}
