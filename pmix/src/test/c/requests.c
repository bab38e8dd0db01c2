/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * One client of a PMIx server that asks one thing, named by its argument, and prints the answer.
 */
#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pmix_proc_t self;
static volatile int delivered;

static const char *text_of(pmix_status_t status)
{
    return PMIx_Error_string(status);
}

static void on_event(size_t handler, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[], size_t ninfo,
                     pmix_info_t *results, size_t nresults, pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    (void) handler, (void) results, (void) nresults;
    if (status == PMIX_EVENT_NODE_DOWN) {
        printf("event %s from %s", text_of(status), source->nspace);
        for (size_t i = 0; i < ninfo; i++) {
            if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROC)) {
                printf(" affected %u", info[i].value.data.proc->rank);
            } else if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_TEXT_MESSAGE)) {
                printf(" text %s", info[i].value.data.string);
            }
        }
        printf("\n");
        fflush(stdout);
        delivered = 1;
    }
    if (cbfunc != NULL) {
        cbfunc(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
    }
}

static void ask_spawn(void)
{
    pmix_app_t app;
    char child[PMIX_MAX_NSLEN + 1];
    pmix_status_t status;

    PMIX_APP_CONSTRUCT(&app);
    app.cmd = strdup("/bin/true");
    PMIx_Argv_append_nosize(&app.argv, "/bin/true");
    app.maxprocs = 1;
    status = PMIx_Spawn(NULL, 0, &app, 1, child);
    printf("spawn %s\n", text_of(status));
}

static void ask_query(const char *key)
{
    pmix_query_t query;
    pmix_info_t *results = NULL;
    size_t count = 0;
    pmix_status_t status;

    PMIX_QUERY_CONSTRUCT(&query);
    PMIx_Argv_append_nosize(&query.keys, key);
    status = PMIx_Query_info(&query, 1, &results, &count);
    printf("query %s %s\n", key, text_of(status));
}

static void ask_event(void)
{
    pmix_info_t info;
    pmix_status_t code = PMIX_EVENT_NODE_DOWN;
    pmix_status_t status = PMIx_Register_event_handler(&code, 1, NULL, 0, on_event, NULL, NULL);

    printf("register %s\n", status >= 0 ? "PMIX_SUCCESS" : text_of(status));
    PMIX_INFO_LOAD(&info, PMIX_EVENT_TEXT_MESSAGE, "hello", PMIX_STRING);
    status = PMIx_Notify_event(PMIX_EVENT_SYS_OTHER, &self, PMIX_RANGE_GLOBAL, &info, 1, NULL, NULL);
    printf("notify %s\n", text_of(status));
    fflush(stdout);
    for (int i = 0; i < 500 && !delivered; i++) {
        usleep(10000);
    }
}

/* Every rank of every pod takes part, so that the fence leaves the pod. */
static void ask_fence(void)
{
    pmix_value_t value, *got = NULL;
    pmix_info_t collect;
    pmix_proc_t all, other;
    pmix_status_t status;
    bool yes = true;

    PMIX_VALUE_LOAD(&value, "card", PMIX_STRING);
    PMIx_Put(PMIX_GLOBAL, "test.card", &value);
    PMIx_Commit();
    PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    PMIX_LOAD_PROCID(&all, self.nspace, PMIX_RANK_WILDCARD);
    status = PMIx_Fence(&all, 1, &collect, 1);
    printf("fence %s\n", text_of(status));
    PMIX_LOAD_PROCID(&other, self.nspace, self.rank + 1);
    status = PMIx_Get(&other, "test.card", NULL, 0, &got);
    printf("get %s\n", text_of(status));
}

