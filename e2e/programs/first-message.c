/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/*
 * Every rank sends every peer a message with libfabric, and waits for one from each. Where the peers are it knows from
 * PMIX_FABRIC_ENDPT alone: no fence, no exchange, the address goes into the address vector as it is.
 *
 * usage: first-message [--late MILLISECONDS] [--settle MILLISECONDS] [--exchange] [--provider NAME]
 *
 *   --late MS    ranks with odd numbers open their endpoint so much later: nothing may be lost
 *   --settle MS  all ranks wait so long after PMIx_Init, so that the pods' servers have met, and again before the last fence
 *   --provider   of libfabric, default tcp; udp sends datagrams, which need no connection
 *   --exchange   the way without PMIx endpoints, to compare with: put one's own address, fence, get everybody's
 *
 * Prints "first rank=R size=N start=S known=S done=S retries=N servers=B1,B2", seconds since the epoch: past PMIx_Init, all
 * addresses known, all messages sent and received; and the bytes that this pod's PMIx server has exchanged with those of other pods by the
 * start and by the end, as the kernel counts them for their connections (TCP_INFO).
 */
#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <pmix.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* What a rank sends; the receiver checks every word of it. */
struct message {
    uint32_t from;
    uint32_t to;
    uint64_t sum;
    uint32_t heard; /* the sender has a message of the receiver's; told where messages may get lost */
};

static pmix_proc_t me;
static uint32_t size;
static struct fi_info *info;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct fid_av *av;
static struct fid_cq *cq;
static struct fid_ep *endpoint;
static long retries;
static bool datagrams;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void fail(const char *what, const char *why) {
    fprintf(stderr, "first-message: rank %u: %s: %s\n", me.rank, what, why);
    PMIx_Abort(1, "first-message failed", NULL, 0);
    exit(1);
}

static void pmix_ok(const char *what, pmix_status_t status) {
    if (status != PMIX_SUCCESS) fail(what, PMIx_Error_string(status));
}

static void fi_ok(const char *what, int result) {
    if (result != 0) fail(what, fi_strerror(-result));
}

/* Where pmixd listens for those of other pods; a pod has one network namespace. */
enum { SERVER_PORT = 7471 };

static uint64_t server_bytes_in(const struct nlmsghdr *header) {
    const struct inet_diag_msg *socket = NLMSG_DATA(header);
    if (ntohs(socket->id.idiag_sport) != SERVER_PORT && ntohs(socket->id.idiag_dport) != SERVER_PORT) return 0;
    int length = header->nlmsg_len - NLMSG_LENGTH(sizeof *socket);
    for (const struct rtattr *attribute = (const struct rtattr *)(socket + 1); RTA_OK(attribute, length); attribute = RTA_NEXT(attribute, length)) {
        struct tcp_info tcp = {0};
        if (attribute->rta_type != INET_DIAG_INFO) continue;
        size_t size = RTA_PAYLOAD(attribute);
        memcpy(&tcp, RTA_DATA(attribute), size < sizeof tcp ? size : sizeof tcp);
        return tcp.tcpi_bytes_acked + tcp.tcpi_bytes_received;
    }
    return 0;
}

/* Both directions, of one address family. */
static uint64_t server_bytes_of(int fd, unsigned char family) {
    static _Alignas(8) char answer[1 << 16];
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 request;
    } question = {
        .header = {.nlmsg_len = sizeof question, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .request = {.sdiag_family = family, .sdiag_protocol = IPPROTO_TCP, .idiag_states = ~0U, .idiag_ext = 1 << (INET_DIAG_INFO - 1)}};
    uint64_t bytes = 0;
    if (send(fd, &question, sizeof question, 0) != (ssize_t)sizeof question) fail("sockets", "cannot be asked for");
    for (;;) {
        ssize_t got = recv(fd, answer, sizeof answer, 0);
        if (got <= 0) fail("sockets", "no answer");
        unsigned left = (unsigned)got;
        for (struct nlmsghdr *header = (struct nlmsghdr *)answer; NLMSG_OK(header, left); header = NLMSG_NEXT(header, left)) {
            if (header->nlmsg_type == NLMSG_DONE) return bytes;
            if (header->nlmsg_type == NLMSG_ERROR) fail("sockets", "are not told");
            bytes += server_bytes_in(header);
        }
    }
}

static uint64_t server_bytes(void) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0) fail("sockets", "cannot be asked for");
    uint64_t bytes = server_bytes_of(fd, AF_INET) + server_bytes_of(fd, AF_INET6);
    close(fd);
    return bytes;
}

