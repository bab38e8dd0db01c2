/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * When news of the fabric reach this rank. Prints "ready rank=R", then for each event "told rank=R event=NAME index=I routes=0|1 ns=NANOSECONDS", since the epoch, where
 * routes says whether packets take another way; ends after as many PMIX_FABRIC_UPDATED as its argument says.
 */
#include <inttypes.h>
#include <pmix.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pmix_proc_t self;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int updates;

static void on_event(size_t handler, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[], size_t ninfo,
                     pmix_info_t *results, size_t nresults, pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    struct timespec now;
    size_t index = SIZE_MAX;
    bool routes = false;

    (void) handler, (void) source, (void) results, (void) nresults;
    clock_gettime(CLOCK_REALTIME, &now);
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_FABRIC_INDEX) && info[i].value.type == PMIX_SIZE) index = info[i].value.data.size;
        if (PMIX_CHECK_KEY(&info[i], "fabric-operator.routes-changed")) routes = info[i].value.data.flag;
    }
    printf("told rank=%u event=%s index=%zd routes=%d ns=%lld%09ld\n", self.rank, PMIx_Error_string(status), (ssize_t) index, routes, (long long) now.tv_sec, now.tv_nsec);
    pthread_mutex_lock(&lock);
    updates += status == PMIX_FABRIC_UPDATED;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    if (cbfunc != NULL) cbfunc(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

int main(int argc, char **argv)
{
    pmix_status_t codes[] = {PMIX_FABRIC_UPDATE_PENDING, PMIX_FABRIC_UPDATED, PMIX_FABRIC_UPDATE_ENDPOINTS};
    int expected = argc > 1 ? atoi(argv[1]) : 1;

    setvbuf(stdout, NULL, _IOLBF, 1 << 12);
    if (PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS) return 1;
    if (PMIx_Register_event_handler(codes, 3, NULL, 0, on_event, NULL, NULL) < 0) return 1;
    printf("ready rank=%u\n", self.rank);
    pthread_mutex_lock(&lock);
    while (updates < expected) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1;
}
