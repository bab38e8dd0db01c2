/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads with PMIx_Get everything that a rank is told of its job, nodes, peers and fabric, and prints it: one line for each
 * value, "<whose> <key> <type> <value>", elements of arrays indented below. No fence, no exchange. Ends with 1 where something is missing that every
 * job has, and with the argument "fabric" also where something of the fabric is.
 */
#include <inttypes.h>
#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pmix_proc_t self;
static unsigned missing;

static void print_data(pmix_data_type_t type, const void *data, int depth);

static void print_indent(int depth)
{
    printf("\n%*s", depth * 2, "");
}

static void print_hex(const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        printf("%02x", ((const unsigned char *) bytes)[i]);
    }
}

static size_t element_size(pmix_data_type_t type)
{
    switch (type) {
    case PMIX_STRING: return sizeof(char *);
    case PMIX_UINT16: return sizeof(uint16_t);
    case PMIX_UINT32: return sizeof(uint32_t);
    case PMIX_PROC: return sizeof(pmix_proc_t);
    case PMIX_INFO: return sizeof(pmix_info_t);
    case PMIX_GEOMETRY: return sizeof(pmix_geometry_t);
    case PMIX_ENDPOINT: return sizeof(pmix_endpoint_t);
    case PMIX_DEVICE_DIST: return sizeof(pmix_device_distance_t);
    default: return 0;
    }
}

static void print_value(const pmix_value_t *value, int depth)
{
    switch (value->type) {
    case PMIX_STRING: print_data(PMIX_STRING, &value->data.string, depth); break;
    case PMIX_GEOMETRY: print_data(PMIX_GEOMETRY, value->data.geometry, depth); break;
    case PMIX_DATA_ARRAY: print_data(PMIX_DATA_ARRAY, value->data.darray, depth); break;
    default: print_data(value->type, &value->data, depth); break;
    }
}

static void print_array(const pmix_data_array_t *array, int depth)
{
    size_t size = element_size(array->type);

    printf("[%zu] of %s", array->size, PMIx_Data_type_string(array->type));
    if (array->type == PMIX_UINT16 || array->type == PMIX_UINT32) {
        for (size_t i = 0; i < array->size; i++) {
            printf(" %" PRIu32,
                   array->type == PMIX_UINT16 ? ((uint16_t *) array->array)[i] : ((uint32_t *) array->array)[i]);
        }
        return;
    }
    for (size_t i = 0; size > 0 && i < array->size; i++) {
        print_indent(depth + 1);
        print_data(array->type, (const char *) array->array + i * size, depth + 1);
    }
}

static void print_geometry(const pmix_geometry_t *geometry)
{
    printf("fabric %zu %s %s", geometry->fabric, geometry->uuid, geometry->osname);
    for (size_t i = 0; i < geometry->ncoords; i++) {
        const pmix_coord_t *coordinates = &geometry->coordinates[i];
        printf(" %s", coordinates->view == PMIX_COORD_LOGICAL_VIEW    ? "logical"
                      : coordinates->view == PMIX_COORD_PHYSICAL_VIEW ? "physical"
                                                                      : "undefined");
        for (size_t j = 0; j < coordinates->dims; j++) {
            printf("%c%" PRIu32, j == 0 ? ':' : ',', coordinates->coord[j]);
        }
    }
}

static void print_data(pmix_data_type_t type, const void *data, int depth)
{
    if (type != PMIX_INFO) {
        printf("%s ", PMIx_Data_type_string(type));
    }
    switch (type) {
    case PMIX_STRING: printf("%s", *(char *const *) data); break;
    case PMIX_BOOL: printf("%s", *(const bool *) data ? "true" : "false"); break;
    case PMIX_SIZE: printf("%zu", *(const size_t *) data); break;
    case PMIX_UINT16: printf("%" PRIu16, *(const uint16_t *) data); break;
    case PMIX_UINT32:
    case PMIX_PROC_RANK: printf("%" PRIu32, *(const uint32_t *) data); break;
    case PMIX_PROC: printf("%s %" PRIu32, ((const pmix_proc_t *) data)->nspace, ((const pmix_proc_t *) data)->rank); break;
    case PMIX_UINT64:
    case PMIX_DEVTYPE: printf("%" PRIu64, *(const uint64_t *) data); break;
    case PMIX_LINK_STATE: printf("%u", *(const uint8_t *) data); break;
    case PMIX_INFO: {
        const pmix_info_t *info = data;
        printf("%s ", info->key);
        print_value(&info->value, depth);
        break;
    }
    case PMIX_GEOMETRY: print_geometry(data); break;
    case PMIX_ENDPOINT: {
        const pmix_endpoint_t *endpoint = data;
        printf("%s %s ", endpoint->uuid, endpoint->osname);
        print_hex(endpoint->endpt.bytes, endpoint->endpt.size);
        break;
    }
    case PMIX_DEVICE_DIST: {
        const pmix_device_distance_t *distance = data;
        printf("%s %s %" PRIu64 " %u %u", distance->uuid, distance->osname, (uint64_t) distance->type,
               distance->mindist, distance->maxdist);
        break;
    }
    case PMIX_DATA_ARRAY: print_array(data, depth); break;
    default: printf("?"); break;
    }
}

