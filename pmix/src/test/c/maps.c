/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads lines from standard input and answers each by one line:
 *   nodes LIST, ranks LIST          what PMIx_generate_regex, PMIx_generate_ppn make of it, in hexadecimal
 *   parse-nodes MAP, parse-ranks MAP    what libpmix's own parser makes of a map, entries joined by '|'
 */
#include <pmix.h>
#include <pmix_server.h>
#include <src/mca/preg/preg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t map_length(const char *map)
{
    size_t length = strlen(map);

    if (strncmp(map, "blob:", 5) == 0) {
        const char *component = map + length + 1;
        const char *size = component + strlen(component) + 1;
        const char *bytes = size + strlen(size) + 1;
        return (size_t) (bytes - map) + strtoul(size + strlen("size="), NULL, 10);
    }
    return length;
}

int main(void)
{
    static pmix_server_module_t module;
    static char line[1 << 20];

    if (PMIx_server_init(&module, NULL, 0) != PMIX_SUCCESS) {
        return 1;
    }
    while (fgets(line, sizeof(line), stdin) != NULL) {
        char *argument = strchr(line, ' ');
        char *map = NULL, **entries = NULL;
        pmix_status_t status = PMIX_ERR_BAD_PARAM;

        line[strcspn(line, "\n")] = '\0';
        *argument++ = '\0';
        if (strcmp(line, "nodes") == 0) {
            status = PMIx_generate_regex(argument, &map);
        } else if (strcmp(line, "ranks") == 0) {
            status = PMIx_generate_ppn(argument, &map);
        } else if (strcmp(line, "parse-nodes") == 0) {
            status = pmix_preg.parse_nodes(argument, &entries);
        } else if (strcmp(line, "parse-ranks") == 0) {
            status = pmix_preg.parse_procs(argument, &entries);
        }
        if (status != PMIX_SUCCESS) {
            printf("%s", PMIx_Error_string(status));
        } else if (map != NULL) {
            for (size_t i = 0, length = map_length(map); i < length; i++) {
                printf("%02x", (unsigned char) map[i]);
            }
        }
        for (int i = 0; entries != NULL && entries[i] != NULL; i++) {
            printf("%s%s", i == 0 ? "" : "|", entries[i]);
        }
        printf("\n");
    }
    PMIx_server_finalize();
    return 0;
}
