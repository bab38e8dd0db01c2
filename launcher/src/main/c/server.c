/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "server.h"

#include "clock.h"
#include "command.h"
#include "files.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* As Debian names them, of which the image is made. */
#if defined(__x86_64__)
#define LIBRARIES "usr/lib/x86_64-linux-gnu"
#define LOADER LIBRARIES "/ld-linux-x86-64.so.2"
#elif defined(__aarch64__)
#define LIBRARIES "usr/lib/aarch64-linux-gnu"
#define LOADER LIBRARIES "/ld-linux-aarch64.so.1"
#else
#error "where has the image of pmixd its libraries?"
#endif

enum { LOG_BYTES = 16 * 1024, END_MS = 1000, END_POLL_MS = 5 };

static const char PREFIX[] = SERVER_PREFIX;
enum { PREFIX_LENGTH = sizeof PREFIX - 1 };

static bool is_servers(const char *entry) { return strncmp(entry, PREFIX, PREFIX_LENGTH) == 0; }

static size_t count_of(char *const list[]) {
    size_t count = 0;
    while (list[count] != NULL) count++;
    return count;
}

char **server_rest(char *const container[]) {
    char **rest = calloc(count_of(container) + 1, sizeof *rest);
    if (rest == NULL) return NULL;
    size_t count = 0;
    for (size_t i = 0; container[i] != NULL; i++) {
        if (!is_servers(container[i])) rest[count++] = container[i];
    }
    return rest;
}

void server_init(struct server *server) {
    memset(server, 0, sizeof *server);
    server->output = -1;
    server->log.limit = LOG_BYTES;
}

/*
 * Nothing of the application's reaches pmixd: neither its libraries nor its files of settings. libpmix, OpenSSL and hwloc were built to look for
 * theirs below the root directory, which is the application's; here they look below the image, and there only for what is in it.
 */
static char **environment_of(const char *image, char *const container[]) {
    static const char *const FORMATS[] = {
        /* Jobs stay in libpmix's memory, not in shared files. */
        "PMIX_MCA_gds=hash",
        /* With a sensor of its own libpmix 5.0 says that it monitors whatever a process asks for, and asks nobody. */
        "PMIX_MCA_psensor=^heartbeat,file",
        "PMIX_PREFIX=%s/" LIBRARIES "/pmix2",
        "OPENSSL_CONF=%s/etc/openssl.cnf",
        "OPENSSL_MODULES=%s/" LIBRARIES "/ossl-modules",
        "HWLOC_PLUGINS_PATH=%s/" LIBRARIES "/hwloc",
        "HOME=%s",
    };
    enum { OWN = sizeof FORMATS / sizeof FORMATS[0], ENTRY_BYTES = 512 };
    static char own[OWN][ENTRY_BYTES];
    char **all = calloc(OWN + count_of(container) + 1, sizeof *all);
    if (all == NULL) return NULL;
    size_t count = 0;
    for (size_t i = 0; i < OWN; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        if (path_format(own[i], ENTRY_BYTES, FORMATS[i], image)) all[count++] = own[i];
#pragma GCC diagnostic pop
    }
    for (size_t i = 0; container[i] != NULL; i++) {
        if (is_servers(container[i])) all[count++] = container[i] + PREFIX_LENGTH;
    }
    return all;
}

int server_tool(const struct options *options) {
    /* Where pmixd has left its address. */
    static char *const OWN[] = {SERVER_PREFIX "PMIX_SYSTEM_TMPDIR=/run/fabric-operator", SERVER_PREFIX "TMPDIR=/run/fabric-operator", NULL};
    char loader[512], libraries[512], program[512];
    char **environment = environment_of(options->image, OWN);
    char **arguments = calloc(count_of(options->command) + 8, sizeof *arguments);
    if (environment == NULL || arguments == NULL || !path_format(loader, sizeof loader, "%s/" LOADER, options->image) ||
        !path_format(libraries, sizeof libraries, "%s/" LIBRARIES, options->image) ||
        !path_format(program, sizeof program, "%s/usr/local/bin/%s", options->image, options->tool)) {
        fprintf(stderr, "fabric-launcher: cannot start %s\n", options->tool);
        return EXIT_LAUNCHER;
    }
    if (access(program, X_OK) != 0) {
        fprintf(stderr, "fabric-launcher: no tool %s in the image of pmixd: %s\n", options->tool, strerror(errno));
        return EXIT_NOT_FOUND;
    }
    char *first[] = {loader, "--inhibit-cache", "--library-path", libraries, "--argv0", (char *)options->tool, program};
    memcpy(arguments, first, sizeof first);
    for (size_t i = 0; options->command[i] != NULL; i++) arguments[sizeof first / sizeof first[0] + i] = options->command[i];
    execve(loader, arguments, environment);
    fprintf(stderr, "fabric-launcher: cannot start %s: %s\n", loader, strerror(errno));
    return EXIT_LAUNCHER;
}