static pmix_value_t *print_get(const char *whose, pmix_rank_t rank, const char *key, pmix_info_t *qualifiers, size_t count)
{
    pmix_proc_t proc;
    pmix_value_t *value = NULL;
    pmix_status_t status;

    PMIX_LOAD_PROCID(&proc, self.nspace, rank);
    status = PMIx_Get(&proc, key, qualifiers, count, &value);
    printf("%s %s ", whose, key);
    if (status == PMIX_SUCCESS) {
        print_value(value, 0);
    } else {
        printf("%s", PMIx_Error_string(status));
    }
    printf("\n");
    return status == PMIX_SUCCESS ? value : NULL;
}

/* A value that has to be there. */
static pmix_value_t *print_known(const char *whose, pmix_rank_t rank, const char *key, pmix_info_t *qualifiers, size_t count)
{
    pmix_value_t *value = print_get(whose, rank, key, qualifiers, count);

    missing += value == NULL;
    return value;
}

static uint32_t number(pmix_value_t *value)
{
    uint32_t result = value == NULL ? 0 : value->data.uint32;

    if (value != NULL) {
        PMIX_VALUE_RELEASE(value);
    }
    return result;
}

static void forget(pmix_value_t *value)
{
    if (value != NULL) {
        PMIX_VALUE_RELEASE(value);
    }
}

/* All of a list that ends with NULL. */
static void print_all(const char *whose, pmix_rank_t rank, const char *const *keys, bool known, pmix_info_t *qualifiers, size_t count)
{
    for (; *keys != NULL; keys++) {
        forget(known ? print_known(whose, rank, *keys, qualifiers, count) : print_get(whose, rank, *keys, qualifiers, count));
    }
}

