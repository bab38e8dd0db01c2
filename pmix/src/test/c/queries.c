/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * queries "KEY QUALIFIER=VALUE..."...: asks each and prints "KEY QUALIFIER=VALUE...: STATUS TYPE VALUE", shapes included. "register",
 * "update" and "deregister" are the calls of a fabric structure, "act" what only ranks may do, "topology" what hwloc knows, "credential" what a rank is given and the server takes, "get KEY ..." a PMIx_Get, of the rank of "rank=N" or of the
 * job. "nb" before any but "act" is the form that calls back. With AS_TOOL in the environment it is a tool, no client.
 */
#include <pmix.h>
#include <pmix_tool.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pmix_proc_t self;

static void print_value(const pmix_value_t *value);

static void print_info(const pmix_info_t *info)
{
    printf("%s=", info->key);
    print_value(&info->value);
}

static void print_geometry(const pmix_geometry_t *geometry)
{
    printf("(%zu %s %s", geometry->fabric, geometry->uuid, geometry->osname);
    for (size_t i = 0; i < geometry->ncoords; i++) {
        pmix_coord_t *coord = &geometry->coordinates[i];
        printf(" %s", coord->view == PMIX_COORD_LOGICAL_VIEW ? "logical" : "physical");
        for (size_t dim = 0; dim < coord->dims; dim++) printf(":%u", coord->coord[dim]);
    }
    printf(")");
}

static void print_array(const pmix_data_array_t *array)
{
    printf("ARRAY %s [", PMIx_Data_type_string(array->type));
    for (size_t i = 0; i < array->size; i++) {
        if (i > 0) printf(", ");
        if (array->type == PMIX_PROC) printf("%u", ((pmix_proc_t *) array->array)[i].rank);
        if (array->type == PMIX_STRING) printf("%s", ((char **) array->array)[i]);
        if (array->type == PMIX_UINT32) printf("%u", ((uint32_t *) array->array)[i]);
        if (array->type == PMIX_UINT16) printf("%u", ((uint16_t *) array->array)[i]);
        if (array->type == PMIX_INFO) print_info(&((pmix_info_t *) array->array)[i]);
        if (array->type == PMIX_GEOMETRY) print_geometry(&((pmix_geometry_t *) array->array)[i]);
        if (array->type == PMIX_DEVICE_DIST) {
            pmix_device_distance_t *distance = &((pmix_device_distance_t *) array->array)[i];
            printf("(%s %s %lu %u %u)", distance->uuid, distance->osname, (unsigned long) distance->type, distance->mindist, distance->maxdist);
        }
        if (array->type == PMIX_PROC_INFO) {
            pmix_proc_info_t *proc = &((pmix_proc_info_t *) array->array)[i];
            printf("%u %s %s %s", proc->proc.rank, proc->hostname, proc->state == PMIX_PROC_STATE_CONNECTED ? "connected" : "unknown",
                   proc->pid > 0 ? "running" : "elsewhere");
        }
    }
    printf("]");
}

static void print_value(const pmix_value_t *value)
{
    if (value->type == PMIX_DATA_ARRAY) {
        print_array(value->data.darray);
        return;
    }
    printf("%s ", PMIx_Data_type_string(value->type));
    if (value->type == PMIX_STRING) printf("%s", value->data.string);
    if (value->type == PMIX_SIZE) printf("%zu", value->data.size);
    if (value->type == PMIX_UINT32) printf("%u", value->data.uint32);
    if (value->type == PMIX_STATUS) printf("%d", value->data.status);
    if (value->type == PMIX_LINK_STATE) printf("%d", value->data.linkstate);
    if (value->type == PMIX_DEVTYPE) printf("%lu", (unsigned long) value->data.devtype);
    if (value->type == PMIX_GEOMETRY) print_geometry(value->data.geometry);
}