/*
 * In the child. The image's own loader starts Java: the application's image may have none, or another C library's.
 * The arguments, at most two, are for another service than that of the pod's ranks.
 */
static _Noreturn void become(const struct options *options, char *const more[], char **environment, int output, const sigset_t *mask, pid_t parent) {
    const char *image = options->image;
    char loader[512], libraries[1536], java[512], heap[32];
    path_format(loader, sizeof loader, "%s/" LOADER, image);
    path_format(libraries, sizeof libraries, "%s/" LIBRARIES ":%s/opt/java/lib:%s/opt/java/lib/server", image, image, image);
    path_format(java, sizeof java, "%s/opt/java/bin/java", image);
    path_format(heap, sizeof heap, "-Xmx%sm", options->heap_mebibytes);
    char *arguments[] = {loader, "--inhibit-cache", "--library-path", libraries, "--argv0", java, java, "-XX:AOTCache=app/pmixd.aot", "@app/pmixd.options", heap, "@app/pmixd.main", more[0], more[0] != NULL ? more[1] : NULL, NULL};
    /* It says farewell to the other pods where there is time for that. */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(EXIT_LAUNCHER);
    setsid();
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0 || dup2(null, 0) < 0) close(0);
    dup2(output, 1);
    dup2(output, 2);
    sigprocmask(SIG_SETMASK, mask, NULL);
    /* Paths in the image's own files are relative to it. */
    if (chdir(image) == 0) execve(loader, arguments, environment);
    dprintf(2, "cannot start %s: %s\n", loader, strerror(errno));
    _exit(EXIT_LAUNCHER);
}

const char *server_start(struct server *server, const struct options *options, char *const container[], const sigset_t *mask) {
    int ends[2];
    for (size_t i = 0; container[i] != NULL; i++) {
        if (strcmp(container[i], SERVER_PREFIX "LOG=all") == 0) server->shown = true;
    }
    char **environment = environment_of(options->image, container);
    if (environment == NULL) return "out of memory";
    if (strlen(options->image) > 256) return "the path of its image is too long";
    if (pipe2(ends, O_CLOEXEC) != 0) return strerror(errno);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) become(options, (char *[]){NULL}, environment, ends[1], mask, parent);
    int error = errno;
    free(environment);
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return strerror(error);
    }
    server->pid = pid;
    server->output = ends[0];
    return NULL;
}

bool server_order_hosts(const struct options *options, char *const container[]) {
    char **environment = environment_of(options->image, container);
    sigset_t none;
    int status;
    if (environment == NULL || strlen(options->image) > 256) return false;
    sigemptyset(&none);
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) become(options, (char *[]){(char *)options->file, (char *)options->order}, environment, 2, &none, parent);
    free(environment);
    while (pid > 0 && waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) return false;
    }
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void server_prepare(const struct server *server, struct pollfd *poll) { *poll = (struct pollfd){.fd = server->output, .events = POLLIN}; }

/* pmixd's own lines say whose they are; the JVM's do not. */
static void show(const char *text, size_t length) {
    while (length > 0) {
        const char *newline = memchr(text, '\n', length);
        size_t piece = newline != NULL ? (size_t)(newline - text) : length;
        bool named = piece >= 6 && memcmp(text, "pmixd ", 6) == 0;
        if (piece > 0) dprintf(2, "%s%.*s\n", named ? "" : "pmixd: ", (int)piece, text);
        piece += newline != NULL ? 1 : 0;
        text += piece;
        length -= piece;
    }
}

