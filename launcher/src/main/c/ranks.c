/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

#include "command.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OOM_SCORE_STEP = 50, OOM_SCORE_MAX = 1000 };

static const char *value_of(char *const environment[], const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; environment[i] != NULL; i++) {
        if (strncmp(environment[i], name, length) == 0 && environment[i][length] == '=') return environment[i] + length + 1;
    }
    return NULL;
}

/*
 * Where memory is short, the kernel shall take a rank: its end names the rank, and that of pmixd would look like a fault of its own. Thousandths
 * of the container's limit: 50 MB of 1 GB are what pmixd takes. Anybody may raise his own.
 */
static void yield_memory(void) {
    char text[16];
    if (!file_read("/proc/self/oom_score_adj", text, sizeof text)) return;
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    int wanted = atoi(text) + OOM_SCORE_STEP;
    dprintf(fd, "%d", wanted < OOM_SCORE_MAX ? wanted : OOM_SCORE_MAX);
    close(fd);
}

/* The last of all that the child opens: its number may have been another's. */
static void give_pmi(int fd) {
    if (fd == PMI_RANK_FD) {
        fcntl(fd, F_SETFD, 0);
    } else if (fd >= 0) {
        dup2(fd, PMI_RANK_FD);
    }
}

static bool change_directory(const char *directory) {
    if (directory == NULL) return true;
    bool optional = *directory == '-';
    return chdir(directory + (optional ? 1 : 0)) == 0 || optional;
}

/* In the child. A rank must not outlive the launcher where that is not the first process of its PID namespace. */
static _Noreturn void become(const struct launch *launch, uint32_t local, char **environment, const int streams[2], int pmi, bool reads_input, bool grouped, pid_t parent) {
    char path[4096];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_LAUNCHER);
    if (grouped) setpgid(0, 0);
    if (launch->beside_server) yield_memory();
    if (launch->binding != NULL) bind_apply(launch->binding, local);
    for (int i = 0; i < 2; i++) {
        if (streams[i] >= 0) dup2(streams[i], i + 1);
    }
    if (reads_input && launch->input != NULL) dup2(*launch->input, 0);
    if (!reads_input) {
        int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (null >= 0) {
            dup2(null, 0);
        } else {
            close(0);
        }
    }
    if (!change_directory(launch->directory)) {
        dprintf(2, "fabric-launcher: cannot change to directory %s: %s\n", launch->directory, strerror(errno));
        _exit(EXIT_NOT_EXECUTABLE);
    }
    int result = command_find(launch->command[0], value_of(environment, "PATH"), path, sizeof path);
    give_pmi(pmi);
    if (launch->descriptors != NULL) setrlimit(RLIMIT_NOFILE, launch->descriptors);
    sigprocmask(SIG_SETMASK, &launch->mask, NULL);
    errno = ENOENT;
    if (result == 0) execve(path, launch->command, environment);
    int error = errno;
    dprintf(2, "fabric-launcher: %s: %s\n", launch->command[0], result == EXIT_NOT_EXECUTABLE ? "not executable" : strerror(error));
    _exit(result != 0 ? result : error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

static bool open_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    /* Only the end that stays here; a rank may expect that its own blocks. */
    return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

static bool start(struct ranks *ranks, uint32_t local, const struct block *block, const struct launch *launch, int *outputs) {
    int ends[2][2] = {{-1, -1}, {-1, -1}};
    char **environment = block_environment(block, local, launch->environment);
    int pmi = -1;
    bool ready = environment != NULL && (!launch->piped || (open_pipe(ends[0]) && open_pipe(ends[1]))) && (launch->pmi->size == 0 || (pmi = pmi_connect(launch->pmi, local)) >= 0);
    pid_t parent = getpid();
    pid_t pid = ready ? fork() : -1;
    if (pid == 0) become(launch, local, environment, (int[2]){ends[0][1], ends[1][1]}, pmi, block->first_rank + local == 0, ranks->grouped, parent);
    int error = errno;
    free(environment);
    if (pmi >= 0) close(pmi);
    for (int i = 0; i < 2; i++) {
        if (ends[i][1] >= 0) close(ends[i][1]);
        if (pid < 0 && ends[i][0] >= 0) close(ends[i][0]);
        outputs[i] = pid < 0 ? -1 : ends[i][0];
    }
    errno = error;
    if (pid < 0) return false;
    /* Here too: a signal may be passed on before the child has run. */
    if (ranks->grouped) setpgid(pid, pid);
    ranks->all[local] = (struct rank){.pid = pid, .running = true};
    ranks->running++;
    return true;
}

void ranks_raise_descriptors(struct rlimit *given) {
    if (getrlimit(RLIMIT_NOFILE, given) != 0) return;
    struct rlimit raised = *given;
    raised.rlim_cur = raised.rlim_max;
    setrlimit(RLIMIT_NOFILE, &raised);
}

/* Ranks find their connection by its number. */
static const char *open_pmi(struct pmi *pmi, struct block *block, uint32_t count) {
    char variable[32];
    if (pmi->size == 0) return NULL;
    snprintf(variable, sizeof variable, "PMI_FD=%d", PMI_RANK_FD);
    if (!pmi_open(pmi, count)) return "out of memory";
    return block_apply(block, &(struct message){.kind = MESSAGE_SET, .text = variable});
}

const char *ranks_start(struct ranks *ranks, struct block *block, const struct launch *launch, int *outputs) {
    ranks->running = 0;
    ranks->grouped = launch->input != NULL || isatty(0) == 0;
    memset(ranks->all, 0, ranks->count * sizeof *ranks->all);
    for (uint32_t i = 0; i < 2 * ranks->count; i++) outputs[i] = -1;
    const char *error = open_pmi(launch->pmi, block, ranks->count);
    if (error != NULL) return error;
    for (uint32_t i = 0; i < ranks->count; i++) {
        if (!start(ranks, i, block, launch, outputs + 2 * i)) return strerror(errno);
    }
    return NULL;
}

void ranks_signal(const struct ranks *ranks, int signal) {
    for (uint32_t i = 0; i < ranks->count; i++) {
        const struct rank *rank = &ranks->all[i];
        if (!rank->running) continue;
        kill(ranks->grouped ? -rank->pid : rank->pid, signal);
    }
}

static int rank_of(const struct ranks *ranks, pid_t pid) {
    for (uint32_t i = 0; i < ranks->count; i++) {
        if (ranks->all[i].running && ranks->all[i].pid == pid) return (int)i;
    }
    return -1;
}

bool ranks_reap(struct ranks *ranks, bool whole_groups, struct ending *ending) {
    siginfo_t info = {0};
    /* Looked at first: while it is not reaped, nobody else can get its number. */
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return false;
    ending->pid = info.si_pid;
    ending->local_rank = rank_of(ranks, info.si_pid);
    if (ending->local_rank >= 0 && whole_groups && ranks->grouped) kill(-info.si_pid, SIGKILL);
    int status;
    if (waitpid(info.si_pid, &status, WNOHANG) != info.si_pid) return false;
    ending->code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    ending->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (ending->local_rank >= 0) {
        ranks->all[ending->local_rank].running = false;
        ranks->running--;
    }
    return true;
}
