/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * topology: a rank that prints whether its server has given it a topology, how many files of sysfs PMIx_Init opened, and whether libpmix has the topology that hwloc reads here.
 */
#include <dlfcn.h>
#include <hwloc.h>
#include <pmix.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int opened;

/* Counts what hwloc opens below the root directory that it holds. */
int openat(int directory, const char *path, int flags, ...)
{
    static int (*real)(int, const char *, int, int);
    va_list rest;

    if (real == NULL) real = (int (*)(int, const char *, int, int)) dlsym(RTLD_NEXT, "openat");
    if (strstr(path, "sys/devices/system") != NULL) opened++;
    va_start(rest, flags);
    int mode = va_arg(rest, int);
    va_end(rest);
    return real(directory, path, flags, mode);
}

/* Without the lines that say who has read it, and what that hwloc could find out. */
static char *content(hwloc_topology_t topology)
{
    char *xml, *kept, *end;
    int length;

    if (hwloc_topology_export_xmlbuffer(topology, &xml, &length, 0) != 0 || (kept = calloc(1, (size_t) length + 1)) == NULL) exit(2);
    end = kept;
    for (char *line = strtok(xml, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strstr(line, "ProcessName") == NULL && strstr(line, "<support") == NULL) end += sprintf(end, "%s\n", line);
    }
    return kept;
}

int main(void)
{
    pmix_proc_t self, job;
    pmix_value_t *value = NULL;
    pmix_info_t optional;
    pmix_topology_t theirs;
    hwloc_topology_t ours;

    if (PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS) return 1;
    printf("opened: %s\n", opened > 0 ? "some" : "none");
    PMIX_LOAD_PROCID(&job, self.nspace, PMIX_RANK_WILDCARD);
    PMIX_INFO_LOAD(&optional, PMIX_OPTIONAL, NULL, PMIX_BOOL);
    printf("given: %s\n", PMIx_Get(&job, PMIX_HWLOC_XML_V2, &optional, 1, &value) == PMIX_SUCCESS ? "yes" : "no");
    PMIX_TOPOLOGY_CONSTRUCT(&theirs);
    if (PMIx_Load_topology(&theirs) != PMIX_SUCCESS) return 1;
    if (hwloc_topology_init(&ours) != 0 || hwloc_topology_set_io_types_filter(ours, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) != 0 || hwloc_topology_load(ours) != 0) return 2;
    char *read = content(ours), *given = content(theirs.topology);
    printf("same: %s\n", strcmp(read, given) == 0 ? "yes" : "no");
    if (strcmp(read, given) != 0) printf("read:\n%s\ngiven:\n%s\n", read, given);
    return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1;
}