/* "plane=a" as the qualifier that it stands for */
static void qualify(pmix_info_t *info, char *text)
{
    char *value = strchr(text, '=');
    *value++ = '\0';
    size_t number = strtoul(value, NULL, 10);
    uint32_t index = (uint32_t) number;
    pmix_device_type_t types = number;
    if (strcmp(text, "index") == 0) PMIX_INFO_LOAD(info, PMIX_FABRIC_INDEX, &number, PMIX_SIZE);
    if (strcmp(text, "identifier") == 0) PMIX_INFO_LOAD(info, PMIX_FABRIC_IDENTIFIER, value, PMIX_STRING);
    if (strcmp(text, "vendor") == 0) PMIX_INFO_LOAD(info, PMIX_FABRIC_VENDOR, value, PMIX_STRING);
    if (strcmp(text, "plane") == 0) PMIX_INFO_LOAD(info, PMIX_FABRIC_PLANE, value, PMIX_STRING);
    if (strcmp(text, "switch") == 0) PMIX_INFO_LOAD(info, PMIX_FABRIC_SWITCH, value, PMIX_STRING);
    if (strcmp(text, "device") == 0) PMIX_INFO_LOAD(info, PMIX_DEVICE_ID, value, PMIX_STRING);
    if (strcmp(text, "name") == 0) PMIX_INFO_LOAD(info, PMIX_FABRIC_DEVICE_NAME, value, PMIX_STRING);
    if (strcmp(text, "set") == 0) PMIX_INFO_LOAD(info, PMIX_PSET_NAME, value, PMIX_STRING);
    if (strcmp(text, "type") == 0) PMIX_INFO_LOAD(info, PMIX_DEVICE_TYPE, &types, PMIX_DEVTYPE);
    if (strcmp(text, "vertex") == 0) PMIX_INFO_LOAD(info, PMIX_FABRIC_DEVICE_INDEX, &index, PMIX_UINT32);
    if (strcmp(text, "host") == 0) PMIX_INFO_LOAD(info, PMIX_HOSTNAME, value, PMIX_STRING);
    if (strcmp(text, "node") == 0) PMIX_INFO_LOAD(info, PMIX_NODEID, &index, PMIX_UINT32);
    if (strcmp(text, "nspace") == 0) PMIX_INFO_LOAD(info, PMIX_NSPACE, strcmp(value, "own") == 0 ? self.nspace : value, PMIX_STRING);
    if (strcmp(text, "required") == 0) {
        PMIX_INFO_LOAD(info, value, NULL, PMIX_BOOL);
        PMIX_INFO_REQUIRED(info);
    }
}

static void print_results(pmix_status_t status, const pmix_info_t *results, size_t count)
{
    printf("%s", PMIx_Error_string(status));
    for (size_t i = 0; i < count; i++) {
        printf(" ");
        print_value(&results[i].value);
    }
    printf("\n");
}

/* What a call that is answered later leaves. */
typedef struct {
    sem_t done;
    pmix_status_t status;
    pmix_info_t *results;
    size_t count;
    pmix_value_t *value;
} answer_t;

static pmix_status_t wait_for(pmix_status_t called, answer_t *answer)
{
    if (called == PMIX_SUCCESS) sem_wait(&answer->done);
    return called == PMIX_SUCCESS ? answer->status : called;
}

static void on_done(pmix_status_t status, void *data)
{
    answer_t *answer = data;
    answer->status = status;
    sem_post(&answer->done);
}

static void on_infos(pmix_status_t status, pmix_info_t *infos, size_t count, void *data, pmix_release_cbfunc_t release, void *of)
{
    answer_t *answer = data;
    PMIX_INFO_CREATE(answer->results, count);
    for (size_t i = 0; i < count; i++) PMIX_INFO_XFER(&answer->results[i], &infos[i]);
    answer->count = count;
    if (release != NULL) release(of);
    on_done(status, data);
}

static void on_value(pmix_status_t status, pmix_value_t *value, void *data)
{
    answer_t *answer = data;
    if (status == PMIX_SUCCESS) {
        PMIX_VALUE_CREATE(answer->value, 1);
        PMIX_VALUE_XFER(status, answer->value, value);
    }
    on_done(status, data);
}

static pmix_status_t query(const pmix_query_t *query, bool nonblocking, answer_t *answer)
{
    if (nonblocking) return wait_for(PMIx_Query_info_nb((pmix_query_t *) query, 1, on_infos, answer), answer);
    return PMIx_Query_info((pmix_query_t *) query, 1, &answer->results, &answer->count);
}

