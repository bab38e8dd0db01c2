/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * What processes of a job do with each other beyond fences: published data, connections, groups, lines for the log. Run by every rank of
 * at least two pods with two ranks each. Prints "WHAT: STATUS" and what was read.
 */
#include <pmix.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pmix_proc_t self;
static uint32_t size;

static const char *text_of(pmix_status_t status)
{
    return PMIx_Error_string(status);
}

static void say(const char *what, pmix_status_t status)
{
    printf("%s: %s\n", what, text_of(status));
}

static void barrier(void)
{
    pmix_proc_t all;
    PMIX_LOAD_PROCID(&all, self.nspace, PMIX_RANK_WILDCARD);
    pmix_status_t status = PMIx_Fence(&all, 1, NULL, 0);
    if (status != PMIX_SUCCESS) {
        say("barrier", status);
        exit(1);
    }
}

static pmix_status_t publish(const char *key, const char *value, pmix_data_range_t range, pmix_persistence_t persistence)
{
    pmix_info_t info[3];
    PMIX_INFO_LOAD(&info[0], key, value, PMIX_STRING);
    PMIX_INFO_LOAD(&info[1], PMIX_RANGE, &range, PMIX_DATA_RANGE);
    PMIX_INFO_LOAD(&info[2], PMIX_PERSISTENCE, &persistence, PMIX_PERSIST);
    return PMIx_Publish(info, 3);
}

/* wait: -1 not at all, 0 for ever, else for so many seconds */
static pmix_status_t lookup(const char *what, const char *key, int wait)
{
    pmix_pdata_t data;
    pmix_info_t info[2];
    PMIX_PDATA_CONSTRUCT(&data);
    PMIX_LOAD_KEY(data.key, key);
    PMIX_INFO_LOAD(&info[0], PMIX_WAIT, NULL, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[1], PMIX_TIMEOUT, &wait, PMIX_INT);
    pmix_status_t status = PMIx_Lookup(&data, 1, wait < 0 ? NULL : info, wait < 0 ? 0 : 2);
    if (what != NULL && status == PMIX_SUCCESS) {
        printf("%s: %s of %u type %d\n", what, data.value.type == PMIX_STRING ? data.value.data.string : "", data.proc.rank, data.value.type);
    } else if (what != NULL) {
        say(what, status);
    }
    PMIX_PDATA_DESTRUCT(&data);
    return status;
}

static void names(void)
{
    char *keys[] = {"name", NULL};
    pmix_info_t info;
    pmix_pdata_t two[2];
    char text[32];
    uint32_t first = self.rank / 2 * 2;

    if (self.rank == 0) say("publish", publish("name", "of 0", PMIX_RANGE_NAMESPACE, PMIX_PERSIST_SESSION));
    if (self.rank == size - 1) lookup("awaited", "late", 20);
    if (self.rank == 0) {
        usleep(300000);
        say("publish late", publish("late", "at last", PMIX_RANGE_SESSION, PMIX_PERSIST_APP));
        lookup("never", "never", 1);
    }
    barrier();
    lookup("name", "name", -1);
    if (self.rank == 1) say("again", publish("name", "of 1", PMIX_RANGE_NAMESPACE, PMIX_PERSIST_SESSION));

    snprintf(text, sizeof text, "pod of %u", self.rank);
    if (self.rank == first) say("publish local", publish("local", text, PMIX_RANGE_LOCAL, PMIX_PERSIST_SESSION));
    snprintf(text, sizeof text, "rank %u", self.rank);
    say("publish own", publish("own", text, PMIX_RANGE_PROC_LOCAL, PMIX_PERSIST_SESSION));
    barrier();
    lookup("local", "local", -1);
    lookup("own", "own", -1);

    /* a value with a structure of its own */
    if (self.rank == 2) {
        uint32_t numbers[] = {7, 8, 9};
        pmix_data_array_t array = {.type = PMIX_UINT32, .size = 3, .array = numbers};
        PMIX_INFO_LOAD(&info, "array", &array, PMIX_DATA_ARRAY);
        say("publish array", PMIx_Publish(&info, 1));
        say("once published", publish("once", "only", PMIX_RANGE_SESSION, PMIX_PERSIST_FIRST_READ));
    }
    barrier();
    PMIX_PDATA_CONSTRUCT(&two[0]);
    PMIX_PDATA_CONSTRUCT(&two[1]);
    PMIX_LOAD_KEY(two[0].key, "array");
    PMIX_LOAD_KEY(two[1].key, "name");
    pmix_status_t status = PMIx_Lookup(two, 2, NULL, 0);
    if (status == PMIX_SUCCESS && two[0].value.type == PMIX_DATA_ARRAY && two[0].value.data.darray->size == 3) {
        uint32_t *numbers = two[0].value.data.darray->array;
        printf("two: %u %u %u of %u, %s of %u\n", numbers[0], numbers[1], numbers[2], two[0].proc.rank, two[1].value.data.string, two[1].proc.rank);
    } else {
        say("two", status);
    }
    PMIX_LOAD_KEY(two[1].key, "never");
    say("partial", PMIx_Lookup(two, 2, NULL, 0));
    if (self.rank == 0) {
        lookup("once", "once", -1);
        lookup("twice", "once", -1);
    }

    if (self.rank == 1) say("unpublish of another", PMIx_Unpublish(keys, NULL, 0));
    barrier();
    if (self.rank == 0) {
        pmix_data_range_t range = PMIX_RANGE_NAMESPACE;
        PMIX_INFO_LOAD(&info, PMIX_RANGE, &range, PMIX_DATA_RANGE);
        say("unpublish", PMIx_Unpublish(keys, &info, 1));
        char *large = malloc(1 << 20);
        memset(large, 'x', 1 << 20);
        large[(1 << 20) - 1] = '\0';
        say("too large", publish("large", large, PMIX_RANGE_SESSION, PMIX_PERSIST_SESSION));
    }
    barrier();
    lookup("unpublished", "name", -1);
}

