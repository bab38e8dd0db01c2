/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hosts.h"

#include "bytes.h"
#include "clock.h"
#include "command.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_TIMED_OUT = 124, ANSWER_MS = 2000, PAUSE_MS = 100, TELL_EVERY_MS = 10 * 1000, NAMED_MAX = 8 };

static const char GREETING[] = "SSH-";
static const char RESOLVER_SETTINGS[] = "/etc/resolv.conf";

struct host {
    char name[HOST_NAME_SIZE];
    bool ready;
    bool listed; /* when the file was last read */
    const char *why; /* not, when last tried */
};

struct hosts {
    struct host *all;
    size_t count;
};

#define HOST_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_"

bool host_of_line(const char *line, char *name, size_t size) {
    line += strspn(line, " \t");
    size_t length = strcspn(line, " \t\r\n:#");
    /* Names go into the log: no control characters. */
    if (length == 0 || length >= size || length != strspn(line, HOST_CHARACTERS)) return false;
    memcpy(name, line, length);
    name[length] = '\0';
    return true;
}

bool host_lookup_name(const char *name, const char *settings, char *whole, size_t size) {
    static const char SERVICES[] = "svc.";
    const char *domain = NULL;
    size_t length = strlen(name), domain_length = 0;
    if (length < 4 || strcmp(name + length - 4, ".svc") != 0) return path_format(whole, size, "%s", name);
    for (const char *line = settings; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        if (strncmp(line, "search", 6) != 0 || (line[6] != ' ' && line[6] != '\t')) continue;
        /* Of several lines the last counts. */
        domain = NULL;
        const char *word = line + 6;
        for (size_t word_length; word += strspn(word, " \t"), (word_length = strcspn(word, " \t\n")) > 0; word += word_length) {
            if (word_length >= sizeof SERVICES && strncmp(word, SERVICES, sizeof SERVICES - 1) == 0) {
                domain = word + sizeof SERVICES - 1;
                domain_length = word_length - (sizeof SERVICES - 1);
            }
        }
    }
    if (domain == NULL) return path_format(whole, size, "%s", name);
    if (domain[domain_length - 1] == '.') domain_length--;
    return path_format(whole, size, "%s.%.*s.", name, (int)domain_length, domain);
}

static bool is_this_host(const char *name) {
    char own[HOST_NAME_SIZE] = "";
    if (gethostname(own, sizeof own - 1) != 0) return false;
    size_t length = strcspn(own, ".");
    return length > 0 && length == strcspn(name, ".") && strncmp(own, name, length) == 0;
}

static struct host *find(const struct hosts *hosts, const char *name) {
    for (size_t i = 0; i < hosts->count; i++) {
        if (strcmp(hosts->all[i].name, name) == 0) return &hosts->all[i];
    }
    return NULL;
}

/* A job may be given fewer workers while they are waited for. */
static void drop_unlisted(struct hosts *hosts) {
    size_t kept = 0;
    for (size_t i = 0; i < hosts->count; i++) {
        if (hosts->all[i].listed) hosts->all[kept++] = hosts->all[i];
    }
    hosts->count = kept;
}

/* Read anew in each round: a ConfigMap's file follows its job. Of hosts that are there still, what is known stays. */
static bool read_hosts(struct hosts *hosts, const char *hostfile) {
    char line[4096], name[HOST_NAME_SIZE];
    FILE *file = fopen(hostfile, "re");
    if (file == NULL) return false;
    size_t before = hosts->count;
    size_t at = 0;
    bool full = false;
    for (size_t i = 0; i < before; i++) hosts->all[i].listed = false;
    while (fgets(line, sizeof line, file) != NULL) {
        if (!host_of_line(line, name, sizeof name) || is_this_host(name)) continue;
        /* Mostly the same in the same order. */
        struct host *host = at < before && strcmp(hosts->all[at].name, name) == 0 ? &hosts->all[at] : find(hosts, name);
        at++;
        if (host == NULL && hosts->count == HOSTS_MAX) {
            full = true;
            break;
        }
        if (host == NULL) {
            host = &hosts->all[hosts->count++];
            memset(host, 0, sizeof *host);
            memcpy(host->name, name, sizeof name);
        }
        host->listed = true;
    }
    bool whole = !ferror(file);
    fclose(file);
    if (full && hosts->count > before) fprintf(stderr, "fabric-launcher: %s has more than %d hosts; the others are not waited for\n", hostfile, HOSTS_MAX);
    /* Of a file of which not all was read, none is known to be gone. */
    if (whole && !full) drop_unlisted(hosts);
    return true;
}

/* What "ssh -G HOST" says: images that run sshd as an ordinary user have another port in their configuration. */
static void find_port(const char *host, char *port, size_t size) {
    char ssh[4096], line[1024];
    int ends[2];
    snprintf(port, size, "22");
    if (command_find("ssh", getenv("PATH"), ssh, sizeof ssh) != 0 || pipe2(ends, O_CLOEXEC) != 0) return;
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        dup2(ends[1], 1);
        dup2(null, 2);
        execl(ssh, "ssh", "-G", "--", host, (char *)NULL);
        _exit(EXIT_NOT_EXECUTABLE);
    }
    close(ends[1]);
    FILE *out = fdopen(ends[0], "r");
    int number;
    while (out != NULL && fgets(line, sizeof line, out) != NULL) {
        if (sscanf(line, "port %d", &number) == 1 && number > 0 && number < 65536) snprintf(port, size, "%d", number);
    }
    if (out != NULL) {
        fclose(out);
    } else {
        close(ends[0]);
    }
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
}