/* What the standard has and this server does not, and what libpmix resolves by itself. */
static void ask_others(void)
{
    pmix_info_t info, *results = NULL;
    pmix_proc_t *peers = NULL, all;
    pmix_pdata_t pdata;
    pmix_fabric_t fabric;
    char *nodes = NULL;
    size_t count = 0;
    bool yes = true;

    PMIX_LOAD_PROCID(&all, self.nspace, PMIX_RANK_WILDCARD);
    printf("resolve_peers %s", text_of(PMIx_Resolve_peers("job-1", self.nspace, &peers, &count)));
    printf(" %zu\n", count);
    printf("resolve_nodes %s", text_of(PMIx_Resolve_nodes(self.nspace, &nodes)));
    printf(" %s\n", nodes == NULL ? "" : nodes);
    PMIX_INFO_LOAD(&info, "test.card", "card", PMIX_STRING);
    printf("publish %s\n", text_of(PMIx_Publish(&info, 1)));
    PMIX_PDATA_CONSTRUCT(&pdata);
    PMIX_LOAD_KEY(pdata.key, "test.card");
    printf("lookup %s\n", text_of(PMIx_Lookup(&pdata, 1, NULL, 0)));
    printf("connect %s\n", text_of(PMIx_Connect(&all, 1, NULL, 0)));
    printf("group %s\n", text_of(PMIx_Group_construct("test", &all, 1, NULL, 0, &results, &count)));
    PMIX_INFO_LOAD(&info, PMIX_JOB_CTRL_TERMINATE, &yes, PMIX_BOOL);
    printf("job_control %s\n", text_of(PMIx_Job_control(&all, 1, &info, 1, &results, &count)));
    PMIX_INFO_LOAD(&info, PMIX_LOG_STDERR, "logged", PMIX_STRING);
    printf("log %s\n", text_of(PMIx_Log(&info, 1, NULL, 0)));
    PMIX_FABRIC_CONSTRUCT(&fabric);
    printf("fabric %s\n", text_of(PMIx_Fabric_register(&fabric, NULL, 0)));
}

static const char *string_of(uint32_t rank, const char *key)
{
    pmix_proc_t proc;
    pmix_value_t *value;

    PMIX_LOAD_PROCID(&proc, self.nspace, rank);
    return PMIx_Get(&proc, key, NULL, 0, &value) == PMIX_SUCCESS && value->type == PMIX_STRING ? value->data.string : "-";
}

/* Where each rank is bound. */
static void ask_locality(uint32_t ranks)
{
    for (uint32_t rank = 0; rank < ranks; rank++) {
        pmix_cpuset_t cpuset = PMIX_CPUSET_STATIC_INIT;
        const char *cpus = string_of(rank, PMIX_CPUSET);
        const char *parsed = text_of(PMIx_Parse_cpuset_string(cpus, &cpuset));

        printf("locality %u %s %s %s\n", rank, cpus, parsed, string_of(rank, PMIX_LOCALITY_STRING));
    }
}

int main(int argc, char **argv)
{
    pmix_status_t status = PMIx_Init(&self, NULL, 0);

    setvbuf(stdout, NULL, _IOLBF, 1 << 12);

    if (status != PMIX_SUCCESS || argc < 2) {
        fprintf(stderr, "PMIx_Init: %s\n", text_of(status));
        return 1;
    }
    if (strcmp(argv[1], "abort") == 0) {
        status = PMIx_Abort(7, "cannot go on", NULL, 0);
        printf("abort %s\n", text_of(status));
        fflush(stdout);
        return 7;
    } else if (strcmp(argv[1], "spawn") == 0) {
        ask_spawn();
    } else if (strcmp(argv[1], "query") == 0) {
        ask_query(argv[2]);
    } else if (strcmp(argv[1], "event") == 0) {
        ask_event();
    } else if (strcmp(argv[1], "fence") == 0) {
        ask_fence();
    } else if (strcmp(argv[1], "others") == 0) {
        ask_others();
    } else if (strcmp(argv[1], "locality") == 0) {
        ask_locality((uint32_t) atoi(argv[2]));
    }
    fflush(stdout);
    return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1;
}