static void connections(void)
{
    pmix_proc_t even[64], all;
    size_t count = 0;

    for (uint32_t rank = 0; rank < size; rank += 2) PMIX_LOAD_PROCID(&even[count++], self.nspace, rank);
    if (self.rank % 2 == 0) {
        say("connect", PMIx_Connect(even, count, NULL, 0));
        say("disconnect", PMIx_Disconnect(even, count, NULL, 0));
        say("disconnect again", PMIx_Disconnect(even, count, NULL, 0));
    }
    PMIX_LOAD_PROCID(&all, self.nspace, PMIX_RANK_WILDCARD);
    say("connect all", PMIx_Connect(&all, 1, NULL, 0));
    say("disconnect all", PMIx_Disconnect(&all, 1, NULL, 0));
}

/* what no program should ask, and pmixd must survive */
static void strays(void)
{
    pmix_rank_t wrong[] = {PMIX_RANK_UNDEF, PMIX_RANK_LOCAL_NODE, 0x7fffffff};
    pmix_proc_t procs[2];

    PMIX_LOAD_PROCID(&procs[0], self.nspace, self.rank);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        PMIX_LOAD_PROCID(&procs[1], self.nspace, wrong[i]);
        say("connect stray", PMIx_Connect(procs, 2, NULL, 0));
        say("disconnect stray", PMIx_Disconnect(procs, 2, NULL, 0));
        say("fence stray", PMIx_Fence(procs, 2, NULL, 0));
    }
    PMIX_LOAD_PROCID(&procs[1], "elsewhere", 0);
    say("connect elsewhere", PMIx_Connect(procs, 2, NULL, 0));
    barrier();
}

/* rank 1 leaves when the others wait for it already */
static void connection_without_one(void)
{
    pmix_proc_t each[64];

    for (uint32_t rank = 0; rank < size; rank++) PMIX_LOAD_PROCID(&each[rank], self.nspace, rank);
    barrier();
    if (self.rank == 1) {
        usleep(300000);
        return;
    }
    say("connect without one", PMIx_Connect(each, size, NULL, 0));
}

/* rank 0 comes late: 5.0.7 ends the others' waiting by itself, and must not be answered after that */
static void late_connection(void)
{
    pmix_proc_t even[64], all;
    pmix_info_t timeout;
    size_t count = 0;
    uint32_t seconds = 1;

    for (uint32_t rank = 0; rank < size; rank += 2) PMIX_LOAD_PROCID(&even[count++], self.nspace, rank);
    PMIX_INFO_LOAD(&timeout, PMIX_TIMEOUT, &seconds, PMIX_UINT32);
    if (self.rank == 0) sleep(2);
    if (self.rank % 2 == 0) say("connect in time", PMIx_Connect(even, count, &timeout, 1));
    PMIX_LOAD_PROCID(&all, self.nspace, PMIX_RANK_WILDCARD);
    say("connect all", PMIx_Connect(&all, 1, NULL, 0));
    barrier();
}

static void group(const char *id, const pmix_proc_t *procs, size_t count, bool numbered)
{
    pmix_info_t info[2], *results = NULL, *own;
    pmix_data_array_t array;
    size_t members = 0, results_count = 0, context = SIZE_MAX, local = 100 + self.rank;
    bool yes = true;

    PMIX_INFO_CREATE(own, 1);
    PMIX_INFO_LOAD(&own[0], PMIX_GROUP_LOCAL_CID, &local, PMIX_SIZE);
    array.type = PMIX_INFO;
    array.size = 1;
    array.array = own;
    PMIX_INFO_LOAD(&info[0], PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[1], PMIX_GROUP_INFO, &array, PMIX_DATA_ARRAY);
    pmix_status_t status = PMIx_Group_construct(id, procs, count, numbered ? info : NULL, numbered ? 2 : 0, &results, &results_count);
    if (status != PMIX_SUCCESS) {
        printf("construct %s: %s\n", id, text_of(status));
        return;
    }
    for (size_t i = 0; i < results_count; i++) {
        if (PMIX_CHECK_KEY(&results[i], PMIX_GROUP_CONTEXT_ID)) context = results[i].value.data.size;
        if (PMIX_CHECK_KEY(&results[i], PMIX_GROUP_MEMBERSHIP)) members = results[i].value.data.darray->size;
    }
    if (numbered) {
        printf("construct %s: %zu members, context %zu\n", id, members, context);
    } else {
        printf("construct %s: %zu members\n", id, members);
    }
    status = PMIx_Group_destruct(id, NULL, 0);
    printf("destruct %s: %s\n", id, text_of(status));
}

