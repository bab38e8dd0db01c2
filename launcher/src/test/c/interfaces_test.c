/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "interfaces.h"

#include "check.h"

#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

struct answer {
    unsigned char data[4096];
    size_t length;
    size_t message;
};

static void put(struct answer *a, const void *data, size_t length) {
    memcpy(a->data + a->length, data, length);
    memset(a->data + a->length + length, 0, 4);
    a->length += NLMSG_ALIGN(length);
}

static void begin(struct answer *a, unsigned short type, const void *body, size_t length) {
    a->message = a->length;
    struct nlmsghdr header = {.nlmsg_type = type};
    put(a, &header, sizeof header);
    put(a, body, length);
}

static void attribute(struct answer *a, unsigned short type, const void *data, unsigned short length) {
    struct rtattr header = {.rta_type = type, .rta_len = (unsigned short)(sizeof header + length)};
    put(a, &header, sizeof header);
    put(a, data, length);
}

static void end(struct answer *a) {
    struct nlmsghdr header;
    memcpy(&header, a->data + a->message, sizeof header);
    header.nlmsg_len = (unsigned)(a->length - a->message);
    memcpy(a->data + a->message, &header, sizeof header);
}

static void add_link(struct answer *a, int index, const char *name, unsigned flags, const unsigned char *mac, unsigned short mac_length) {
    struct ifinfomsg info = {.ifi_index = index, .ifi_flags = flags};
    begin(a, RTM_NEWLINK, &info, sizeof info);
    attribute(a, IFLA_IFNAME, name, (unsigned short)(strlen(name) + 1));
    if (mac != NULL) attribute(a, IFLA_ADDRESS, mac, mac_length);
    end(a);
}

static void add_address(struct answer *a, unsigned index, int family, const char *text, unsigned char scope) {
    struct ifaddrmsg info = {.ifa_index = index, .ifa_family = (unsigned char)family, .ifa_scope = scope};
    unsigned char address[16];
    CHECK(inet_pton(family, text, address) == 1);
    begin(a, RTM_NEWADDR, &info, sizeof info);
    attribute(a, IFA_ADDRESS, address, family == AF_INET ? 4 : 16);
    end(a);
}

static struct answer sample(void) {
    struct answer a = {.length = 0};
    add_link(&a, 1, "lo", IFF_UP | IFF_LOOPBACK, (const unsigned char[]){0, 0, 0, 0, 0, 0}, 6);
    add_link(&a, 2, "eth0", IFF_UP, (const unsigned char[]){0x0a, 0x58, 0x0a, 0xf4, 1, 2}, 6);
    add_link(&a, 3, "tun0", IFF_UP, NULL, 0);
    add_link(&a, 4, "eth1", 0, (const unsigned char[]){2, 0, 0, 0, 0, 1}, 6);
    add_address(&a, 1, AF_INET, "127.0.0.1", RT_SCOPE_HOST);
    add_address(&a, 2, AF_INET, "10.244.1.2", RT_SCOPE_UNIVERSE);
    add_address(&a, 2, AF_INET6, "fe80::1", RT_SCOPE_LINK);
    add_address(&a, 2, AF_INET6, "fd00::2", RT_SCOPE_UNIVERSE);
    add_address(&a, 9, AF_INET, "10.0.0.9", RT_SCOPE_UNIVERSE);
    struct nlmsghdr done = {.nlmsg_len = sizeof done, .nlmsg_type = NLMSG_DONE};
    put(&a, &done, sizeof done);
    return a;
}

static void reads_links_and_addresses(void) {
    static struct interfaces all;
    struct answer a = sample();
    bool failed = false;
    all.count = 0;
    CHECK(interfaces_take(&all, a.data, a.length, &failed) && !failed);
    CHECK(all.count == 4 && !all.all[0].up && all.all[1].up && all.all[2].up && !all.all[3].up);
    CHECK_TEXT(all.all[1].name, "eth0");
    CHECK_TEXT(all.all[1].mac, "0a:58:0a:f4:01:02");
    CHECK(all.all[1].ipv4_count == 1 && all.all[1].ipv6_count == 1);
    CHECK_TEXT(all.all[1].ipv4[0], "10.244.1.2");
    CHECK_TEXT(all.all[1].ipv6[0], "fd00::2");
    CHECK_TEXT(all.all[2].mac, "-");
}

/* Every byte of an answer may be wrong: nothing is read or written outside, which the sanitizers would tell. */
static void survives_damage(void) {
    static struct interfaces all;
    struct answer whole = sample();
    unsigned seed = 1;
    for (int round = 0; round < 20000; round++) {
        bool failed = false;
        all.count = 0;
        seed = seed * 1103515245u + 12345u;
        size_t length = round % 3 == 0 ? seed % (whole.length + 1) : whole.length;
        unsigned char *copy = malloc(length > 0 ? length : 1);
        memcpy(copy, whole.data, length);
        for (unsigned i = 0; i < 1 + (seed >> 8) % 4 && length > 0; i++) {
            seed = seed * 1103515245u + 12345u;
            copy[(seed >> 4) % length] = (unsigned char)(seed >> 20);
        }
        interfaces_take(&all, copy, length, &failed);
        CHECK(all.count <= INTERFACES_MAX);
        free(copy);
    }
}

static void reads_this_machines_own(void) {
    static struct interfaces all;
    CHECK(interfaces_read(&all));
    CHECK(all.count > 0);
}

void test_interfaces(void) {
    reads_links_and_addresses();
    survives_damage();
    reads_this_machines_own();
}