/* The first endpoint of a rank whose address is a struct sockaddr_in: nearest device first. */
static struct sockaddr_in given_address(uint32_t rank) {
    pmix_proc_t proc = me;
    pmix_value_t *value;
    struct sockaddr_in address;
    proc.rank = rank;
    pmix_ok("PMIx_Get of PMIX_FABRIC_ENDPT", PMIx_Get(&proc, PMIX_FABRIC_ENDPT, NULL, 0, &value));
    if (value->type != PMIX_DATA_ARRAY || value->data.darray->type != PMIX_ENDPOINT) fail("PMIX_FABRIC_ENDPT", "not an array of endpoints");
    pmix_endpoint_t *endpoints = value->data.darray->array;
    for (size_t i = 0; i < value->data.darray->size; i++) {
        if (endpoints[i].endpt.size == sizeof address) {
            memcpy(&address, endpoints[i].endpt.bytes, sizeof address);
            if (address.sin_family == AF_INET && address.sin_port != 0) {
                PMIX_VALUE_RELEASE(value);
                return address;
            }
        }
    }
    fail("PMIX_FABRIC_ENDPT", "no endpoint is a struct sockaddr_in with a port");
    return address;
}

static void open_endpoint(const struct sockaddr_in *own, const char *provider) {
    struct fi_info *hints = fi_allocinfo();
    char node[INET_ADDRSTRLEN], service[8];
    hints->ep_attr->type = datagrams ? FI_EP_DGRAM : FI_EP_RDM;
    hints->caps = FI_MSG;
    hints->addr_format = FI_SOCKADDR_IN;
    hints->domain_attr->mr_mode = 0;
    hints->fabric_attr->prov_name = strdup(provider);
    inet_ntop(AF_INET, &own->sin_addr, node, sizeof node);
    snprintf(service, sizeof service, "%u", ntohs(own->sin_port));
    fi_ok("fi_getinfo", fi_getinfo(FI_VERSION(1, 18), node, own->sin_port == 0 ? NULL : service, FI_SOURCE, hints, &info));
    fi_ok("fi_fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
    fi_ok("fi_domain", fi_domain(fabric, info, &domain, NULL));
    struct fi_av_attr av_attr = {.type = FI_AV_TABLE, .count = size};
    fi_ok("fi_av_open", fi_av_open(domain, &av_attr, &av, NULL));
    struct fi_cq_attr cq_attr = {.format = FI_CQ_FORMAT_CONTEXT, .size = 4 * size, .wait_obj = FI_WAIT_UNSPEC};
    fi_ok("fi_cq_open", fi_cq_open(domain, &cq_attr, &cq, NULL));
    fi_ok("fi_endpoint", fi_endpoint(domain, info, &endpoint, NULL));
    fi_ok("fi_ep_bind", fi_ep_bind(endpoint, &av->fid, 0));
    fi_ok("fi_ep_bind", fi_ep_bind(endpoint, &cq->fid, FI_SEND | FI_RECV));
    fi_ok("fi_enable", fi_enable(endpoint));
    fi_freeinfo(hints);
}

/* The way that programs take today: everybody's address by way of everybody. */
static void exchange(struct sockaddr_in *addresses) {
    struct sockaddr_in own;
    size_t length = sizeof own;
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT};
    fi_ok("fi_getname", fi_getname(&endpoint->fid, &own, &length));
    value.data.bo.bytes = (char *)&own;
    value.data.bo.size = sizeof own;
    pmix_ok("PMIx_Put", PMIx_Put(PMIX_GLOBAL, "first-message.address", &value));
    pmix_ok("PMIx_Commit", PMIx_Commit());
    pmix_info_t collect;
    bool yes = true;
    PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    pmix_ok("PMIx_Fence", PMIx_Fence(NULL, 0, &collect, 1));
    for (uint32_t rank = 0; rank < size; rank++) {
        pmix_proc_t proc = me;
        pmix_value_t *got;
        proc.rank = rank;
        pmix_ok("PMIx_Get", PMIx_Get(&proc, "first-message.address", NULL, 0, &got));
        if (got->type != PMIX_BYTE_OBJECT || got->data.bo.size != sizeof own) fail("PMIx_Get", "not an address");
        memcpy(&addresses[rank], got->data.bo.bytes, sizeof own);
        PMIX_VALUE_RELEASE(got);
    }
}

static ssize_t send_to(fi_addr_t *peers, struct message *out, uint32_t rank) {
    return fi_send(endpoint, &out[rank], sizeof out[rank], NULL, peers[rank], &out[rank]);
}

