/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "serve.h"

#include "block.h"
#include "clock.h"
#include "command.h"
#include "facts.h"
#include "link.h"
#include "ranks.h"
#include "relay.h"
#include "server.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { CONNECT_MS = 60 * 1000, CONNECT_PAUSE_MS = 5, KILL_MS = 10 * 1000, PAUSE_MS = 1000, PAUSE_MAX_MS = 30 * 1000, INPUT_BYTES = 256 * 1024 };

/*
 * APART -> CONNECTING -> WAITING -> RUNNING -> (ENDING) -> OVER, and back to WAITING when pmixd says `again`; to APART from each of them where
 * pmixd has gone: another one is started.
 */
enum state { APART, CONNECTING, WAITING, RUNNING, ENDING, OVER };

struct serve {
    const struct options *options;
    char *const *container; /* environment, with what is pmixd's */
    char **environment;     /* and without */
    enum state state;
    int64_t deadline_ms; /* of the state; INT64_MAX for none */
    int64_t pause_ms;    /* before the next pmixd */
    bool again;          /* nobody waits for the end of the ranks any more */
    bool leaving;        /* the worker ends */
    bool asked_to_leave; /* by a signal: whoever sent it, as the kubelet, kills in his own time */
    bool warned_unknown;
    pid_t daemon; /* 0: it has ended */
    int daemon_code;
    sigset_t mask; /* of the children */
    struct server server;
    struct link link;
    struct bytes hello;
    struct block block;
    struct binding binding; /* of this run's ranks */
    struct ranks ranks;
    struct rlimit descriptors; /* how many a rank may have */
    struct pmi pmi;
    struct relay relay;
    char **command;
    struct bytes input; /* of rank 0 */
    int input_fd;       /* -1: closed */
    bool input_ends;
};

static const int TAKEN[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    dprintf(2, "fabric-launcher: %s\n", text);
}

__attribute__((format(printf, 2, 3))) static void tell(struct serve *s, const char *format, ...) {
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (s->link.fd >= 0) (void)bytes_append_text(&s->link.outgoing, text);
}

static void enter(struct serve *s, enum state state, int64_t milliseconds) {
    s->state = state;
    s->deadline_ms = milliseconds < 0 ? INT64_MAX : clock_ms() + milliseconds;
}

static void part(struct serve *s, int64_t pause_ms) {
    link_close(&s->link);
    server_terminate(&s->server);
    enter(s, APART, pause_ms);
    s->pause_ms = s->pause_ms * 2 < PAUSE_MAX_MS ? s->pause_ms * 2 : PAUSE_MAX_MS;
}

static void wait_for_block(struct serve *s) {
    s->again = s->input_ends = false;
    pmi_close(&s->pmi);
    bytes_free(&s->input);
    if (block_reset_any(&s->block)) {
        enter(s, WAITING, -1);
    } else {
        say("out of memory");
        part(s, s->pause_ms);
    }
}

static void close_input(struct serve *s) {
    if (bytes_length(&s->input) > 0) tell(s, "taken %zu\n", bytes_length(&s->input));
    bytes_free(&s->input);
    if (s->input_fd >= 0) close(s->input_fd);
    s->input_fd = -1;
}

/* Where the ranks have ended and all that they wrote is on its way. */
static void finish_run(struct serve *s) {
    bool discarded = s->again || s->link.fd < 0;
    if ((s->state != RUNNING && s->state != ENDING) || s->ranks.running > 0 || !(discarded || relay_finished(&s->relay))) return;
    close_input(s);
    relay_close(&s->relay);
    bind_free(&s->binding);
    free(s->command);
    s->command = NULL;
    if (s->link.fd < 0) {
        part(s, s->pause_ms);
    } else if (s->again) {
        wait_for_block(s);
    } else {
        tell(s, "done\n");
        enter(s, OVER, -1);
    }
}

static void end_ranks(struct serve *s) {
    if (s->state == RUNNING && s->ranks.running > 0) {
        ranks_signal(&s->ranks, SIGTERM);
        enter(s, ENDING, s->asked_to_leave ? -1 : (int64_t)s->options->grace_seconds * 1000);
    }
    finish_run(s);
}

/* pmixd's connection is given up, whoever closed it. */
static void lose(struct serve *s, const char *why) {
    char end[128] = "";
    bool expected = s->state == OVER || s->leaving;
    bool runs = s->state == RUNNING || s->state == ENDING;
    link_close(&s->link);
    if (!expected) {
        server_tell_end(&s->server, end, sizeof end);
        say("%s%s%s", why, runs ? ": the ranks are ended" : "", end);
    }
    if (runs) {
        end_ranks(s);
    } else {
        part(s, expected ? 0 : s->pause_ms);
    }
}

