/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Times calls of a PMIx client. Run by every rank of two nodes with two ranks each, under any PMIx server: rank 0 calls and writes, the others answer
 * or wait in a fence. The file has a line "CALL NANOSECONDS" for each call, or "CALL STATUS" once where the server does not serve it.
 *
 *   calls FILE ROUNDS
 */
#include <pmix.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REMOTE = 2, RANKS = 4, DATA_BYTES = 1024 };

static pmix_proc_t self, all;
static FILE *out;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int arrived_events;

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t) time.tv_sec * 1000000000 + time.tv_nsec;
}

static void need(const char *what, pmix_status_t status)
{
    if (status == PMIX_SUCCESS) return;
    fprintf(stderr, "calls: rank %u: %s: %s\n", self.rank, what, PMIx_Error_string(status));
    exit(1);
}

/* Writes what rank 0's call took. False if the server does not serve the call. */
static bool timed(const char *call, int64_t start, pmix_status_t status)
{
    int64_t took = now() - start;

    if (self.rank != 0) return status == PMIX_SUCCESS;
    if (status == PMIX_SUCCESS) {
        fprintf(out, "%s %ld\n", call, (long) took);
    } else {
        fprintf(out, "%s %s\n", call, PMIx_Error_string(status));
    }
    return status == PMIX_SUCCESS;
}

static void fence(bool data)
{
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, NULL, PMIX_BOOL);
    need("fence", PMIx_Fence(&all, 1, data ? &info : NULL, data ? 1 : 0));
}

static void put(const char *key, int round, size_t size)
{
    static char bytes[DATA_BYTES];
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT, .data.bo = {.bytes = bytes, .size = size}};

    memset(bytes, round, size);
    need("put", PMIx_Put(PMIX_GLOBAL, key, &value));
    need("commit", PMIx_Commit());
}

static void gets(int rounds)
{
    pmix_proc_t remote;
    pmix_value_t *value;
    bool served = true;

    PMIX_LOAD_PROCID(&remote, self.nspace, REMOTE);
    for (int i = 0; served && i < rounds; i++) {
        int64_t start = now();
        served = timed("get-job-key", start, PMIx_Get(&all, PMIX_JOB_SIZE, NULL, 0, &value));
        if (served) PMIX_VALUE_RELEASE(value);
    }
    served = true;
    for (int i = 0; served && i < rounds; i++) {
        int64_t start = now();
        served = timed("get-rank-key", start, PMIx_Get(&remote, PMIX_HOSTNAME, NULL, 0, &value));
        if (served) PMIX_VALUE_RELEASE(value);
    }
    /* answered by the server itself: the process has no value to look up */
    pmix_query_t query;
    PMIX_QUERY_CONSTRUCT(&query);
    PMIx_Argv_append_nosize(&query.keys, PMIX_QUERY_NAMESPACES);
    served = true;
    for (int i = 0; served && i < rounds / 4; i++) {
        pmix_info_t *results = NULL;
        size_t count = 0;
        int64_t start = now();
        served = timed("query", start, PMIx_Query_info(&query, 1, &results, &count));
        if (served) PMIX_INFO_FREE(results, count);
    }
    PMIX_QUERY_DESTRUCT(&query);
}

static void fabric(int rounds)
{
    bool served = true;

    for (int i = 0; served && i < rounds; i++) {
        pmix_fabric_t fabric;
        PMIX_FABRIC_CONSTRUCT(&fabric);
        int64_t start = now();
        pmix_status_t status = PMIx_Fabric_register(&fabric, NULL, 0);
        int64_t end = now();
        if (status != PMIX_SUCCESS || fabric.ninfo > 0) {
            served = timed("fabric-register", now() - (end - start), status);
        } else {
            fprintf(out, "fabric-register success-without-values\n");
            served = false;
        }
        if (status == PMIX_SUCCESS) PMIx_Fabric_deregister(&fabric);
    }
}

/*
 * Every rank: fences, and keys that another rank has put, after a fence that collects them and after one that does not. All that a rank has ever put
 * goes with its keys, so that these are few.
 */
static void exchanges(int rounds, int keys)
{
    pmix_proc_t remote;
    pmix_value_t *value;
    char key[64];

    PMIX_LOAD_PROCID(&remote, self.nspace, REMOTE);
    for (int i = 0; i < keys; i++) {
        snprintf(key, sizeof key, "fetched-%d", i);
        if (self.rank == REMOTE) put(key, i, 8);
        fence(false);
        if (self.rank == 0) {
            int64_t start = now();
            if (timed("get-fetched", start, PMIx_Get(&remote, key, NULL, 0, &value))) PMIX_VALUE_RELEASE(value);
        }
        fence(false);
    }
    for (int i = 0; i < keys; i++) {
        snprintf(key, sizeof key, "collected-%d", i);
        put(key, i, DATA_BYTES);
        fence(false);
        int64_t start = now();
        fence(true);
        timed("fence-1KiB-each", start, PMIX_SUCCESS);
        if (self.rank == 0) {
            start = now();
            if (timed("get-collected", start, PMIx_Get(&remote, key, NULL, 0, &value))) PMIX_VALUE_RELEASE(value);
        }
    }
    for (int i = 0; i < rounds; i++) {
        fence(false);
        int64_t start = now();
        fence(false);
        timed("fence", start, PMIX_SUCCESS);
    }
}

static void notify(pmix_status_t code)
{
    need("notify", PMIx_Notify_event(code, &self, PMIX_RANGE_NAMESPACE, NULL, 0, NULL, NULL));
}

