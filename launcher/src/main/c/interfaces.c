/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "interfaces.h"

#include "facts.h"
#include "files.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* An attribute of a message: `data` is NULL when there is no further one. */
struct attribute {
    unsigned short type;
    const unsigned char *data;
    size_t length;
};

static struct attribute next_attribute(const unsigned char **at, const unsigned char *end) {
    struct attribute none = {0, NULL, 0};
    struct rtattr header;
    if ((size_t)(end - *at) < sizeof header) return none;
    memcpy(&header, *at, sizeof header);
    if (header.rta_len < sizeof header || header.rta_len > (size_t)(end - *at)) return none;
    struct attribute found = {header.rta_type, *at + sizeof header, header.rta_len - sizeof header};
    size_t step = RTA_ALIGN((size_t)header.rta_len);
    *at = step < (size_t)(end - *at) ? *at + step : end;
    return found;
}

static void take_link(struct interfaces *all, const unsigned char *body, const unsigned char *end) {
    struct ifinfomsg info;
    if ((size_t)(end - body) < sizeof info || all->count == INTERFACES_MAX) return;
    memcpy(&info, body, sizeof info);
    struct interface *interface = &all->all[all->count++];
    memset(interface, 0, sizeof *interface);
    interface->index = info.ifi_index;
    interface->up = (info.ifi_flags & IFF_UP) != 0 && (info.ifi_flags & IFF_LOOPBACK) == 0;
    strcpy(interface->mac, "-");
    const unsigned char *at = body + NLMSG_ALIGN(sizeof info);
    for (struct attribute a = next_attribute(&at, end); a.data != NULL; a = next_attribute(&at, end)) {
        if (a.type == IFLA_IFNAME && a.length > 0) {
            size_t length = strnlen((const char *)a.data, a.length);
            if (length < sizeof interface->name) memcpy(interface->name, a.data, length);
        } else if (a.type == IFLA_ADDRESS && a.length > 0 && a.length <= 32) {
            for (size_t i = 0; i < a.length; i++) sprintf(interface->mac + 3 * i, i + 1 < a.length ? "%02x:" : "%02x", a.data[i]);
        }
    }
}

static struct interface *by_index(struct interfaces *all, unsigned index) {
    for (size_t i = 0; i < all->count; i++) {
        if (all->all[i].index == (int)index) return &all->all[i];
    }
    return NULL;
}

static void take_address(struct interfaces *all, const unsigned char *body, const unsigned char *end) {
    struct ifaddrmsg info;
    if ((size_t)(end - body) < sizeof info) return;
    memcpy(&info, body, sizeof info);
    struct interface *interface = by_index(all, info.ifa_index);
    if (interface == NULL || info.ifa_scope >= RT_SCOPE_LINK) return;
    size_t size = info.ifa_family == AF_INET ? 4 : info.ifa_family == AF_INET6 ? 16 : 0;
    const unsigned char *address = NULL;
    const unsigned char *at = body + NLMSG_ALIGN(sizeof info);
    for (struct attribute a = next_attribute(&at, end); a.data != NULL; a = next_attribute(&at, end)) {
        /* On a point-to-point link IFA_ADDRESS is the other end's. */
        if (a.length == size && (a.type == IFA_LOCAL || (a.type == IFA_ADDRESS && address == NULL))) address = a.data;
    }
    if (size == 0 || address == NULL) return;
    if (size == 4 && interface->ipv4_count < ADDRESSES_MAX) {
        inet_ntop(AF_INET, address, interface->ipv4[interface->ipv4_count++], INTERFACE_ADDRESS_BYTES);
    } else if (size == 16 && interface->ipv6_count < ADDRESSES_MAX) {
        inet_ntop(AF_INET6, address, interface->ipv6[interface->ipv6_count++], INTERFACE_ADDRESS_BYTES);
    }
}

bool interfaces_take(struct interfaces *all, const void *answer, size_t length, bool *failed) {
    const unsigned char *at = answer;
    const unsigned char *end = at + length;
    struct nlmsghdr header;
    while ((size_t)(end - at) >= sizeof header) {
        memcpy(&header, at, sizeof header);
        if (header.nlmsg_len < sizeof header || header.nlmsg_len > (size_t)(end - at)) {
            *failed = true;
            return true;
        }
        const unsigned char *body = at + NLMSG_HDRLEN;
        const unsigned char *body_end = at + header.nlmsg_len;
        switch (header.nlmsg_type) {
            case NLMSG_DONE:
                return true;
            case NLMSG_ERROR:
                *failed = true;
                return true;
            case RTM_NEWLINK:
                take_link(all, body, body_end);
                break;
            case RTM_NEWADDR:
                take_address(all, body, body_end);
                break;
            default:
                break;
        }
        size_t step = NLMSG_ALIGN((size_t)header.nlmsg_len);
        at = step < (size_t)(end - at) ? at + step : end;
    }
    return false;
}

static bool dump(struct interfaces *all, int fd, unsigned short type) {
    struct {
        struct nlmsghdr header;
        struct ifinfomsg body; /* an ifaddrmsg is shorter, and zero as well */
    } request = {.header = {.nlmsg_len = sizeof request, .nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP, .nlmsg_seq = 1}};
    static alignas(8) unsigned char answer[64 * 1024];
    if (send(fd, &request, sizeof request, 0) != (ssize_t)sizeof request) return false;
    bool failed = false;
    for (;;) {
        ssize_t n = recv(fd, answer, sizeof answer, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        if (interfaces_take(all, answer, (size_t)n, &failed)) return !failed;
    }
}

bool interfaces_read(struct interfaces *all) {
    all->count = 0;
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0) return false;
    bool done = dump(all, fd, RTM_GETLINK) && dump(all, fd, RTM_GETADDR);
    close(fd);
    return done;
}

bool facts_write_interfaces(struct bytes *hello, const char *root) {
    static struct interfaces all;
    if (!interfaces_read(&all)) return true;
    for (size_t i = 0; i < all.count; i++) {
        const struct interface *interface = &all.all[i];
        char path[4096], pci[32];
        if (!interface->up || interface->name[0] == '\0') continue;
        if (!path_format(path, sizeof path, "%s/sys/class/net/%s/device", root, interface->name) ||
            !file_link_name(path, pci, sizeof pci) || !is_pci_address(pci)) {
            strcpy(pci, "-");
        }
        if (!bytes_format(hello, "net %s %s %s ", interface->name, interface->mac, pci)) return false;
        const char *comma = "";
        for (size_t j = 0; j < interface->ipv4_count; j++, comma = ",") {
            if (!bytes_format(hello, "%s%s", comma, interface->ipv4[j])) return false;
        }
        for (size_t j = 0; j < interface->ipv6_count; j++, comma = ",") {
            if (!bytes_format(hello, "%s%s", comma, interface->ipv6[j])) return false;
        }
        if (!bytes_append_text(hello, *comma == '\0' ? "-\n" : "\n")) return false;
    }
    return true;
}
