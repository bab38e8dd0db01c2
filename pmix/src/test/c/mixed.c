/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every rank of a job asks everything at once: its main thread takes part in what all ranks do together, a second one publishes, looks up and fetches what
 * other ranks have put, and a third one logs, so that the server's own work and its answers meet in every order. Ends with 1 at the first wrong answer.
 *
 *   mixed ROUNDS
 */
#include <pmix.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_EVERY = 4, FETCH_EVERY = 64, LARGE_EVERY = 16, LARGE = 20000 };

static pmix_proc_t self, all;
static uint32_t size;
static int rounds;

static void need(const char *what, int round, pmix_status_t status)
{
    if (status == PMIX_SUCCESS) return;
    printf("rank %u: %s of round %d: %s\n", self.rank, what, round, PMIx_Error_string(status));
    exit(1);
}

static void right(const char *what, int round, bool is)
{
    if (!is) need(what, round, PMIX_ERR_BAD_PARAM);
}

static void put(int round, size_t bytes)
{
    static char content[LARGE];
    char key[64];
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT, .data.bo = {.bytes = content, .size = bytes}};

    memset(content, 'a' + round % 26, bytes);
    snprintf(key, sizeof key, "key-%d", round);
    need("put", round, PMIx_Put(PMIX_GLOBAL, key, &value));
    need("commit", round, PMIx_Commit());
}

static void get(int round, uint32_t rank, size_t bytes)
{
    pmix_proc_t proc;
    pmix_value_t *value = NULL;
    char key[64];

    snprintf(key, sizeof key, "key-%d", round);
    PMIX_LOAD_PROCID(&proc, self.nspace, rank);
    need("get", round, PMIx_Get(&proc, key, NULL, 0, &value));
    right("value got", round, value->type == PMIX_BYTE_OBJECT && value->data.bo.size == bytes && value->data.bo.bytes[bytes - 1] == 'a' + round % 26);
    PMIX_VALUE_RELEASE(value);
}

/* Each with the rank that is next, whose value may not be there yet. */
static void *names(void *unused)
{
    char key[64];
    char *keys[] = {key, NULL};
    pmix_info_t info, wait;
    pmix_pdata_t data;
    uint32_t next = (self.rank + 1) % size;

    PMIX_INFO_LOAD(&wait, PMIX_WAIT, NULL, PMIX_BOOL);
    for (int i = 0; i < rounds; i++) {
        snprintf(key, sizeof key, "name-%u-%d", self.rank, i);
        PMIX_INFO_LOAD(&info, key, key, PMIX_STRING);
        need("publish", i, PMIx_Publish(&info, 1));
        PMIX_INFO_DESTRUCT(&info);
        PMIX_PDATA_CONSTRUCT(&data);
        snprintf(data.key, sizeof data.key, "name-%u-%d", next, i);
        need("lookup", i, PMIx_Lookup(&data, 1, &wait, 1));
        right("value looked up", i, data.value.type == PMIX_STRING && strcmp(data.value.data.string, data.key) == 0 && data.proc.rank == next);
        PMIX_PDATA_DESTRUCT(&data);
        /* whoever looked for it must have found it: round i needs round i - 1 of the next rank, that one round i - 2 of the one after it, and so around */
        if (i >= (int) size) {
            snprintf(key, sizeof key, "name-%u-%d", self.rank, i - (int) size);
            need("unpublish", i, PMIx_Unpublish(keys, NULL, 0));
        }
    }
    return unused;
}

static void *lines(void *unused)
{
    pmix_info_t line;

    for (int i = 0; i < rounds / LOG_EVERY; i++) {
        PMIX_INFO_LOAD(&line, PMIX_LOG_STDOUT, "a line", PMIX_STRING);
        need("log", i, PMIx_Log(&line, 1, NULL, 0));
        PMIX_INFO_DESTRUCT(&line);
    }
    return unused;
}

static void together(int round, const pmix_proc_t *members)
{
    char name[64];
    pmix_info_t info, *results = NULL;
    size_t count = 0;

    need("fence", round, PMIx_Fence(&all, 1, NULL, 0));
    if (round % FETCH_EVERY == 0) {
        /* Without a fence that collects it. The first time of a rank that may not have put anything yet: later ones would not wait for this key. */
        put(round, 8);
        if (round > 0) need("fence before get", round, PMIx_Fence(&all, 1, NULL, 0));
        get(round, (self.rank + size / 2) % size, 8);
    } else if (round % LARGE_EVERY == 0) {
        put(round, LARGE);
        PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, NULL, PMIX_BOOL);
        need("fence with data", round, PMIx_Fence(&all, 1, &info, 1));
        get(round, (self.rank + size / 2) % size, LARGE);
    }
    snprintf(name, sizeof name, "group-%d", round);
    PMIX_INFO_LOAD(&info, PMIX_GROUP_ASSIGN_CONTEXT_ID, NULL, PMIX_BOOL);
    need("construct", round, PMIx_Group_construct(name, members, size, &info, 1, &results, &count));
    PMIX_INFO_FREE(results, count);
    need("destruct", round, PMIx_Group_destruct(name, NULL, 0));
    need("connect", round, PMIx_Connect(&all, 1, NULL, 0));
    need("disconnect", round, PMIx_Disconnect(&all, 1, NULL, 0));
}

int main(int argc, char **argv)
{
    pmix_value_t *value;
    pthread_t threads[2];

    setvbuf(stdout, NULL, _IOLBF, 1 << 12);
    if (argc != 2) return 2;
    rounds = atoi(argv[1]);
    need("init", 0, PMIx_Init(&self, NULL, 0));
    PMIX_LOAD_PROCID(&all, self.nspace, PMIX_RANK_WILDCARD);
    need("size", 0, PMIx_Get(&all, PMIX_JOB_SIZE, NULL, 0, &value));
    size = value->data.uint32;
    pmix_proc_t *members = calloc(size, sizeof *members);
    for (uint32_t rank = 0; rank < size; rank++) PMIX_LOAD_PROCID(&members[rank], self.nspace, rank);

    if (pthread_create(&threads[0], NULL, names, NULL) != 0 || pthread_create(&threads[1], NULL, lines, NULL) != 0) return 2;
    for (int i = 0; i < rounds; i++) together(i, members);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    need("last fence", rounds, PMIx_Fence(&all, 1, NULL, 0));
    printf("all rounds\n");
    free(members);
    return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1;
}
