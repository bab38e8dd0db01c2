/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/* Fabric devices that this process may open: what a device plugin or a DRA driver left out fails here, as it would for a rank. */

#include "facts.h"
#include "files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEVICE_NAME_MAX = 64 };

static bool opens(const char *path) {
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return false;
    close(fd);
    return true;
}

static void pci_of(const char *link, char *pci, size_t size) {
    if (!file_link_name(link, pci, size) || !is_pci_address(pci)) strcpy(pci, "-");
}

/* "9803:9b03:0067:7c9a" to 16 digits; "-" where it is not known. */
static void node_guid(const char *root, const char *device, char guid[17]) {
    char path[4096], text[64];
    size_t length = 0;
    bool zero = true;
    if (path_format(path, sizeof path, "%s/sys/class/infiniband/%s/node_guid", root, device) && file_read(path, text, sizeof text)) {
        for (const char *c = text; *c != '\0' && length < 17; c++) {
            if (*c == ':') continue;
            char digit = *c >= 'A' && *c <= 'F' ? (char)(*c + 'a' - 'A') : *c;
            if (strchr("0123456789abcdef", digit) == NULL) break;
            if (digit != '0') zero = false;
            if (length < 16) guid[length] = digit;
            length++;
        }
    }
    if (length == 16 && !zero) {
        guid[16] = '\0';
    } else {
        strcpy(guid, "-");
    }
}

static bool write_ports(struct bytes *hello, const char *root, const char *device, const char *pci) {
    char path[4096], guid[17];
    int port;
    node_guid(root, device, guid);
    if (!path_format(path, sizeof path, "%s/sys/class/infiniband/%s/ports", root, device)) return true;
    char **ports = directory_names(path);
    if (ports == NULL) return true;
    bool fits = true;
    for (char **name = ports; *name != NULL && fits; name++) {
        if (name_number(*name, "", &port)) fits = bytes_format(hello, "rdma %s %d %s %s\n", device, port, guid, pci);
    }
    free(ports);
    return fits;
}

static bool write_verbs(struct bytes *hello, const char *root, const char *name) {
    char path[4096], device[DEVICE_NAME_MAX], pci[32];
    int number;
    if (!name_number(name, "uverbs", &number)) return true;
    if (!path_format(path, sizeof path, "%s/dev/infiniband/%s", root, name) || !opens(path)) return true;
    if (!path_format(path, sizeof path, "%s/sys/class/infiniband_verbs/%s/ibdev", root, name) || !file_read(path, device, sizeof device) ||
        strpbrk(device, " /\n%") != NULL) {
        return true;
    }
    if (!path_format(path, sizeof path, "%s/sys/class/infiniband_verbs/%s/device", root, name)) return true;
    pci_of(path, pci, sizeof pci);
    return write_ports(hello, root, device, pci);
}

static bool write_cxi(struct bytes *hello, const char *root, const char *name) {
    char path[4096], pci[32];
    int number;
    if (!name_number(name, "cxi", &number)) return true;
    if (!path_format(path, sizeof path, "%s/dev/%s", root, name) || !opens(path)) return true;
    if (!path_format(path, sizeof path, "%s/sys/class/cxi/%s/device", root, name)) return true;
    pci_of(path, pci, sizeof pci);
    return bytes_format(hello, "cxi %s %s\n", name, pci);
}

static bool for_each(struct bytes *hello, const char *root, const char *directory, bool (*write)(struct bytes *, const char *, const char *)) {
    char path[4096];
    if (!path_format(path, sizeof path, "%s%s", root, directory)) return true;
    char **names = directory_names(path);
    if (names == NULL) return true;
    bool fits = true;
    for (char **name = names; *name != NULL && fits; name++) fits = write(hello, root, *name);
    free(names);
    return fits;
}

bool facts_write_devices(struct bytes *hello, const char *root) {
    return for_each(hello, root, "/dev/infiniband", write_verbs) && for_each(hello, root, "/dev", write_cxi);
}
