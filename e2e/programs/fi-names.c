/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/* Prints "provider domain" of everything that libfabric offers, in its order. */
#include <rdma/fabric.h>
#include <stdio.h>

int main(void) {
    struct fi_info *all = NULL;
    int result = fi_getinfo(FI_VERSION(1, 20), NULL, NULL, 0, NULL, &all);
    if (result != 0) {
        fprintf(stderr, "fi_getinfo: %s\n", fi_strerror(-result));
        return 1;
    }
    for (struct fi_info *each = all; each != NULL; each = each->next)
        printf("%s %s\n", each->fabric_attr->prov_name, each->domain_attr->name);
    fi_freeinfo(all);
    return 0;
}