int main(int argc, char **argv)
{
    static const char *const job[] = {
        PMIX_SESSION_ID, PMIX_UNIV_SIZE, PMIX_MAX_PROCS, PMIX_JOBID, PMIX_NPROC_OFFSET, PMIX_NODE_LIST, PMIX_ALLOCATED_NODELIST,
        PMIX_RM_NAME, PMIX_RM_VERSION, PMIX_CLUSTER_ID, PMIX_SERVER_HOSTNAME, PMIX_SERVER_START_TIME, PMIX_TMPDIR, PMIX_NSDIR, PMIX_LOCAL_PROCS, NULL};
    static const char *const job_fabric[] = {
        PMIX_FABRIC_VENDOR, PMIX_FABRIC_IDENTIFIER, PMIX_FABRIC_INDEX, PMIX_FABRIC_NUM_DEVICES, PMIX_FABRIC_GROUPS,
        PMIX_FABRIC_SWITCH, PMIX_FABRIC_PLANE, PMIX_FABRIC_DIMS, PMIX_FABRIC_SHAPE, PMIX_FABRIC_SHAPE_STRING,
        PMIX_FABRIC_COST_MATRIX, NULL};
    static const char *const app[] = {PMIX_APP_SIZE, PMIX_MAX_PROCS, PMIX_APPLDR, PMIX_PSET_NAMES, NULL};
    static const char *const own_app[] = {PMIX_WDIR, PMIX_APP_ARGV, NULL};
    static const char *const node[] = {
        PMIX_NODEID, PMIX_HOSTNAME_ALIASES, PMIX_LOCAL_PEERS, PMIX_LOCAL_SIZE, PMIX_LOCALLDR, PMIX_NODE_SIZE, NULL};
    static const char *const own_node[] = {PMIX_AVAIL_PHYS_MEMORY, NULL};
    static const char *const bound_node[] = {PMIX_LOCAL_CPUSETS, NULL};
    static const char *const node_fabric[] = {PMIX_FABRIC_COORDINATES, PMIX_FABRIC_DEVICES, NULL};
    static const char *const proc[] = {
        PMIX_HOSTNAME, PMIX_NODEID, PMIX_APPNUM, PMIX_LOCAL_RANK, PMIX_NODE_RANK, PMIX_GLOBAL_RANK, PMIX_APP_RANK,
        PMIX_REINCARNATION, PMIX_SPAWNED, NULL};
    static const char *const own_proc[] = {PMIX_PROCDIR, NULL};
    /* Of ranks that are bound, or whose CPUs are all of one package. */
    static const char *const bound[] = {PMIX_PACKAGE_RANK, PMIX_CPUSET, PMIX_LOCALITY_STRING, NULL};
    static const char *const proc_fabric[] = {PMIX_FABRIC_ENDPT, PMIX_DEVICE_DISTANCES, PMIX_SWITCH_PEERS, NULL};
    pmix_status_t status = PMIx_Init(&self, NULL, 0);
    bool fabric = argc > 1 && strcmp(argv[1], "fabric") == 0;
    uint32_t ranks, nodes, apps, own_number, own_id;
    char whose[300];

    /* Ranks may share the output: whole lines only. */
    setvbuf(stdout, NULL, _IOLBF, 1 << 16);
    if (status != PMIX_SUCCESS) {
        fprintf(stderr, "PMIx_Init: %s\n", PMIx_Error_string(status));
        return 1;
    }
    printf("self %s %" PRIu32 "\n", self.nspace, self.rank);
    own_number = number(print_known("self", self.rank, PMIX_APPNUM, NULL, 0));
    own_id = number(print_known("self", self.rank, PMIX_NODEID, NULL, 0));
    ranks = number(print_known("job", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0));
    nodes = number(print_known("job", PMIX_RANK_WILDCARD, PMIX_NUM_NODES, NULL, 0));
    apps = number(print_known("job", PMIX_RANK_WILDCARD, PMIX_JOB_NUM_APPS, NULL, 0));
    print_all("job", PMIX_RANK_WILDCARD, job, true, NULL, 0);
    print_all("job", PMIX_RANK_WILDCARD, job_fabric, fabric, NULL, 0);
    for (uint32_t i = 0; i < apps; i++) {
        pmix_info_t qualifiers[2];
        bool yes = true;
        PMIX_INFO_LOAD(&qualifiers[0], PMIX_APP_INFO, &yes, PMIX_BOOL);
        PMIX_INFO_LOAD(&qualifiers[1], PMIX_APPNUM, &i, PMIX_UINT32);
        snprintf(whose, sizeof(whose), "app%" PRIu32, i);
        print_all(whose, PMIX_RANK_WILDCARD, app, true, qualifiers, 2);
        if (i == own_number) {
            print_all(whose, PMIX_RANK_WILDCARD, own_app, true, qualifiers, 2);
        }
    }
    for (uint32_t i = 0; i < nodes; i++) {
        pmix_info_t qualifiers[2];
        bool yes = true;
        PMIX_INFO_LOAD(&qualifiers[0], PMIX_NODE_INFO, &yes, PMIX_BOOL);
        PMIX_INFO_LOAD(&qualifiers[1], PMIX_NODEID, &i, PMIX_UINT32);
        snprintf(whose, sizeof(whose), "node%" PRIu32, i);
        print_all(whose, PMIX_RANK_WILDCARD, node, true, qualifiers, 2);
        if (i == own_id) {
            print_all(whose, PMIX_RANK_WILDCARD, own_node, true, qualifiers, 2);
            print_all(whose, PMIX_RANK_WILDCARD, bound_node, false, qualifiers, 2);
        }
        print_all(whose, PMIX_RANK_WILDCARD, node_fabric, fabric, qualifiers, 2);
    }
    for (uint32_t i = 0; i < ranks; i++) {
        char *host = NULL;
        pmix_value_t *value;
        pmix_info_t byName;

        snprintf(whose, sizeof(whose), "rank%" PRIu32, i);
        for (int j = 0; proc[j] != NULL; j++) {
            value = print_known(whose, i, proc[j], NULL, 0);
            if (value != NULL && strcmp(proc[j], PMIX_HOSTNAME) == 0) {
                host = strdup(value->data.string);
            }
            forget(value);
        }
        if (i == self.rank) {
            print_all(whose, i, own_proc, true, NULL, 0);
            print_all(whose, i, bound, false, NULL, 0);
        }
        print_all(whose, i, proc_fabric, fabric, NULL, 0);
        if (host != NULL) {
            PMIX_INFO_LOAD(&byName, PMIX_HOSTNAME, host, PMIX_STRING);
            snprintf(whose, sizeof(whose), "host of rank%" PRIu32, i);
            print_all(whose, PMIX_RANK_WILDCARD, node_fabric, fabric, &byName, 1);
            PMIX_INFO_DESTRUCT(&byName);
            free(host);
        }
    }
    fflush(stdout);
    if (missing > 0) {
        fprintf(stderr, "%u values are missing\n", missing);
    }
    return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS && missing == 0 ? 0 : 1;
}
