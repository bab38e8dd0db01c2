/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A rank that puts 1 KiB, fences it, and is there until a file is: wait FILE. The last rank writes FILE.ready.
 */
#include <pmix.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char bytes[1024];
    pmix_proc_t self, all;
    pmix_value_t *size, value = {.type = PMIX_BYTE_OBJECT, .data.bo = {.bytes = bytes, .size = sizeof bytes}};
    pmix_info_t info;
    char path[4096];

    if (argc != 2 || PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS) return 1;
    PMIX_LOAD_PROCID(&all, self.nspace, PMIX_RANK_WILDCARD);
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, NULL, PMIX_BOOL);
    if (PMIx_Get(&all, PMIX_JOB_SIZE, NULL, 0, &size) != PMIX_SUCCESS) return 1;
    if (PMIx_Put(PMIX_GLOBAL, "data", &value) != PMIX_SUCCESS || PMIx_Commit() != PMIX_SUCCESS) return 1;
    if (PMIx_Fence(&all, 1, &info, 1) != PMIX_SUCCESS) return 1;
    if (self.rank == size->data.uint32 - 1) {
        snprintf(path, sizeof path, "%s.ready", argv[1]);
        FILE *ready = fopen(path, "w");
        if (ready == NULL || fclose(ready) != 0) return 1;
    }
    while (access(argv[1], F_OK) != 0) usleep(100000);
    return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1;
}