static void groups(void)
{
    pmix_proc_t all[64], pod[2], every;
    pmix_info_t timeout, *results = NULL;
    size_t count = 0;
    int seconds = 1;

    for (uint32_t rank = 0; rank < size; rank++) PMIX_LOAD_PROCID(&all[rank], self.nspace, size - 1 - rank);
    PMIX_LOAD_PROCID(&every, self.nspace, PMIX_RANK_WILDCARD);
    for (uint32_t i = 0; i < 2; i++) PMIX_LOAD_PROCID(&pod[i], self.nspace, self.rank / 2 * 2 + i);
    group("first", all, size, true);
    group("first", all, size, true);
    group("plain", all, size, false);
    group("every", &every, 1, true);
    group("pod", pod, 2, false);

    if (self.rank == 0) sleep(2);
    PMIX_INFO_LOAD(&timeout, PMIX_TIMEOUT, &seconds, PMIX_INT);
    say("late group", PMIx_Group_construct("late", all, size, &timeout, 1, &results, &count));
}

int main(int argc, char **argv)
{
    pmix_proc_t all;
    pmix_value_t *got;
    pmix_info_t line;
    pmix_status_t status = PMIx_Init(&self, NULL, 0);

    setvbuf(stdout, NULL, _IOLBF, 1 << 12);
    if (status != PMIX_SUCCESS || argc < 2) {
        say("init", status);
        return 1;
    }
    PMIX_LOAD_PROCID(&all, self.nspace, PMIX_RANK_WILDCARD);
    if (PMIx_Get(&all, PMIX_JOB_SIZE, NULL, 0, &got) != PMIX_SUCCESS) return 1;
    size = got->data.uint32;
    if (strcmp(argv[1], "names") == 0) names();
    if (strcmp(argv[1], "connections") == 0) connections();
    if (strcmp(argv[1], "strays") == 0) strays();
    if (strcmp(argv[1], "without") == 0) connection_without_one();
    if (strcmp(argv[1], "late") == 0) late_connection();
    if (strcmp(argv[1], "groups") == 0) groups();
    if (strcmp(argv[1], "log") == 0 && self.rank == 0) {
        PMIX_INFO_LOAD(&line, PMIX_LOG_STDOUT, "a line, 100 %\nand another", PMIX_STRING);
        say("log", PMIx_Log(&line, 1, NULL, 0));
        PMIX_INFO_LOAD(&line, PMIX_LOG_EMAIL, "nobody", PMIX_STRING);
        say("mail", PMIx_Log(&line, 1, NULL, 0));
    }
    if (strcmp(argv[1], "local") == 0) {
        pmix_proc_t *asked[] = {&all, &self};
        for (int i = 0; i < 2; i++) {
            status = PMIx_Get(asked[i], PMIX_LOCAL_PROCS, NULL, 0, &got);
            printf("local: %s type %d:", text_of(status), status == PMIX_SUCCESS ? got->data.darray->type : 0);
            for (size_t n = 0; status == PMIX_SUCCESS && n < got->data.darray->size; n++) {
                pmix_proc_t *proc = (pmix_proc_t *) got->data.darray->array + n;
                printf(" %s%u", PMIX_CHECK_NSPACE(proc->nspace, self.nspace) ? "" : "?", proc->rank);
            }
            printf("\n");
        }
    }
    if (strcmp(argv[1], "gone") == 0) {
        if (self.rank == 0) {
            usleep(300000);
            exit(3);
        }
        say("fence", PMIx_Fence(&all, 1, NULL, 0));
        fflush(stdout);
        for (;;) pause();
    }
    if (strcmp(argv[1], "leave") == 0) {
        if (self.rank == size - 1) say("publish mine", publish("mine", "until I end", PMIX_RANGE_SESSION, PMIX_PERSIST_PROC));
        barrier();
        if (self.rank == 0) {
            lookup("while it runs", "mine", -1);
            barrier();
            for (int i = 0; i < 100 && lookup(NULL, "mine", -1) == PMIX_SUCCESS; i++) usleep(50000);
            lookup("when it has ended", "mine", -1);
        } else {
            barrier();
        }
    }
    fflush(stdout);
    return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1;
}
