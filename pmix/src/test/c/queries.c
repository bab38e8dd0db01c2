/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * queries "KEY QUALIFIER=VALUE..."...: asks each and prints "KEY QUALIFIER=VALUE...: STATUS TYPE VALUE", shapes included. "register",
 * "update" and "deregister" are the calls of a fabric structure, "act" what only ranks may do. With AS_TOOL in the environment it is a tool, no client.
 */
#include <pmix.h>
#include <pmix_tool.h>
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
        if (array->type == PMIX_STRING) printf("%s", ((char **) array->array)[i]);
        if (array->type == PMIX_UINT32) printf("%u", ((uint32_t *) array->array)[i]);
        if (array->type == PMIX_UINT16) printf("%u", ((uint16_t *) array->array)[i]);
        if (array->type == PMIX_INFO) print_info(&((pmix_info_t *) array->array)[i]);
        if (array->type == PMIX_GEOMETRY) print_geometry(&((pmix_geometry_t *) array->array)[i]);
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
    if (strcmp(text, "index") == 0) PMIX_INFO_LOAD(info, PMIX_FABRIC_INDEX, &number, PMIX_SIZE);
    if (strcmp(text, "identifier") == 0) PMIX_INFO_LOAD(info, PMIX_FABRIC_IDENTIFIER, value, PMIX_STRING);
    if (strcmp(text, "vendor") == 0) PMIX_INFO_LOAD(info, PMIX_FABRIC_VENDOR, value, PMIX_STRING);
    if (strcmp(text, "plane") == 0) PMIX_INFO_LOAD(info, PMIX_FABRIC_PLANE, value, PMIX_STRING);
    if (strcmp(text, "switch") == 0) PMIX_INFO_LOAD(info, PMIX_FABRIC_SWITCH, value, PMIX_STRING);
    if (strcmp(text, "device") == 0) PMIX_INFO_LOAD(info, PMIX_DEVICE_ID, value, PMIX_STRING);
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

static void ask(const char *line)
{
    char *copy = strdup(line), *save, *word = strtok_r(copy, " ", &save);
    pmix_info_t qualifiers[8], *results = NULL;
    pmix_query_t query;
    size_t count = 0;

    PMIX_QUERY_CONSTRUCT(&query);
    PMIx_Argv_append_nosize(&query.keys, word);
    query.qualifiers = qualifiers;
    while ((word = strtok_r(NULL, " ", &save)) != NULL && query.nqual < 8) qualify(&qualifiers[query.nqual++], word);
    if (query.nqual == 0) query.qualifiers = NULL;
    pmix_status_t status = PMIx_Query_info(&query, 1, &results, &count);
    printf("%s: ", line);
    print_results(status, results, count);
    free(copy);
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
        if (strcmp(argv[i], "register") == 0 || strcmp(argv[i], "update") == 0) {
            status = strcmp(argv[i], "register") == 0 ? PMIx_Fabric_register(&fabric, NULL, 0) : PMIx_Fabric_update(&fabric);
            printf("%s: %s %zu values\n", argv[i], PMIx_Error_string(status), fabric.ninfo);
            for (size_t n = 0; n < fabric.ninfo; n++) {
                printf("  ");
                print_info(&fabric.info[n]);
                printf("\n");
            }
            fabric.info = NULL;
            fabric.ninfo = 0;
        } else if (strcmp(argv[i], "directives") == 0) {
            pmix_info_t info;
            PMIX_INFO_LOAD(&info, PMIX_FABRIC_VENDOR, "NVIDIA", PMIX_STRING);
            status = PMIx_Fabric_register(&fabric, &info, 1);
            printf("%s: %s %zu values\n", argv[i], PMIx_Error_string(status), fabric.ninfo);
        } else if (strcmp(argv[i], "deregister") == 0) {
            printf("%s: %s\n", argv[i], PMIx_Error_string(PMIx_Fabric_deregister(&fabric)));
        } else if (strcmp(argv[i], "act") == 0) {
            act();
        } else {
            ask(argv[i]);
        }
    }
    fflush(stdout);
    status = tool ? PMIx_tool_finalize() : PMIx_Finalize(NULL, 0);
    return status == PMIX_SUCCESS ? 0 : 1;
}
