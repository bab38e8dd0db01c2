/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The least that a host of libpmix can be: serves a job of PODS pods with one rank each and says "ready". The same values
 * as pmixd gives for a fabric of that size. Ends when its standard input does.
 *
 *   host PODS DIRECTORY PORT
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pmix.h>
#include <pmix_server.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NSPACE "bench.job-0123abcd-0"

static pmix_status_t connected(const pmix_proc_t *proc, void *object, pmix_info_t info[], size_t ninfo,
                               pmix_op_cbfunc_t done, void *data)
{
    (void) proc, (void) object, (void) info, (void) ninfo, (void) done, (void) data;
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t finalized(const pmix_proc_t *proc, void *object, pmix_op_cbfunc_t done, void *data)
{
    (void) proc, (void) object, (void) done, (void) data;
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t fence(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[], size_t ninfo, char *bytes,
                           size_t size, pmix_modex_cbfunc_t done, void *data)
{
    (void) procs, (void) nprocs, (void) info, (void) ninfo;
    done(PMIX_SUCCESS, bytes, size, data, free, bytes);
    return PMIX_SUCCESS;
}

static void load_geometry(pmix_geometry_t *geometry, int pod)
{
    char id[64];

    snprintf(id, sizeof(id), "fab://506b:4b03:0000:%04x::506b:4b03:0000:%04x", pod + 1, pod + 1);
    geometry->fabric = 0;
    geometry->uuid = strdup(id);
    geometry->osname = strdup("mlx5_0");
    geometry->ncoords = 1;
    PMIX_COORD_CREATE(geometry->coordinates, 3, 1);
    geometry->coordinates[0].view = PMIX_COORD_LOGICAL_VIEW;
    geometry->coordinates[0].coord[0] = pod / 16;
    geometry->coordinates[0].coord[1] = pod / 4 % 4;
    geometry->coordinates[0].coord[2] = pod % 4;
}

static void load_node(pmix_info_t *info, int pod)
{
    pmix_data_array_t *values, *coordinates;
    pmix_info_t *list;
    char name[64];
    uint32_t id = pod;

    snprintf(name, sizeof(name), "job-%d", pod);
    PMIX_DATA_ARRAY_CREATE(values, 3, PMIX_INFO);
    list = values->array;
    PMIX_INFO_LOAD(&list[0], PMIX_HOSTNAME, name, PMIX_STRING);
    PMIX_INFO_LOAD(&list[1], PMIX_NODEID, &id, PMIX_UINT32);
    PMIX_DATA_ARRAY_CREATE(coordinates, 1, PMIX_GEOMETRY);
    load_geometry(coordinates->array, pod);
    PMIX_LOAD_KEY(list[2].key, PMIX_FABRIC_COORDINATES);
    list[2].value.type = PMIX_DATA_ARRAY;
    list[2].value.data.darray = coordinates;
    PMIX_LOAD_KEY(info->key, PMIX_NODE_INFO_ARRAY);
    info->value.type = PMIX_DATA_ARRAY;
    info->value.data.darray = values;
}

static void load_rank(pmix_info_t *info, int rank)
{
    pmix_data_array_t *values, *endpoints;
    pmix_info_t *list;
    pmix_endpoint_t *endpoint;
    struct sockaddr_in *address = calloc(1, sizeof(*address));
    pmix_rank_t number = rank;
    uint32_t zero = 0, node = rank;
    uint16_t local = 0;

    PMIX_DATA_ARRAY_CREATE(values, 6, PMIX_INFO);
    list = values->array;
    PMIX_INFO_LOAD(&list[0], PMIX_RANK, &number, PMIX_PROC_RANK);
    PMIX_INFO_LOAD(&list[1], PMIX_APPNUM, &zero, PMIX_UINT32);
    PMIX_INFO_LOAD(&list[2], PMIX_NODEID, &node, PMIX_UINT32);
    PMIX_INFO_LOAD(&list[3], PMIX_LOCAL_RANK, &local, PMIX_UINT16);
    PMIX_INFO_LOAD(&list[4], PMIX_NODE_RANK, &local, PMIX_UINT16);
    PMIX_DATA_ARRAY_CREATE(endpoints, 1, PMIX_ENDPOINT);
    endpoint = endpoints->array;
    address->sin_family = AF_INET;
    address->sin_port = htons(20000);
    address->sin_addr.s_addr = htonl(0x0a000001 + rank);
    endpoint->uuid = strdup("ipv4://02:00:00:00:00:01");
    endpoint->osname = strdup("eth0");
    endpoint->endpt.bytes = (char *) address;
    endpoint->endpt.size = sizeof(*address);
    PMIX_LOAD_KEY(list[5].key, PMIX_FABRIC_ENDPT);
    list[5].value.type = PMIX_DATA_ARRAY;
    list[5].value.data.darray = endpoints;
    PMIX_LOAD_KEY(info->key, PMIX_PROC_DATA);
    info->value.type = PMIX_DATA_ARRAY;
    info->value.data.darray = values;
}

int main(int argc, char **argv)
{
    static pmix_server_module_t module = {
        .client_connected2 = connected, .client_finalized = finalized, .fence_nb = fence};
    int pods = argc > 3 ? atoi(argv[1]) : 0;
    int port = argc > 3 ? atoi(argv[3]) : 0;
    pmix_info_t init[6], *job;
    pmix_rank_t zero = 0;
    uint32_t size = pods, one = 1;
    size_t count = 0;
    char *nodes = calloc(pods + 1, 16), *ranks = calloc(pods + 1, 8), byte;
    pmix_proc_t client;

    setenv("PMIX_MCA_gds", "hash", 1);
    PMIX_INFO_LOAD(&init[0], PMIX_SERVER_NSPACE, "pmixd.bench", PMIX_STRING);
    PMIX_INFO_LOAD(&init[1], PMIX_SERVER_RANK, &zero, PMIX_PROC_RANK);
    PMIX_INFO_LOAD(&init[2], PMIX_TCP_IPV4_PORT, &port, PMIX_INT);
    PMIX_INFO_LOAD(&init[3], PMIX_HOSTNAME, "job-0", PMIX_STRING);
    PMIX_INFO_LOAD(&init[4], PMIX_SERVER_TMPDIR, argv[2], PMIX_STRING);
    PMIX_INFO_LOAD(&init[5], PMIX_SYSTEM_TMPDIR, argv[2], PMIX_STRING);
    if (PMIx_server_init(&module, init, 6) != PMIX_SUCCESS) {
        return 1;
    }
    for (int i = 0; i < pods; i++) {
        sprintf(nodes + strlen(nodes), "%sjob-%d", i == 0 ? "" : ",", i);
        sprintf(ranks + strlen(ranks), "%s%d", i == 0 ? "" : ";", i);
    }
    PMIX_INFO_CREATE(job, 7 + 2 * (size_t) pods);
    PMIX_INFO_LOAD(&job[count++], PMIX_JOB_SIZE, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&job[count++], PMIX_UNIV_SIZE, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&job[count++], PMIX_MAX_PROCS, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&job[count++], PMIX_NUM_NODES, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&job[count++], PMIX_JOB_NUM_APPS, &one, PMIX_UINT32);
    PMIX_INFO_LOAD(&job[count++], PMIX_NODE_MAP, nodes, PMIX_STRING);
    PMIX_INFO_LOAD(&job[count++], PMIX_PROC_MAP, ranks, PMIX_STRING);
    for (int i = 0; i < pods; i++) {
        load_node(&job[count++], i);
        load_rank(&job[count++], i);
    }
    PMIX_LOAD_PROCID(&client, NSPACE, 0);
    if (PMIx_server_register_nspace(client.nspace, 1, job, count, NULL, NULL) != PMIX_OPERATION_SUCCEEDED
        || PMIx_server_register_client(&client, 0, 0, NULL, NULL, NULL) != PMIX_OPERATION_SUCCEEDED) {
        return 1;
    }
    PMIX_INFO_FREE(job, count);
    printf("ready\n");
    fflush(stdout);
    while (read(0, &byte, 1) > 0) {
    }
    _exit(0);
}