static bool await(int fd, short events) {
    struct pollfd poll_fd = {.fd = fd, .events = events};
    return poll(&poll_fd, 1, ANSWER_MS) == 1;
}

/* NULL, or why not. */
static const char *greets(const struct addrinfo *address) {
    const char *why = NULL;
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return "no socket";
    int error = connect(fd, address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
        socklen_t length = sizeof error;
        if (!await(fd, POLLOUT) || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) error = ETIMEDOUT;
    }
    if (error != 0) {
        why = error == ECONNREFUSED ? "nothing listens on its SSH port" : "its SSH port cannot be reached";
    } else {
        char text[sizeof GREETING - 1];
        size_t length = 0;
        while (length < sizeof text && await(fd, POLLIN)) {
            ssize_t n = read(fd, text + length, sizeof text - length);
            if (n <= 0) break;
            length += (size_t)n;
        }
        if (length < sizeof text || memcmp(text, GREETING, sizeof text) != 0) why = "its SSH server does not greet";
    }
    close(fd);
    return why;
}

static const char *attempt(const char *name, const char *settings, const char *port) {
    char whole[2 * HOST_NAME_SIZE];
    struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found;
    if (getaddrinfo(host_lookup_name(name, settings, whole, sizeof whole) ? whole : name, port, &wanted, &found) != 0) return "its name has no address yet";
    const char *why = "its name has no address yet";
    for (const struct addrinfo *at = found; at != NULL && why != NULL; at = at->ai_next) why = greets(at);
    freeaddrinfo(found);
    return why;
}

static void tell(const struct hosts *hosts, const char *what) {
    size_t missing = 0;
    fprintf(stderr, "fabric-launcher: %s workers:", what);
    for (size_t i = 0; i < hosts->count; i++) {
        const struct host *host = &hosts->all[i];
        if (host->ready) continue;
        missing++;
        if (missing <= NAMED_MAX && host->why != NULL) fprintf(stderr, "%s %s (%s)", missing > 1 ? "," : "", host->name, host->why);
    }
    fprintf(stderr, "%s %zu of %zu are missing\n", missing > NAMED_MAX ? ", ...;" : ";", missing, hosts->count);
}

bool hosts_rename_file(const char *from, const char *to) {
    /* Open MPI 4, Open MPI 5, Intel MPI, MPICH. */
    static const char *const NAMES[] = {"OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile", "I_MPI_HYDRA_HOST_FILE", "HYDRA_HOST_FILE"};
    bool done = true;
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        const char *value = getenv(NAMES[i]);
        if (value != NULL && strcmp(value, from) == 0) done = setenv(NAMES[i], to, 1) == 0 && done;
    }
    return done;
}

/* The first process of a container ignores what it has no handler for. */
static void end_on_signal(int number) { _exit(128 + number); }

int hosts_await(const char *hostfile, int timeout_seconds) {
    struct hosts hosts = {.all = calloc(HOSTS_MAX, sizeof(struct host))};
    char port[8] = "";
    char settings[4096] = "";
    int64_t started = clock_ms();
    int64_t told = started;
    if (hosts.all == NULL) return EXIT_LAUNCHER;
    if (!file_read(RESOLVER_SETTINGS, settings, sizeof settings)) *settings = '\0';
    signal(SIGTERM, end_on_signal);
    signal(SIGINT, end_on_signal);
    int code = -1;
    while (code < 0) {
        bool readable = read_hosts(&hosts, hostfile);
        int error = errno;
        size_t missing = 0;
        /* All must be there, so that it is enough to ask until some are not: one that does not answer takes seconds. */
        for (size_t i = 0; i < hosts.count && missing < NAMED_MAX; i++) {
            struct host *host = &hosts.all[i];
            if (host->ready) continue;
            if (clock_ms() - started >= (int64_t)timeout_seconds * 1000 && missing > 0) break;
            if (*port == '\0') find_port(host->name, port, sizeof port);
            host->why = attempt(host->name, settings, port);
            host->ready = host->why == NULL;
            missing += !host->ready;
        }
        int64_t now = clock_ms();
        if (readable && missing == 0 && hosts.count > 0) {
            code = 0;
        } else if (now - started >= (int64_t)timeout_seconds * 1000) {
            if (missing > 0) {
                tell(&hosts, "gave up waiting for");
            } else {
                fprintf(stderr, "fabric-launcher: no worker stands in %s: %s\n", hostfile, readable ? "it names none" : strerror(error));
            }
            code = EXIT_TIMED_OUT;
        } else {
            if (missing > 0 && now - told >= TELL_EVERY_MS) {
                tell(&hosts, "waiting for");
                told = now;
            }
            poll(NULL, 0, PAUSE_MS);
        }
    }
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    free(hosts.all);
    return code;
}