__attribute__((format(printf, 2, 3))) static void refuse(struct serve *s, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* First: it would be waited for. */
    server_terminate(&s->server);
    lose(s, text);
}

static bool open_input(struct serve *s, int ends[2]) {
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    s->input_fd = ends[1];
    return true;
}

static void take_go(struct serve *s) {
    if (s->state != WAITING || !s->block.open) {
        refuse(s, "pmixd says go before ready");
        return;
    }
    if (s->leaving) return;
    s->pause_ms = PAUSE_MS;
    s->ranks.count = s->block.ranks;
    s->ranks.running = 0;
    if (s->block.first_rank != 0) close_input(s);
    if (s->ranks.count == 0) {
        enter(s, OVER, -1);
        return;
    }
    s->command = block_command(&s->block);
    if (s->command == NULL) {
        refuse(s, "pmixd says go without a command");
        return;
    }
    uint32_t count = s->ranks.count;
    const char *unbound = bind_allowed(&s->binding, s->block.bind, count);
    if (unbound != NULL) say("the ranks are not bound: %s", unbound);
    int ends[2] = {-1, -1};
    int *outputs = calloc(2 * (size_t)count, sizeof *outputs);
    bool ready = outputs != NULL && (s->block.first_rank != 0 || open_input(s, ends));
    struct launch launch = {.pmi = &s->pmi, .descriptors = &s->descriptors, .command = s->command, .environment = s->environment, .directory = s->block.directory, .input = &ends[0], .mask = s->mask, .binding = &s->binding, .piped = true, .beside_server = s->server.pid > 0};
    const char *error = ready ? ranks_start(&s->ranks, &s->block, &launch, outputs) : strerror(errno);
    if (ends[0] >= 0) close(ends[0]);
    enter(s, RUNNING, -1);
    for (uint32_t i = 0; i < count; i++) {
        if (s->ranks.all[i].running) tell(s, "started %u %ld\n", i, (long)s->ranks.all[i].pid);
    }
    /* The first ones, where not all could be started. */
    if (ready && !relay_open(&s->relay, outputs, s->ranks.running, &s->link.outgoing)) error = "out of memory";
    if (error != NULL) {
        say("cannot start a rank: %s", error);
        for (uint32_t i = 0; i < count; i++) {
            if (!s->ranks.all[i].running) tell(s, "exited %u %d 0\noutput-end %u\n", i, EXIT_LAUNCHER, i);
        }
        end_ranks(s);
    }
    free(outputs);
}

static void take_again(struct serve *s) {
    if (s->state == RUNNING || s->state == ENDING) {
        s->again = true;
        relay_close(&s->relay);
        end_ranks(s);
    } else {
        wait_for_block(s);
    }
}

static void take_input(struct serve *s, const struct message *m) {
    /* It may be here before the rank that reads it. */
    bool read = s->state == WAITING || s->input_fd >= 0;
    if (!read || s->input_ends || !bytes_append(&s->input, m->text, m->text_length)) tell(s, "taken %zu\n", m->text_length);
}

static void take_message(struct serve *s, const struct message *m) {
    const char *error;
    /* The first that is said of a run. */
    if (m->kind == MESSAGE_PMI && s->state == OVER) wait_for_block(s);
    if (pmi_message(&s->pmi, m, s->state == WAITING)) return;
    switch (m->kind) {
        case MESSAGE_WARN:
            say("%s", m->text);
            return;
        case MESSAGE_STOP:
            if (*m->text != '\0') say("%s", m->text);
            end_ranks(s);
            return;
        case MESSAGE_AGAIN:
            take_again(s);
            return;
        case MESSAGE_HOLD:
            return;
        case MESSAGE_GO:
            take_go(s);
            return;
        case MESSAGE_SIGNAL:
            if (s->state == RUNNING || s->state == ENDING) ranks_signal(&s->ranks, (int)m->number);
            return;
        case MESSAGE_INPUT:
            take_input(s, m);
            return;
        case MESSAGE_INPUT_END:
            s->input_ends = true;
            return;
        case MESSAGE_STARTED:
        case MESSAGE_OUTPUT:
        case MESSAGE_TAKEN:
        case MESSAGE_UNKNOWN:
            if (!s->warned_unknown) say("pmixd says '%.40s', which this version does not know", m->text);
            s->warned_unknown = true;
            return;
        default:
            if (s->state == OVER) wait_for_block(s);
            error = s->state == WAITING ? block_apply(&s->block, m) : "it comes while ranks run";
            if (error != NULL) refuse(s, "pmixd's description of the job is refused: %s", error);
            return;
    }
}