/* All whole lines, or all there is. */
static void show_log(struct server *server, bool whole_lines) {
    size_t length = bytes_length(&server->log);
    if (whole_lines) {
        const char *last = length > 0 ? memrchr(bytes_first(&server->log), '\n', length) : NULL;
        if (last == NULL && length < LOG_BYTES) return;
        if (last != NULL) length = (size_t)(last - bytes_first(&server->log)) + 1;
    }
    if (length == 0) return;
    show(bytes_first(&server->log), length);
    bytes_consume(&server->log, length);
}

static bool read_output(struct server *server) {
    char buffer[4096];
    ssize_t n = read(server->output, buffer, sizeof buffer);
    if (n > 0) {
        if (server->shown && bytes_length(&server->log) + (size_t)n > LOG_BYTES) show_log(server, false);
        size_t over = bytes_length(&server->log) + (size_t)n;
        if (over > LOG_BYTES) bytes_consume(&server->log, over - LOG_BYTES);
        bytes_append(&server->log, buffer, (size_t)n);
        if (server->shown) show_log(server, true);
        return true;
    }
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    close(server->output);
    server->output = -1;
    return false;
}

void server_serve(struct server *server, const struct pollfd *poll) {
    if (poll->revents != 0 && server->output >= 0) read_output(server);
}

void server_terminate(const struct server *server) {
    if (server->pid > 0 && !server->ended) kill(server->pid, SIGTERM);
}

void server_ended(struct server *server, int code, int signal) {
    server->ended = true;
    server->code = code;
    server->signal = signal;
}

/* Takes what has ended, `pid` or any. */
static void reap(struct server *server, pid_t pid) {
    int status;
    pid_t found;
    while (!server->ended && (found = waitpid(pid, &status, WNOHANG)) > 0) {
        if (found != server->pid) continue;
        server_ended(server, WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }
}

/* What it wrote last lies in the pipe still where its end was seen first. */
static void read_rest(struct server *server) {
    while (server->output >= 0 && read_output(server)) continue;
}

void server_tell_end(struct server *server, char *text, size_t size) {
    text[0] = '\0';
    if (server->pid == 0) return;
    int64_t deadline = clock_ms() + END_MS;
    for (reap(server, server->pid); !server->ended && clock_ms() < deadline; reap(server, server->pid)) {
        /* It cannot end before its last words are written, and a pipe takes only some. */
        read_rest(server);
        poll(NULL, 0, END_POLL_MS);
    }
    read_rest(server);
    show_log(server, false);
    if (!server->ended) {
        snprintf(text, size, "; it does not speak any more");
    } else if (server->signal == SIGKILL) {
        snprintf(text, size, "; it was killed, as happens where the container's memory limit is too small");
    } else if (server->signal != 0) {
        snprintf(text, size, "; it was ended by signal %d", server->signal);
    } else {
        snprintf(text, size, "; it ended with code %d", server->code);
    }
}

void server_await_end(struct server *server, int signals, int64_t patience_ms) {
    struct signalfd_siginfo info;
    int64_t deadline = patience_ms < 0 ? INT64_MAX : clock_ms() + patience_ms;
    bool asked = false;
    while (server->pid > 0 && !server->ended) {
        struct pollfd polls[2] = {{.fd = signals, .events = POLLIN}};
        server_prepare(server, &polls[1]);
        int64_t left = deadline == INT64_MAX ? -1 : deadline - clock_ms();
        if (deadline != INT64_MAX && left <= 0) {
            kill(server->pid, asked ? SIGKILL : SIGTERM);
            asked = true;
            left = patience_ms;
            deadline = clock_ms() + left;
        }
        if (poll(polls, 2, (int)left) < 0 && errno != EINTR) return;
        server_serve(server, &polls[1]);
        while (polls[0].revents != 0 && read(signals, &info, sizeof info) == (ssize_t)sizeof info) {
            if (signal_asks_for_end((int)info.ssi_signo)) server_terminate(server);
        }
        /* Others that have become ours, too. */
        reap(server, -1);
    }
    read_rest(server);
    if (server->shown) show_log(server, false);
}

void server_free(struct server *server) {
    if (server->output >= 0) close(server->output);
    server->output = -1;
    bytes_free(&server->log);
}