static struct message message_to(uint32_t rank, bool heard) {
    return (struct message){me.rank, rank, (uint64_t)me.rank * 1000003 + rank, heard};
}

static bool is_for_me(const struct message *message) {
    return message->to == me.rank && message->from < size && message->from != me.rank && message->sum == (uint64_t)message->from * 1000003 + me.rank;
}

/* Sends to all and receives from all; a peer that does not listen yet is tried again. */
static void talk(fi_addr_t *peers) {
    struct message *out = calloc(size, sizeof *out), *in = calloc(size, sizeof *in);
    bool *heard = calloc(size, sizeof *heard);
    bool *unsent = calloc(size, sizeof *unsent);
    uint32_t to_send = size - 1, to_hear = size - 1;
    for (uint32_t i = 0; i + 1 < size; i++) fi_ok("fi_recv", fi_recv(endpoint, &in[i], sizeof in[i], NULL, FI_ADDR_UNSPEC, &in[i]));
    for (uint32_t rank = 0; rank < size; rank++) {
        out[rank] = message_to(rank, false);
        unsent[rank] = rank != me.rank;
    }
    double pause = 0, limit = now() + 30;
    while (to_send > 0 || to_hear > 0) {
        if (now() > limit) fail("messages", "not all were sent and received within 30 s");
        for (uint32_t i = 0; now() >= pause && i < size; i++) {
            uint32_t rank = (me.rank + i) % size;
            if (unsent[rank]) {
                ssize_t result = send_to(peers, out, rank);
                if (result == 0) unsent[rank] = false;
                else if (result != -FI_EAGAIN) fail("fi_send", fi_strerror(-result));
            }
        }
        struct fi_cq_entry done;
        ssize_t count = fi_cq_read(cq, &done, 1);
        if (count == 1) {
            struct message *message = done.op_context;
            if (message >= out && message < out + size) {
                to_send--;
            } else {
                if (!is_for_me(message) || heard[message->from]) fail("message", "not one that was sent to this rank");
                heard[message->from] = true;
                to_hear--;
            }
        } else if (count == -FI_EAVAIL) {
            struct fi_cq_err_entry error = {0};
            fi_cq_readerr(cq, &error, 0);
            struct message *message = error.op_context;
            if (message < out || message >= out + size || (error.err != FI_ECONNREFUSED && error.err != FI_ETIMEDOUT && error.err != FI_ECONNRESET && error.err != FI_ENOTCONN))
                fail("completion", fi_strerror(error.err));
            unsent[message - out] = true;
            retries++;
            pause = now() + 0.01;
        } else if (count != -FI_EAGAIN) {
            fail("fi_cq_read", fi_strerror(-count));
        } else {
            /* More ranks than cores: leave the others some time. */
            usleep(50);
        }
    }
}

/* Datagrams: what reaches a peer before that has opened its endpoint is lost, so that whoever is answered has been heard. */
enum { WINDOW = 256 };
static struct message *inbox, *outbox;
static fi_addr_t *to_peer;
static bool *has_heard, *is_heard;
static uint32_t left_to_hear;

static void post(struct message *buffer) { fi_ok("fi_recv", fi_recv(endpoint, buffer, sizeof *buffer, NULL, FI_ADDR_UNSPEC, buffer)); }

/* One that finds no room is not sent: either side asks again. */
static void send_datagram(uint32_t rank) {
    outbox[rank] = message_to(rank, has_heard[rank]);
    ssize_t result = fi_send(endpoint, &outbox[rank], sizeof outbox[rank], NULL, to_peer[rank], &outbox[rank]);
    if (result != 0 && result != -FI_EAGAIN) fail("fi_send", fi_strerror(-result));
}

static void serve_datagrams(void) {
    struct fi_cq_entry done[64];
    for (;;) {
        ssize_t count = fi_cq_read(cq, done, 64);
        if (count == -FI_EAGAIN) return;
        if (count == -FI_EAVAIL) {
            /* A port that nobody has opened yet: the peer will speak first. */
            struct fi_cq_err_entry error = {0};
            fi_cq_readerr(cq, &error, 0);
            struct message *message = error.op_context;
            if (message >= inbox && message < inbox + WINDOW) post(message);
            continue;
        }
        if (count < 0) fail("fi_cq_read", fi_strerror(-count));
        for (ssize_t i = 0; i < count; i++) {
            struct message *message = done[i].op_context;
            if (message < inbox || message >= inbox + WINDOW) continue;
            struct message got = *message;
            post(message);
            if (!is_for_me(&got)) fail("message", "not one that was sent to this rank");
            if (got.heard) is_heard[got.from] = true;
            if (!has_heard[got.from]) {
                has_heard[got.from] = true;
                left_to_hear--;
            }
            if (!got.heard) send_datagram(got.from);
        }
    }
}