static pmix_status_t get(pmix_rank_t rank, const char *key, const pmix_info_t *infos, size_t count, bool nonblocking, answer_t *answer)
{
    pmix_proc_t proc;
    PMIX_LOAD_PROCID(&proc, self.nspace, rank);
    if (nonblocking) return wait_for(PMIx_Get_nb(&proc, key, infos, count, on_value, answer), answer);
    return PMIx_Get(&proc, key, infos, count, &answer->value);
}

static void ask(const char *line)
{
    char *copy = strdup(line), *save, *word = strtok_r(copy, " ", &save);
    pmix_rank_t rank = PMIX_RANK_WILDCARD;
    pmix_info_t qualifiers[8];
    pmix_query_t asked;
    answer_t answer = {.results = NULL};
    bool nonblocking = strcmp(word, "nb") == 0, fetched;
    pmix_status_t status;

    sem_init(&answer.done, 0, 0);
    if (nonblocking) word = strtok_r(NULL, " ", &save);
    fetched = strcmp(word, "get") == 0;
    if (fetched) word = strtok_r(NULL, " ", &save);
    PMIX_QUERY_CONSTRUCT(&asked);
    PMIx_Argv_append_nosize(&asked.keys, word);
    asked.qualifiers = qualifiers;
    while ((word = strtok_r(NULL, " ", &save)) != NULL && asked.nqual < 8) {
        if (strncmp(word, "rank=", 5) == 0) rank = strtoul(word + 5, NULL, 10);
        else qualify(&qualifiers[asked.nqual++], word);
    }
    if (asked.nqual == 0) asked.qualifiers = NULL;
    status = fetched ? get(rank, asked.keys[0], asked.qualifiers, asked.nqual, nonblocking, &answer) : query(&asked, nonblocking, &answer);
    printf("%s: ", line);
    if (fetched && status == PMIX_SUCCESS) {
        printf("PMIX_SUCCESS ");
        print_value(answer.value);
        printf("\n");
    } else {
        print_results(status, answer.results, answer.count);
    }
    free(copy);
}

/* The calls of a fabric structure; false for another word. */
static bool call(const char *line, pmix_fabric_t *fabric)
{
    bool nonblocking = strncmp(line, "nb ", 3) == 0;
    const char *word = nonblocking ? line + 3 : line;
    answer_t answer;
    pmix_info_t vendor;
    pmix_status_t status;

    sem_init(&answer.done, 0, 0);
    if (strcmp(word, "register") == 0 || strcmp(word, "directives") == 0) {
        bool directed = strcmp(word, "directives") == 0;
        PMIX_INFO_LOAD(&vendor, PMIX_FABRIC_VENDOR, "NVIDIA", PMIX_STRING);
        status = nonblocking ? wait_for(PMIx_Fabric_register_nb(fabric, directed ? &vendor : NULL, directed, on_done, &answer), &answer)
                             : PMIx_Fabric_register(fabric, directed ? &vendor : NULL, directed);
    } else if (strcmp(word, "update") == 0) {
        status = nonblocking ? wait_for(PMIx_Fabric_update_nb(fabric, on_done, &answer), &answer) : PMIx_Fabric_update(fabric);
    } else if (strcmp(word, "deregister") == 0) {
        status = nonblocking ? wait_for(PMIx_Fabric_deregister_nb(fabric, on_done, &answer), &answer) : PMIx_Fabric_deregister(fabric);
        printf("%s: %s\n", line, PMIx_Error_string(status));
        return true;
    } else {
        return false;
    }
    printf("%s: %s %zu values\n", line, PMIx_Error_string(status), fabric->ninfo);
    for (size_t n = 0; n < fabric->ninfo; n++) {
        printf("  ");
        print_info(&fabric->info[n]);
        printf("\n");
    }
    fabric->info = NULL;
    fabric->ninfo = 0;
    return true;
}

