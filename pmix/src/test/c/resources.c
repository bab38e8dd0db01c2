/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Values of no nspace. "resources STEP HOSTNAME" is a client that prints "STEP KEY: VALUES" of what it reads, FABRIC_DEVICES of that node. "resources" is a
 * server that registers such values with the library and takes some back; after each step it starts such a client in a new nspace.
 */
#include <pmix.h>
#include <pmix_server.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NODE "node-0"

static const char *program;

static void print_strings(const pmix_data_array_t *array)
{
    pmix_info_t *each = array->array;

    for (size_t i = 0; i < array->size; i++) {
        if (each[i].value.type == PMIX_DATA_ARRAY && each[i].value.data.darray->type == PMIX_INFO) print_strings(each[i].value.data.darray);
        if (PMIX_CHECK_KEY(&each[i], PMIX_DEVICE_ID) || PMIX_CHECK_KEY(&each[i], PMIX_FABRIC_DEVICE_NAME)) printf(" %s", each[i].value.data.string);
    }
}

static void print_value(const char *step, const char *name, const char *key, const char *hostname)
{
    pmix_proc_t all;
    pmix_value_t *got;
    pmix_info_t info;
    bool yes = true;

    PMIX_LOAD_PROCID(&all, getenv("PMIX_NAMESPACE"), PMIX_RANK_WILDCARD);
    if (hostname == NULL) PMIX_INFO_LOAD(&info, PMIX_JOB_INFO, &yes, PMIX_BOOL);
    else PMIX_INFO_LOAD(&info, PMIX_HOSTNAME, hostname, PMIX_STRING);
    pmix_status_t status = PMIx_Get(&all, key, &info, 1, &got);
    printf("%s %s:", step, name);
    if (status != PMIX_SUCCESS) printf(" %s", PMIx_Error_string(status));
    else if (got->type == PMIX_STRING) printf(" %s", got->data.string);
    else if (got->type == PMIX_SIZE) printf(" %zu", got->data.size);
    else if (got->type == PMIX_DATA_ARRAY && got->data.darray->type == PMIX_INFO) print_strings(got->data.darray);
    else if (got->type == PMIX_DATA_ARRAY && got->data.darray->type == PMIX_GEOMETRY) {
        pmix_geometry_t *geometries = got->data.darray->array;
        for (size_t i = 0; i < got->data.darray->size; i++) printf(" %s of fabric %zu", geometries[i].osname, geometries[i].fabric);
    } else printf(" type %d", got->type);
    printf("\n");
}

static int read_all(const char *step, const char *hostname)
{
    pmix_proc_t self;

    if (PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS) return 1;
    print_value(step, "RM_NAME", PMIX_RM_NAME, NULL);
    print_value(step, "SERVER_HOSTNAME", PMIX_SERVER_HOSTNAME, NULL);
    print_value(step, "FABRIC_VENDOR", PMIX_FABRIC_VENDOR, NULL);
    print_value(step, "FABRIC_INDEX", PMIX_FABRIC_INDEX, NULL);
    print_value(step, "FABRIC_DEVICES", PMIX_FABRIC_DEVICES, hostname);
    print_value(step, "FABRIC_COORDINATES", PMIX_FABRIC_COORDINATES, hostname);
    fflush(stdout);
    return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1;
}

static void require(const char *what, pmix_status_t status)
{
    if (status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED) return;
    printf("%s: %s\n", what, PMIx_Error_string(status));
    exit(1);
}

/* A client in a new nspace, which has a FABRIC_VENDOR of its own. */
static void read_in_nspace(const char *step)
{
    char **added = NULL;
    pmix_proc_t proc;
    pmix_info_t info[4];
    uint32_t one = 1;
    int status;

    PMIX_LOAD_PROCID(&proc, step, 0);
    PMIX_INFO_LOAD(&info[0], PMIX_JOB_SIZE, &one, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[1], PMIX_NODE_MAP, NODE, PMIX_STRING);
    PMIX_INFO_LOAD(&info[2], PMIX_PROC_MAP, "0", PMIX_STRING);
    PMIX_INFO_LOAD(&info[3], PMIX_FABRIC_VENDOR, "of the nspace", PMIX_STRING);
    require("register_nspace", PMIx_server_register_nspace(proc.nspace, 1, info, 4, NULL, NULL));
    require("register_client", PMIx_server_register_client(&proc, getuid(), getgid(), NULL, NULL, NULL));
    require("setup_fork", PMIx_server_setup_fork(&proc, &added));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        for (; *added != NULL; added++) putenv(*added);
        execl(program, program, step, NODE, NULL);
        _exit(127);
    }
    waitpid(child, &status, 0);
    if (status != 0) exit(1);
}