static void on_fence(pmix_status_t status, void *passed) {
    if (status != PMIX_SUCCESS) fail("PMIx_Fence", PMIx_Error_string(status));
    __atomic_store_n((bool *)passed, true, __ATOMIC_RELEASE);
}

static void talk_by_datagrams(fi_addr_t *peers) {
    to_peer = peers;
    inbox = calloc(WINDOW, sizeof *inbox);
    outbox = calloc(size, sizeof *outbox);
    has_heard = calloc(size, sizeof *has_heard);
    is_heard = calloc(size, sizeof *is_heard);
    left_to_hear = size - 1;
    for (int i = 0; i < WINDOW; i++) post(&inbox[i]);
    for (uint32_t i = 1; i < size; i++) send_datagram((me.rank + i) % size);
    double begin = now(), again = begin + 0.05;
    while (left_to_hear > 0) {
        serve_datagrams();
        if (left_to_hear == 0) break;
        if (now() > begin + 30) fail("messages", "not all were received within 30 s");
        if (now() > again) {
            for (uint32_t rank = 0; rank < size; rank++) {
                if (rank != me.rank && !is_heard[rank]) {
                    send_datagram(rank);
                    retries++;
                }
            }
            again = now() + 0.05;
        }
        usleep(50);
    }
}

/* Answers whoever asks until all have come so far. */
static void end_of_datagrams(void) {
    bool together = false;
    pmix_ok("PMIx_Fence", PMIx_Fence_nb(NULL, 0, NULL, 0, on_fence, &together));
    while (!__atomic_load_n(&together, __ATOMIC_ACQUIRE)) {
        serve_datagrams();
        usleep(200);
    }
}

int main(int argc, char **argv) {
    bool by_exchange = false;
    int late = 0, settle = 0;
    const char *provider = "tcp";
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--exchange") == 0) by_exchange = true;
        else if (strcmp(argv[i], "--late") == 0 && i + 1 < argc) late = atoi(argv[++i]);
        else if (strcmp(argv[i], "--settle") == 0 && i + 1 < argc) settle = atoi(argv[++i]);
        else if (strcmp(argv[i], "--provider") == 0 && i + 1 < argc) provider = argv[++i];
        else {
            fprintf(stderr, "usage: first-message [--late MILLISECONDS] [--settle MILLISECONDS] [--exchange] [--provider NAME]\n");
            return 2;
        }
    }
    datagrams = strcmp(provider, "udp") == 0;
    pmix_ok("PMIx_Init", PMIx_Init(&me, NULL, 0));
    usleep(settle * 1000);
    uint64_t before = server_bytes();
    double start = now();
    pmix_proc_t job = me;
    pmix_value_t *value;
    job.rank = PMIX_RANK_WILDCARD;
    pmix_ok("PMIx_Get of PMIX_JOB_SIZE", PMIx_Get(&job, PMIX_JOB_SIZE, NULL, 0, &value));
    size = value->data.uint32;
    PMIX_VALUE_RELEASE(value);
    struct sockaddr_in *addresses = calloc(size, sizeof *addresses);
    if (late > 0 && me.rank % 2 == 1) usleep(late * 1000);
    if (by_exchange) {
        struct sockaddr_in any = given_address(me.rank);
        any.sin_port = 0;
        open_endpoint(&any, provider);
        exchange(addresses);
    } else {
        for (uint32_t rank = 0; rank < size; rank++) addresses[rank] = given_address(rank);
        open_endpoint(&addresses[me.rank], provider);
    }
    fi_addr_t *peers = calloc(size, sizeof *peers);
    if (fi_av_insert(av, addresses, size, peers, 0, NULL) != (int)size) fail("fi_av_insert", "not all addresses were taken");
    double known = now();
    if (datagrams) talk_by_datagrams(peers);
    else talk(peers);
    double done = now();
    printf("first rank=%u size=%u start=%.6f known=%.6f done=%.6f retries=%ld servers=%llu,%llu\n", me.rank, size, start, known, done, retries,
           (unsigned long long)before, (unsigned long long)server_bytes());
    fflush(stdout);
    /* Nobody's fence passes between the servers while another still counts. */
    usleep(settle * 1000);
    /* Nobody closes what another still reads from. */
    if (datagrams) end_of_datagrams();
    else pmix_ok("PMIx_Fence", PMIx_Fence(NULL, 0, NULL, 0));
    PMIx_Finalize(NULL, 0);
    return 0;
}
