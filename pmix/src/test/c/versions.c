/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * What every version of libpmix has to do alike, for four ranks. With the argument "mpi" inside of MPI_Init and MPI_Finalize
 * and after an allreduce; with "abort" rank 1 aborts.
 */
#include <mpi.h>
#include <pmix.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* 4.2.2 calls it SUCCESS. */
static const char *status_name(pmix_status_t status) { return status == PMIX_SUCCESS ? "PMIX_SUCCESS" : PMIx_Error_string(status); }

static pmix_proc_t self;

static void print_versions(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Get_library_version(text, &length);
    printf("library: %.*s; %s\n", (int) strcspn(text, ","), text, PMIx_Get_version());
}

static pmix_value_t *get(const char *name, pmix_rank_t rank, const char *key, pmix_info_t *qualifiers, size_t count)
{
    pmix_proc_t proc;
    pmix_value_t *value = NULL;
    pmix_status_t status;

    PMIX_LOAD_PROCID(&proc, self.nspace, rank);
    status = PMIx_Get(&proc, key, qualifiers, count, &value);
    if (status != PMIX_SUCCESS) {
        printf("%s: %s\n", name, status_name(status));
        return NULL;
    }
    printf("%s: %s", name, PMIx_Data_type_string(value->type));
    return value;
}

/* By the key of this client's own header, which is another one in 7.0. */
static void print_device(const char *host)
{
    pmix_info_t name;
    pmix_value_t *devices;
    const pmix_info_t *first;

    PMIX_INFO_LOAD(&name, PMIX_HOSTNAME, host, PMIX_STRING);
    devices = get("device", PMIX_RANK_WILDCARD, PMIX_FABRIC_DEVICES, &name, 1);
    if (devices == NULL || devices->type != PMIX_DATA_ARRAY || devices->data.darray->type != PMIX_INFO) {
        printf("\n");
        return;
    }
    first = devices->data.darray->array;
    for (size_t i = 0; i < first->value.data.darray->size; i++) {
        const pmix_info_t *each = (const pmix_info_t *) first->value.data.darray->array + i;
        if (PMIX_CHECK_KEY(each, PMIX_FABRIC_DEVICE_COORDINATES)) {
            const pmix_geometry_t *place = each->value.data.geometry;
            printf(" %s %u %u", PMIx_Data_type_string(each->value.type), place->coordinates[0].coord[0],
                   place->coordinates[0].coord[1]);
        }
    }
    printf("\n");
}

static void print_places(void)
{
    pmix_value_t *size = get("size", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), *local, *host, *places;
    pmix_info_t name;

    printf(" %u\n", size == NULL ? 0 : size->data.uint32);
    local = get("local rank", self.rank, PMIX_LOCAL_RANK, NULL, 0);
    printf(" %u\n", local == NULL ? 0 : local->data.uint16);
    host = get("host", self.rank, PMIX_HOSTNAME, NULL, 0);
    printf(" %s\n", host == NULL ? "" : host->data.string);
    if (host == NULL) {
        return;
    }
    PMIX_INFO_LOAD(&name, PMIX_HOSTNAME, host->data.string, PMIX_STRING);
    places = get("coordinates", PMIX_RANK_WILDCARD, PMIX_FABRIC_COORDINATES, &name, 1);
    if (places != NULL && places->type == PMIX_DATA_ARRAY && places->data.darray->type == PMIX_GEOMETRY) {
        const pmix_geometry_t *first = places->data.darray->array;
        printf(" of %zu, %u %u\n", places->data.darray->size, first->coordinates[0].coord[0], first->coordinates[0].coord[1]);
    }
    print_device(host->data.string);
}

static void exchange_cards(pmix_rank_t ranks)
{
    pmix_value_t value, *got;
    pmix_info_t collect;
    pmix_proc_t all;
    char card[40];
    bool yes = true;

    snprintf(card, sizeof(card), "card of %u", self.rank);
    PMIX_VALUE_LOAD(&value, card, PMIX_STRING);
    PMIx_Put(PMIX_GLOBAL, "versions.card", &value);
    PMIx_Commit();
    PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    PMIX_LOAD_PROCID(&all, self.nspace, PMIX_RANK_WILDCARD);
    printf("fence: %s\n", status_name(PMIx_Fence(&all, 1, &collect, 1)));
    got = get("card", (self.rank + 1) % ranks, "versions.card", NULL, 0);
    printf(" %s\n", got == NULL ? "" : got->data.string);
}

static void ask_for_the_fabric(void)
{
    pmix_fabric_t fabric;
    pmix_query_t query;
    pmix_info_t *results = NULL;
    size_t count = 0;
    pmix_status_t status;

    PMIX_FABRIC_CONSTRUCT(&fabric);
    status = PMIx_Fabric_register(&fabric, NULL, 0);
    printf("fabric: %s", status_name(status));
    for (size_t i = 0; i < fabric.ninfo; i++) {
        if (PMIX_CHECK_KEY(&fabric.info[i], PMIX_FABRIC_IDENTIFIER)) {
            printf(" %s", fabric.info[i].value.data.string);
        }
    }
    PMIX_QUERY_CONSTRUCT(&query);
    PMIX_ARGV_APPEND(status, query.keys, PMIX_FABRIC_NUM_DEVICES);
    status = PMIx_Query_info(&query, 1, &results, &count);
    printf("\nquery: %s", status_name(status));
    if (status == PMIX_SUCCESS && count == 1) {
        printf(" %s %zu", PMIx_Data_type_string(results[0].value.type), results[0].value.data.size);
    }
    printf("\n");
}

static void allreduce(void)
{
    int rank, sum;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("sum: %d\n", sum);
}

int main(int argc, char **argv)
{
    bool isMpi = argc > 1 && strcmp(argv[1], "mpi") == 0;

    setvbuf(stdout, NULL, _IOLBF, 1 << 12);
    if (isMpi) {
        MPI_Init(&argc, &argv);
        allreduce();
    }
    if (PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS) {
        return 1;
    }
    if (argc > 1 && strcmp(argv[1], "abort") == 0) {
        if (self.rank == 1) {
            PMIx_Abort(7, "cannot go on", NULL, 0);
        }
        sleep(60);
    }
    print_versions();
    print_places();
    exchange_cards(4);
    ask_for_the_fabric();
    PMIx_Finalize(NULL, 0);
    if (isMpi) {
        MPI_Finalize();
    }
    return 0;
}