static void take_lines(struct serve *s) {
    char *line;
    size_t length;
    bool too_long = false;
    while (s->link.fd >= 0 && !s->again && (line = link_line(&s->link, &length, &too_long)) != NULL) {
        struct message message;
        const char *error = message_parse(line, length, &message);
        if (error == NULL) {
            take_message(s, &message);
        } else {
            refuse(s, "pmixd's text cannot be understood: %s", error);
        }
    }
    /* What comes of the next run waits until the ranks of this one have ended. */
    if (s->link.fd < 0 || s->again) return;
    if (too_long) {
        refuse(s, "pmixd's text cannot be understood: a line of more than 256 KiB");
    } else if (s->link.ended) {
        lose(s, "pmixd has gone");
    }
}

static void write_input(struct serve *s) {
    while (s->input_fd >= 0 && bytes_length(&s->input) > 0) {
        ssize_t n = write(s->input_fd, bytes_first(&s->input), bytes_length(&s->input));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (n <= 0) {
            close_input(s);
            return;
        }
        bytes_consume(&s->input, (size_t)n);
        tell(s, "taken %zd\n", n);
    }
    if (s->input_ends && s->input_fd >= 0) close_input(s);
}

static void leave(struct serve *s) {
    s->leaving = true;
    server_terminate(&s->server);
    end_ranks(s);
}

static void take_signals(struct serve *s, int fd) {
    struct signalfd_siginfo info;
    while (read(fd, &info, sizeof info) == (ssize_t)sizeof info) {
        int number = (int)info.ssi_signo;
        if (number == SIGCHLD) continue;
        if (s->daemon > 0) kill(s->daemon, number);
        /* A server reads its settings again. */
        if (signal_asks_for_end(number) && number != SIGHUP) {
            s->asked_to_leave = true;
            if (s->state == ENDING) s->deadline_ms = INT64_MAX;
            leave(s);
        }
    }
}

static void take_ending(struct serve *s, const struct ending *ending) {
    int code = ending->signal != 0 ? 128 + ending->signal : ending->code;
    if (ending->pid == s->daemon) {
        s->daemon = 0;
        s->daemon_code = code;
        leave(s);
    } else if (ending->pid == s->server.pid) {
        server_ended(&s->server, ending->code, ending->signal);
        if (s->state == CONNECTING) lose(s, "pmixd has gone before it listened");
    }
    if (ending->local_rank < 0) return;
    relay_rank_ended(&s->relay, (uint32_t)ending->local_rank);
    if (s->block.first_rank + (uint32_t)ending->local_rank == 0) close_input(s);
    /* What it has said comes before its end. */
    pmi_ended(&s->pmi, (uint32_t)ending->local_rank, &s->link.outgoing);
    /* It would be taken for a rank of the next run. */
    if (!s->again) tell(s, "exited %d %d %d\n", ending->local_rank, ending->code, ending->signal);
    if (code != 0) end_ranks(s);
}

/* Before another pmixd is started, the one before has ended. */
static void start_server(struct serve *s) {
    if (s->server.pid > 0 && !s->server.ended) {
        if (clock_ms() - s->deadline_ms > KILL_MS) kill(s->server.pid, SIGKILL);
        return;
    }
    server_free(&s->server);
    server_init(&s->server);
    const char *error = server_start(&s->server, s->options, s->container, &s->mask);
    if (error != NULL) {
        say("cannot start pmixd: %s", error);
        part(s, s->pause_ms);
    } else {
        enter(s, CONNECTING, CONNECT_MS);
    }
}

static void connect_server(struct serve *s) {
    int error = link_connect(&s->link, s->options->socket_path);
    if (error == 0) {
        (void)bytes_append(&s->link.outgoing, bytes_first(&s->hello), bytes_length(&s->hello));
        wait_for_block(s);
    } else if (error != ENOENT && error != ECONNREFUSED && error != EAGAIN && error != ENOTDIR) {
        refuse(s, "cannot connect to %s: %s", s->options->socket_path, strerror(error));
    } else if (clock_ms() >= s->deadline_ms) {
        refuse(s, "no pmixd at %s within a minute", s->options->socket_path);
    }
}

/* What is due by the clock. */
static void advance(struct serve *s) {
    bool due = clock_ms() >= s->deadline_ms;
    if (s->state == APART && due && !s->leaving) start_server(s);
    if (s->state == CONNECTING && !s->leaving) connect_server(s);
    if (s->state == ENDING && due) {
        ranks_signal(&s->ranks, SIGKILL);
        s->deadline_ms = INT64_MAX;
    }
}

