/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * fence BYTES STEP: of a job's ranks every STEP-th is to run this. Each puts so many bytes that no compression makes fewer, takes part in a
 * fence of them all that collects the data, reads the last one's, and takes part in a fence without data.
 */
#include <pmix.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fill(char *bytes, size_t count, uint32_t rank)
{
    uint64_t state = 0x9e3779b97f4a7c15u * (rank + 1u);
    for (size_t i = 0; i < count; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes[i] = (char) state;
    }
}

static void require(pmix_status_t status, const char *what)
{
    if (status != PMIX_SUCCESS) {
        printf("%s: %s\n", what, PMIx_Error_string(status));
        exit(1);
    }
}

int main(int argc, char **argv)
{
    size_t bytes = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
    uint32_t step = argc > 2 ? (uint32_t) strtoul(argv[2], NULL, 10) : 0;
    char *own = malloc(bytes + 1);
    char *expected = malloc(bytes + 1);
    pmix_proc_t self, all, *participants;
    pmix_value_t put, *got;
    pmix_info_t collect;
    bool wanted = true;

    if (step == 0 || own == NULL || expected == NULL) return 2;
    require(PMIx_Init(&self, NULL, 0), "init");
    PMIX_LOAD_PROCID(&all, self.nspace, PMIX_RANK_WILDCARD);
    require(PMIx_Get(&all, PMIX_JOB_SIZE, NULL, 0, &got), "job size");
    uint32_t count = (got->data.uint32 + step - 1) / step;
    participants = calloc(count, sizeof *participants);
    if (participants == NULL) return 2;
    for (uint32_t i = 0; i < count; i++) PMIX_LOAD_PROCID(&participants[i], self.nspace, i * step);

    fill(own, bytes, self.rank);
    put.type = PMIX_BYTE_OBJECT;
    put.data.bo.bytes = own;
    put.data.bo.size = bytes;
    require(PMIx_Put(PMIX_GLOBAL, "test.bytes", &put), "put");
    require(PMIx_Commit(), "commit");
    PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &wanted, PMIX_BOOL);
    pmix_status_t status = PMIx_Fence(participants, count, &collect, 1);
    printf("fence with data: %s\n", PMIx_Error_string(status));
    if (status == PMIX_SUCCESS) {
        pmix_proc_t last = participants[count - 1];
        fill(expected, bytes, last.rank);
        require(PMIx_Get(&last, "test.bytes", NULL, 0, &got), "get");
        bool same = got->type == PMIX_BYTE_OBJECT && got->data.bo.size == bytes && memcmp(got->data.bo.bytes, expected, bytes) == 0;
        printf("the last one's bytes: %s\n", same ? "right" : "wrong");
    }
    status = PMIx_Fence(participants, count, NULL, 0);
    printf("fence without data: %s\n", PMIx_Error_string(status));
    fflush(stdout);
    return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1;
}
