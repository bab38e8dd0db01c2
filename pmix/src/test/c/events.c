/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Events of the fabric, and what is read after them. Run by every rank of several pods; rank 0 asks for generations 2 and 3 of the fabric by
 * files in the directory that is the argument. Prints "event CODE ..." in the order of the events, and "WHEN WHAT: VALUES"; rank 0 "after MILLISECONDS" from its
 * question to an update.
 */
#include <fcntl.h>
#include <pmix.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pmix_proc_t self, all;
static uint32_t size, nodes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int updated, endpoints;
static struct timespec asked;

static void on_event(size_t handler, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[], size_t ninfo,
                     pmix_info_t *results, size_t nresults, pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    (void) handler, (void) source, (void) results, (void) nresults;
    pthread_mutex_lock(&lock);
    printf("event %s", PMIx_Error_string(status));
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_FABRIC_INDEX) && info[i].value.type == PMIX_SIZE) {
            printf(" index %zu", info[i].value.data.size);
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_FABRIC_PLANE) && info[i].value.type == PMIX_DATA_ARRAY) {
            pmix_data_array_t *planes = info[i].value.data.darray;
            for (size_t p = 0; p < planes->size; p++) printf(" plane %s", ((char **) planes->array)[p]);
        } else if (strcmp(info[i].key, "fabric-operator.coordinates-updated") == 0 && info[i].value.type == PMIX_BOOL) {
            printf(" coordinates %s", info[i].value.data.flag ? "yes" : "no");
        }
    }
    printf("\n");
    if (status == PMIX_FABRIC_UPDATED) updated++;
    if (status == PMIX_FABRIC_UPDATED && self.rank == 0) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        printf("after %ld ms\n", (now.tv_sec - asked.tv_sec) * 1000 + (now.tv_nsec - asked.tv_nsec) / 1000000);
    }
    if (status == PMIX_FABRIC_UPDATE_ENDPOINTS) endpoints++;
    pthread_mutex_unlock(&lock);
    if (cbfunc != NULL) cbfunc(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void on_any(size_t handler, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[], size_t ninfo,
                   pmix_info_t *results, size_t nresults, pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    (void) handler, (void) source, (void) info, (void) ninfo, (void) results, (void) nresults;
    printf("default handler: %s\n", PMIx_Error_string(status));
    if (cbfunc != NULL) cbfunc(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void await(int updates, int endpoint_updates)
{
    for (int tries = 0; tries < 3000; tries++) {
        pthread_mutex_lock(&lock);
        int done = updated >= updates && endpoints >= endpoint_updates;
        pthread_mutex_unlock(&lock);
        if (done) return;
        usleep(10000);
    }
    printf("no event within 30 s\n");
    exit(1);
}

static void barrier(void)
{
    if (PMIx_Fence(&all, 1, NULL, 0) != PMIX_SUCCESS) exit(1);
}

static void ask_for(const char *directory, int generation)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/generation-%d", directory, generation);
    clock_gettime(CLOCK_MONOTONIC, &asked);
    if (self.rank == 0) close(open(path, O_CREAT | O_WRONLY, 0644));
}

static void print_costs(const char *when, pmix_value_t *value)
{
    uint16_t *costs = value->data.darray->array;
    printf("%s costs: %u %u\n", when, costs[2], costs[value->data.darray->size - 3]);
}

/* the last pod's and the last rank's values */
static void values(const char *when, bool refresh)
{
    pmix_proc_t last;
    pmix_value_t *got;
    pmix_info_t info[2];
    uint32_t node = nodes - 1;
    bool yes = true;

    PMIX_LOAD_PROCID(&last, self.nspace, size - 1);
    PMIX_INFO_LOAD(&info[0], PMIX_GET_REFRESH_CACHE, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[1], PMIX_NODEID, &node, PMIX_UINT32);
    if (PMIx_Get(&all, PMIX_FABRIC_COST_MATRIX, info, refresh ? 1 : 0, &got) == PMIX_SUCCESS) print_costs(when, got);
    if (PMIx_Get(&all, PMIX_FABRIC_COORDINATES, refresh ? info : info + 1, refresh ? 2 : 1, &got) == PMIX_SUCCESS) {
        pmix_geometry_t *geometry = got->data.darray->array;
        printf("%s coordinates: %u %u\n", when, geometry->coordinates[0].coord[0], geometry->coordinates[0].coord[1]);
    }
    if (PMIx_Get(&last, PMIX_FABRIC_ENDPT, info, refresh ? 1 : 0, &got) == PMIX_SUCCESS) {
        pmix_endpoint_t *endpoint = got->data.darray->array;
        /* the last byte of the GID in a struct sockaddr_ib */
        printf("%s endpoint: %u\n", when, (uint8_t) endpoint->endpt.bytes[23]);
    }
}

static void query(const char *when)
{
    pmix_query_t query;
    pmix_info_t *results = NULL;
    size_t count = 0;
    pmix_fabric_t fabric;

    PMIX_QUERY_CONSTRUCT(&query);
    PMIx_Argv_append_nosize(&query.keys, PMIX_FABRIC_COST_MATRIX);
    if (PMIx_Query_info(&query, 1, &results, &count) == PMIX_SUCCESS && count == 1) print_costs(when, &results[0].value);
    PMIX_FABRIC_CONSTRUCT(&fabric);
    if (PMIx_Fabric_register(&fabric, NULL, 0) != PMIX_SUCCESS) return;
    for (size_t i = 0; i < fabric.ninfo; i++) {
        if (PMIX_CHECK_KEY(&fabric.info[i], PMIX_FABRIC_GROUPS)) printf("%s groups: %s\n", when, fabric.info[i].value.data.string);
    }
}

int main(int argc, char **argv)
{
    pmix_status_t codes[] = {PMIX_FABRIC_UPDATE_PENDING, PMIX_FABRIC_UPDATED, PMIX_FABRIC_UPDATE_ENDPOINTS};
    pmix_value_t *got;

    setvbuf(stdout, NULL, _IOLBF, 1 << 12);
    if (argc < 2 || PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS) return 1;
    PMIX_LOAD_PROCID(&all, self.nspace, PMIX_RANK_WILDCARD);
    if (PMIx_Get(&all, PMIX_JOB_SIZE, NULL, 0, &got) != PMIX_SUCCESS) return 1;
    size = got->data.uint32;
    if (PMIx_Get(&all, PMIX_NUM_NODES, NULL, 0, &got) != PMIX_SUCCESS) return 1;
    nodes = got->data.uint32;
    if (PMIx_Register_event_handler(codes, 3, NULL, 0, on_event, NULL, NULL) < 0) return 1;
    if (PMIx_Register_event_handler(NULL, 0, NULL, 0, on_any, NULL, NULL) < 0) return 1;
    values("before", false);
    barrier();
    ask_for(argv[1], 2);
    await(1, 1);
    values("kept", false);
    values("refreshed", true);
    query("asked");
    barrier();
    ask_for(argv[1], 3);
    await(2, 1);
    values("refreshed again", true);
    barrier();
    return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1;
}