static int timeout_ms(const struct serve *s) {
    if (s->state == CONNECTING && !s->leaving) return CONNECT_PAUSE_MS;
    if (s->deadline_ms == INT64_MAX || (s->state == APART && s->leaving)) return -1;
    int64_t left = s->deadline_ms - clock_ms();
    /* pmixd is waited for. */
    return left > CONNECT_PAUSE_MS ? (int)left : s->state == APART ? 10 * CONNECT_PAUSE_MS : CONNECT_PAUSE_MS;
}

static void run(struct serve *s, int signals, struct pollfd *polls) {
    while (!s->leaving || s->daemon > 0 || s->ranks.running > 0) {
        advance(s);
        polls[0] = (struct pollfd){.fd = signals, .events = POLLIN};
        polls[1] = (struct pollfd){.fd = s->again ? -1 : s->link.fd, .events = link_events(&s->link)};
        server_prepare(&s->server, &polls[2]);
        polls[3] = (struct pollfd){.fd = bytes_length(&s->input) > 0 ? s->input_fd : -1, .events = POLLOUT};
        relay_prepare(&s->relay, polls + 4);
        struct pollfd *pmi = polls + 4 + 2 * (size_t)s->relay.ranks;
        pmi_prepare(&s->pmi, pmi, &s->link.outgoing);
        if (poll(polls, 4 + 2 * (size_t)s->relay.ranks + s->pmi.count, timeout_ms(s)) < 0) {
            if (errno == EINTR) continue;
            say("poll: %s", strerror(errno));
            return;
        }
        /* Before what is told by pmixd, which may end the run that the entries are of. */
        relay_serve(&s->relay, polls + 4);
        pmi_serve(&s->pmi, pmi, &s->link.outgoing);
        server_serve(&s->server, &polls[2]);
        if (polls[1].revents != 0) link_serve(&s->link, polls[1].revents);
        if (polls[0].revents != 0) take_signals(s, signals);
        struct ending ending;
        while (ranks_reap(&s->ranks, s->state == ENDING, &ending)) take_ending(s, &ending);
        /* Sent before the rest of a rank's output is read: where that stops for want of room, lines wait, and poll() comes back. */
        link_send(&s->link);
        relay_drain(&s->relay);
        finish_run(s);
        /* After the end of a run, for which lines may have waited that are here already. */
        if (s->link.fd >= 0) take_lines(s);
        write_input(s);
    }
}

static pid_t start_daemon(const struct serve *s, const char *path) {
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid != 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(EXIT_LAUNCHER);
    sigprocmask(SIG_SETMASK, &s->mask, NULL);
    execve(path, s->options->command, s->environment);
    dprintf(2, "fabric-launcher: %s: %s\n", path, strerror(errno));
    _exit(EXIT_NOT_EXECUTABLE);
}

int serve_runs(const struct options *options, char **environment) {
    static struct serve s;
    char path[4096];
    int found = command_find(options->command[0], getenv("PATH"), path, sizeof path);
    if (found != 0) {
        fprintf(stderr, "fabric-launcher: %s: %s\n", options->command[0], found == EXIT_NOT_FOUND ? "not found" : "not executable");
        return found;
    }
    s.options = options;
    s.container = environment;
    s.environment = server_rest(environment);
    s.pause_ms = PAUSE_MS;
    s.input_fd = -1;
    s.input.limit = INPUT_BYTES;
    s.hello.limit = 512 * 1024;
    s.ranks.all = calloc(RANKS_MAX, sizeof *s.ranks.all);
    link_init(&s.link);
    server_init(&s.server);
    struct pollfd *polls = calloc(4 + 3 * (size_t)RANKS_MAX, sizeof *polls);
    int signals = signals_open(TAKEN, sizeof TAKEN / sizeof TAKEN[0], &s.mask);
    /* What ranks and sessions leave behind is reaped here, also where this is not the first process of a PID namespace. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (s.environment == NULL || s.ranks.all == NULL || polls == NULL || signals < 0 || !facts_write(&s.hello, "", options->ranks, NULL, NULL, s.environment) || (s.daemon = start_daemon(&s, path)) < 0) {
        fprintf(stderr, "fabric-launcher: cannot start: %s\n", strerror(errno));
        return EXIT_LAUNCHER;
    }
    ranks_raise_descriptors(&s.descriptors);
    enter(&s, APART, 0);
    run(&s, signals, polls);
    link_finish(&s.link);
    server_await_end(&s.server, signals, -1);
    server_free(&s.server);
    relay_close(&s.relay);
    pmi_close(&s.pmi);
    block_free(&s.block);
    close_input(&s);
    bytes_free(&s.hello);
    bind_free(&s.binding);
    free(s.command);
    free(s.environment);
    free(s.ranks.all);
    free(polls);
    close(signals);
    return s.daemon_code;
}
