/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reports of what a job sends, for a tool, or for a client where PMIX_RANK is in the environment.
 *
 *   monitor watch        asks each second, prints every report and how many came in the first 5 s; when the bytes have risen 8 times it cancels, and prints how many
 *                        came in 2 s after that
 *   monitor watch-on     goes on until it is killed
 *   monitor listen FILE  has a handler and asks for nothing; prints how many reports it has been told when FILE is there
 *   monitor limits       what is refused, and how many there may be
 *   monitor send NET FILE  no PMIx: rank 1 sends from NET.11 to rank 0 at NET.10, over TCP, until FILE is there
 */
#include <arpa/inet.h>
#include <pmix.h>
#include <pmix_tool.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TRAFFIC "pmix.monitor.netresuse"
#define RATE "pmix.monitor.resrate"
#define RISES 8
#define REPORT (PMIX_EXTERNAL_ERR_BASE - 3)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int told, risen;
static unsigned long last_bytes;

static int count(const int *of)
{
    pthread_mutex_lock(&lock);
    int now = *of;
    pthread_mutex_unlock(&lock);
    return now;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

static void on_report(size_t handler, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[], size_t ninfo,
                      pmix_info_t *results, size_t nresults, pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    const char *id = "", *text = "";
    unsigned long sent = 0, received = 0, tcp = 0, devices = 0;
    unsigned pods = 0;
    int first = -1, last = -1;

    (void) handler, (void) source, (void) results, (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        pmix_value_t *value = &info[i].value;
        if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROCS) && value->type == PMIX_DATA_ARRAY) {
            pmix_proc_t *procs = value->data.darray->array;
            first = (int) procs[0].rank;
            last = (int) procs[value->data.darray->size - 1].rank;
        }
        if (PMIX_CHECK_KEY(&info[i], PMIX_MONITOR_ID) && value->type == PMIX_STRING) id = value->data.string;
        if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_TEXT_MESSAGE) && value->type == PMIX_STRING) text = value->data.string;
        if (strcmp(info[i].key, "pmix.net.sntb") == 0 && value->type == PMIX_UINT64) sent = value->data.uint64;
        if (strcmp(info[i].key, "pmix.net.rcb") == 0 && value->type == PMIX_UINT64) received = value->data.uint64;
        if (strcmp(info[i].key, "fabric-operator.tcp-bytes") == 0 && value->type == PMIX_UINT64) tcp = value->data.uint64;
        if (strcmp(info[i].key, "fabric-operator.pods") == 0 && value->type == PMIX_UINT32) pods = value->data.uint32;
        if (strcmp(info[i].key, "pmix.net.res") == 0 && value->type == PMIX_DATA_ARRAY) devices++;
    }
    printf("report %d id %s ranks %d to %d pods %u tcp %lu sent %lu received %lu devices %lu: %s\n", status, id, first, last, pods, tcp, sent,
           received, devices, text);
    pthread_mutex_lock(&lock);
    told++;
    if (tcp > last_bytes) risen++;
    last_bytes = tcp;
    pthread_mutex_unlock(&lock);
    if (cbfunc != NULL) cbfunc(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

/* what a process monitors under an id, or without one; 0 seconds for none */
static pmix_status_t monitor(const char *key, const char *value, const char *id, uint32_t every)
{
    pmix_info_t what, directives[2], *results = NULL;
    size_t n = 0, nresults = 0;

    PMIX_INFO_LOAD(&what, key, value, PMIX_STRING);
    if (id != NULL) PMIX_INFO_LOAD(&directives[n++], PMIX_MONITOR_ID, id, PMIX_STRING);
    if (every != 0) PMIX_INFO_LOAD(&directives[n++], RATE, &every, PMIX_UINT32);
    return PMIx_Process_monitor(&what, PMIX_SUCCESS, n == 0 ? NULL : directives, n, &results, &nresults);
}

static void watch(int for_good)
{
    double start = seconds();
    printf("monitor: %s\n", PMIx_Error_string(monitor(TRAFFIC, NULL, "mine", 1)));
    while (seconds() - start < 5) usleep(10000);
    printf("in 5 s: %d\n", count(&told));
    while (for_good || (count(&risen) < RISES && seconds() - start < 60)) usleep(10000);
    printf("cancel of another: %s\n", PMIx_Error_string(monitor(PMIX_MONITOR_CANCEL, "other", NULL, 0)));
    int before = count(&told);
    while (count(&told) == before && seconds() - start < 60) usleep(10000);
    printf("after cancel of another: %s\n", count(&told) > before ? "some" : "none");
    printf("cancel: %s\n", PMIx_Error_string(monitor(PMIX_MONITOR_CANCEL, "mine", NULL, 0)));
    /* what came before the answer is in the hands of the library's thread */
    usleep(300000);
    before = count(&told);
    usleep(2200000);
    printf("after cancel: %d\n", count(&told) - before);
}

static void limits(void)
{
    char id[16];
    int some = 0;
    pmix_status_t rc = PMIX_SUCCESS;

    printf("other key: %s\n", PMIx_Error_string(monitor("fabric-operator.weather", NULL, "a", 1)));
    printf("heartbeat: %s\n", PMIx_Error_string(monitor(PMIX_MONITOR_HEARTBEAT, NULL, "a", 1)));
    printf("no rate: %s\n", PMIx_Error_string(monitor(TRAFFIC, NULL, "a", 0)));
    while (some < 100) {
        snprintf(id, sizeof id, "id-%d", some);
        rc = monitor(TRAFFIC, NULL, id, 3600);
        if (rc != PMIX_SUCCESS) break;
        some++;
    }
    printf("at most: %d, then %s\n", some, PMIx_Error_string(rc));
    printf("again: %s\n", PMIx_Error_string(monitor(TRAFFIC, NULL, "id-0", 3600)));
    printf("cancel all: %s\n", PMIx_Error_string(monitor(PMIX_MONITOR_CANCEL, NULL, NULL, 0)));
    printf("after that: %s\n", PMIx_Error_string(monitor(TRAFFIC, NULL, "id-99", 3600)));
}

static int address(struct sockaddr_in *to, const char *net, int last, int port)
{
    char text[64];
    memset(to, 0, sizeof *to);
    snprintf(text, sizeof text, "%s.%d", net, last);
    to->sin_family = AF_INET;
    to->sin_port = htons((uint16_t) port);
    return inet_pton(AF_INET, text, &to->sin_addr);
}

static int send_bytes(const char *net, const char *until)
{
    enum { PORT = 7999 };
    static char bytes[4096];
    struct sockaddr_in here, there;
    int one = 1, s = socket(AF_INET, SOCK_STREAM, 0);

    if (strcmp(getenv("PMIX_RANK"), "0") == 0) {
        setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        address(&here, net, 10, PORT);
        if (bind(s, (struct sockaddr *) &here, sizeof here) != 0 || listen(s, 1) != 0) return 1;
        int from = accept(s, NULL, NULL);
        while (read(from, bytes, sizeof bytes) > 0) continue;
        return 0;
    }
    address(&here, net, 11, 0);
    address(&there, net, 10, PORT);
    while (bind(s, (struct sockaddr *) &here, sizeof here) != 0 || connect(s, (struct sockaddr *) &there, sizeof there) != 0) {
        close(s);
        usleep(50000);
        s = socket(AF_INET, SOCK_STREAM, 0);
    }
    puts("sending");
    while (access(until, F_OK) != 0) {
        if (write(s, bytes, sizeof bytes) < 0) return 1;
        usleep(50000);
    }
    return 0;
}

int main(int argc, char **argv)
{
    pmix_status_t code = REPORT;
    pmix_proc_t self;
    int tool = getenv("PMIX_RANK") == NULL;

    setvbuf(stdout, NULL, _IOLBF, 1 << 12);
    if (argc == 4 && strcmp(argv[1], "send") == 0) return send_bytes(argv[2], argv[3]);
    pmix_status_t rc = tool ? PMIx_tool_init(&self, NULL, 0) : PMIx_Init(&self, NULL, 0);
    if (rc != PMIX_SUCCESS) {
        printf("init: %s\n", PMIx_Error_string(rc));
        return 1;
    }
    if (PMIx_Register_event_handler(&code, 1, NULL, 0, on_report, NULL, NULL) < 0) return 1;
    if (strncmp(argv[1], "watch", 5) == 0) watch(strcmp(argv[1], "watch-on") == 0);
    if (strcmp(argv[1], "limits") == 0) limits();
    if (strcmp(argv[1], "listen") == 0) {
        puts("listening");
        while (access(argv[2], F_OK) != 0) usleep(50000);
        printf("told: %d\n", count(&told));
    }
    return (tool ? PMIx_tool_finalize() : PMIx_Finalize(NULL, 0)) == PMIX_SUCCESS ? 0 : 1;
}