/* What a rank asks hwloc by way of its library. */
static void find_distances(void)
{
    pmix_topology_t topology;
    pmix_cpuset_t cpuset;
    pmix_device_distance_t *distances = NULL;
    size_t count = 0;

    PMIX_TOPOLOGY_CONSTRUCT(&topology);
    PMIX_CPUSET_CONSTRUCT(&cpuset);
    pmix_status_t status = PMIx_Load_topology(&topology);
    printf("topology: %s %.5s\n", PMIx_Error_string(status), topology.source == NULL ? "none" : topology.source);
    printf("cpuset: %s\n", PMIx_Error_string(PMIx_Get_cpuset(&cpuset, PMIX_CPUBIND_PROCESS)));
    status = PMIx_Compute_distances(&topology, &cpuset, NULL, 0, &distances, &count);
    printf("distances: %s %s\n", PMIx_Error_string(status), count > 0 ? "some" : "none");
    for (size_t i = 0; i < count; i++) printf("  %s %s %u %u\n", distances[i].uuid, distances[i].osname, distances[i].mindist, distances[i].maxdist);
}

static void credential(void)
{
    pmix_byte_object_t given = {NULL, 0}, other;
    pmix_info_t type, *results = NULL;
    size_t count = 0;
    pmix_status_t status = PMIx_Get_credential(NULL, 0, &given);

    printf("credential: %s ", PMIx_Error_string(status));
    for (size_t i = 0; i < given.size; i++) printf("%02x", (unsigned char) given.bytes[i]);
    printf("\n");
    PMIX_INFO_LOAD(&type, PMIX_CRED_TYPE, "munge", PMIX_STRING);
    other.bytes = NULL;
    other.size = 0;
    printf("credential of a type: %s\n", PMIx_Error_string(PMIx_Get_credential(&type, 1, &other)));
    if (status != PMIX_SUCCESS) {
        other.bytes = "guess";
        other.size = 5;
        printf("guessed: %s\n", PMIx_Error_string(PMIx_Validate_credential(&other, NULL, 0, &results, &count)));
        return;
    }
    printf("own: %s\n", PMIx_Error_string(PMIx_Validate_credential(&given, NULL, 0, &results, &count)));
    given.size--;
    printf("shorter: %s\n", PMIx_Error_string(PMIx_Validate_credential(&given, NULL, 0, &results, &count)));
    given.size++;
    given.bytes[0] ^= 1;
    printf("altered: %s\n", PMIx_Error_string(PMIx_Validate_credential(&given, NULL, 0, &results, &count)));
}

/* What only a rank may do. */
static void act(void)
{
    pmix_info_t info;
    pmix_pdata_t data;
    PMIX_INFO_LOAD(&info, "some.key", "some value", PMIX_STRING);
    printf("publish: %s\n", PMIx_Error_string(PMIx_Publish(&info, 1)));
    PMIX_PDATA_CONSTRUCT(&data);
    PMIX_LOAD_KEY(data.key, "some.key");
    printf("lookup: %s\n", PMIx_Error_string(PMIx_Lookup(&data, 1, NULL, 0)));
    PMIX_INFO_LOAD(&info, PMIX_LOG_STDERR, "a line", PMIX_STRING);
    printf("log: %s\n", PMIx_Error_string(PMIx_Log(&info, 1, NULL, 0)));
    printf("abort: %s\n", PMIx_Error_string(PMIx_Abort(3, "because", NULL, 0)));
}

int main(int argc, char **argv)
{
    pmix_fabric_t fabric;
    bool tool = getenv("AS_TOOL") != NULL;
    pmix_info_t system;
    PMIX_INFO_LOAD(&system, PMIX_CONNECT_TO_SYSTEM, NULL, PMIX_BOOL);
    pmix_status_t status = tool ? PMIx_tool_init(&self, &system, 1) : PMIx_Init(&self, NULL, 0);

    setvbuf(stdout, NULL, _IOLBF, 1 << 14);
    if (status != PMIX_SUCCESS) return 1;
    PMIX_FABRIC_CONSTRUCT(&fabric);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "act") == 0) {
            act();
        } else if (strcmp(argv[i], "credential") == 0) {
            credential();
        } else if (strcmp(argv[i], "topology") == 0) {
            find_distances();
        } else if (!call(argv[i], &fabric)) {
            ask(argv[i]);
        }
    }
    fflush(stdout);
    status = tool ? PMIx_tool_finalize() : PMIx_Finalize(NULL, 0);
    return status == PMIX_SUCCESS ? 0 : 1;
}