static void on_event(size_t handler, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[], size_t ninfo,
                     pmix_info_t *results, size_t nresults, pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    (void) handler, (void) status, (void) source, (void) info, (void) ninfo, (void) results, (void) nresults;
    pthread_mutex_lock(&lock);
    arrived_events++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    if (cbfunc != NULL) cbfunc(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

/* False after two seconds. */
static bool await_event(int number)
{
    struct timespec until;
    int failed = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    pthread_mutex_lock(&lock);
    while (arrived_events < number && failed == 0) failed = pthread_cond_timedwait(&changed, &lock, &until);
    bool arrived = arrived_events >= number;
    pthread_mutex_unlock(&lock);
    return arrived;
}

/* Rank 0 and a peer send an event to and fro, with codes of their own: a new handler is told of events that came before it. */
static void events(const char *call, pmix_rank_t peer, int rounds)
{
    pmix_status_t ping = PMIX_EXTERNAL_ERR_BASE - 1 - 2 * (pmix_status_t) peer, pong = ping - 1;
    pmix_status_t mine = self.rank == 0 ? pong : ping;

    arrived_events = 0;
    if (self.rank != 0 && self.rank != peer) {
        fence(false);
        fence(false);
        return;
    }
    pmix_status_t handler = PMIx_Register_event_handler(&mine, 1, NULL, 0, on_event, NULL, NULL);
    if (handler < 0) need("register", handler);
    fence(false);
    bool arrived = true;
    for (int i = 1; arrived && i <= rounds; i++) {
        if (self.rank == 0) {
            int64_t start = now();
            notify(ping);
            arrived = await_event(i);
            timed(call, start, arrived ? PMIX_SUCCESS : PMIX_ERR_TIMEOUT);
        } else {
            arrived = await_event(i);
            if (arrived) notify(pong);
        }
    }
    fence(false);
}

static pmix_status_t look_up(const char *key)
{
    pmix_pdata_t data;

    PMIX_PDATA_CONSTRUCT(&data);
    PMIX_LOAD_KEY(data.key, key);
    pmix_status_t status = PMIx_Lookup(&data, 1, NULL, 0);
    PMIX_PDATA_DESTRUCT(&data);
    return status;
}

static void names(int rounds)
{
    char key[64];
    char *keys[] = {key, NULL};
    pmix_info_t info;
    bool served = true;

    /* the first pod may be the one that keeps published data, so that the other one publishes too */
    if (self.rank == REMOTE) {
        for (int i = 0; i < rounds; i++) {
            snprintf(key, sizeof key, "remote-%d", i);
            PMIX_INFO_LOAD(&info, key, "tcp://10.0.0.1:5555", PMIX_STRING);
            need("publish", PMIx_Publish(&info, 1));
        }
    }
    fence(false);
    for (int i = 0; self.rank == 0 && served && i < rounds; i++) {
        snprintf(key, sizeof key, "own-%d", i);
        PMIX_INFO_LOAD(&info, key, "tcp://10.0.0.1:5555", PMIX_STRING);
        int64_t start = now();
        served = timed("publish", start, PMIx_Publish(&info, 1));
    }
    for (int i = 0; self.rank == 0 && served && i < rounds; i++) {
        snprintf(key, sizeof key, "remote-%d", i);
        int64_t start = now();
        timed("lookup", start, look_up(key));
    }
    for (int i = 0; self.rank == 0 && served && i < rounds; i++) {
        snprintf(key, sizeof key, "own-%d", i);
        int64_t start = now();
        timed("unpublish", start, PMIx_Unpublish(keys, NULL, 0));
    }
    fence(false);
}

/* Of all ranks, each under a name of its own, with a context id: a client of 5.0.7 takes an answer without any value for PMIX_ERR_BAD_PARAM. */
static void groups(int rounds)
{
    char name[64];
    pmix_info_t numbered;
    pmix_proc_t members[RANKS];
    pmix_info_t *results;
    size_t count;
    bool served = true;

    PMIX_INFO_LOAD(&numbered, PMIX_GROUP_ASSIGN_CONTEXT_ID, NULL, PMIX_BOOL);
    for (int rank = 0; rank < RANKS; rank++) PMIX_LOAD_PROCID(&members[rank], self.nspace, rank);
    for (int i = 0; served && i < rounds; i++) {
        snprintf(name, sizeof name, "group-%d", i);
        fence(false);
        int64_t start = now();
        results = NULL;
        count = 0;
        served = timed("group-construct", start, PMIx_Group_construct(name, members, RANKS, &numbered, 1, &results, &count));
        if (!served) return;
        PMIX_INFO_FREE(results, count);
        fence(false);
        start = now();
        served = timed("group-destruct", start, PMIx_Group_destruct(name, NULL, 0));
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    int rounds = atoi(argv[2]);
    need("init", PMIx_Init(&self, NULL, 0));
    PMIX_LOAD_PROCID(&all, self.nspace, PMIX_RANK_WILDCARD);
    if (self.rank == 0) {
        out = fopen(argv[1], "w");
        if (out == NULL) return 2;
    }
    fence(false);
    if (self.rank == 0) {
        gets(rounds * 4);
        fabric(rounds);
    }
    fence(false);
    exchanges(rounds, rounds / 4);
    names(rounds);
    groups(rounds / 4);
    /* libpmix sends them in small pieces that wait for each other: tens of milliseconds each */
    events("event-same-node", 1, rounds / 10);
    events("event-other-node", REMOTE, rounds / 10);
    if (self.rank == 0) fclose(out);
    return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1;
}