static void load_array(pmix_info_t *info, const char *key, size_t size)
{
    pmix_data_array_t *array;

    PMIX_DATA_ARRAY_CREATE(array, size, PMIX_INFO);
    PMIX_LOAD_KEY(info->key, key);
    info->value.type = PMIX_DATA_ARRAY;
    info->value.data.darray = array;
}

static pmix_info_t *element(pmix_info_t *info, size_t index)
{
    return &((pmix_info_t *) info->value.data.darray->array)[index];
}

/* A node with its devices fab://0 and fab://1. */
static void load_node(pmix_info_t *info, const char *hostname)
{
    load_array(info, PMIX_NODE_INFO_ARRAY, 2);
    PMIX_INFO_LOAD(element(info, 0), PMIX_HOSTNAME, hostname, PMIX_STRING);
    load_array(element(info, 1), PMIX_FABRIC_DEVICES, 2);
    for (size_t i = 0; i < 2; i++) {
        pmix_info_t *device = element(element(info, 1), i);
        load_array(device, PMIX_FABRIC_DEVICE, 2);
        PMIX_INFO_LOAD(element(device, 0), PMIX_DEVICE_ID, i == 0 ? "fab://0" : "fab://1", PMIX_STRING);
        PMIX_INFO_LOAD(element(device, 1), PMIX_FABRIC_DEVICE_NAME, i == 0 ? "mlx5_0" : "mlx5_1", PMIX_STRING);
    }
}

static void deregister(pmix_info_t *info, const char *step)
{
    printf("%s: %s\n", step, PMIx_Error_string(PMIx_server_deregister_resources(info, 1, NULL, NULL)));
    read_in_nspace(step);
}

int main(int argc, char **argv)
{
    pmix_server_module_t module;
    pmix_info_t info[3];

    setvbuf(stdout, NULL, _IOLBF, 1 << 12);
    if (argc == 3) return read_all(argv[1], argv[2]);
    program = argv[0];
    memset(&module, 0, sizeof module);
    PMIX_INFO_LOAD(&info[0], PMIX_HOSTNAME, NODE, PMIX_STRING);
    require("init", PMIx_server_init(&module, info, 1));

    PMIX_INFO_LOAD(&info[0], PMIX_RM_NAME, "first", PMIX_STRING);
    PMIX_INFO_LOAD(&info[1], PMIX_FABRIC_VENDOR, "of no nspace", PMIX_STRING);
    load_node(&info[2], NODE);
    require("register_resources", PMIx_server_register_resources(info, 3, NULL, NULL));
    read_in_nspace("registered");

    PMIX_INFO_LOAD(&info[0], PMIX_RM_NAME, "second", PMIX_STRING);
    require("register_resources", PMIx_server_register_resources(info, 1, NULL, NULL));
    deregister(info, "twice-registered");

    PMIX_INFO_LOAD(&info[0], PMIX_DEVICE_ID, "fab://0", PMIX_STRING);
    deregister(info, "by-device-id");

    load_array(info, PMIX_NODE_INFO_ARRAY, 2);
    PMIX_INFO_LOAD(element(info, 0), PMIX_HOSTNAME, NODE, PMIX_STRING);
    PMIX_INFO_LOAD(element(info, 1), PMIX_FABRIC_DEVICE_NAME, "mlx5_1", PMIX_STRING);
    deregister(info, "by-node-and-name");

    load_node(&info[0], NODE);
    load_node(&info[1], "node-1");
    require("register_resources", PMIx_server_register_resources(info, 2, NULL, NULL));
    read_in_nspace("two-nodes");
    return PMIx_server_finalize() == PMIX_SUCCESS ? 0 : 1;
}
