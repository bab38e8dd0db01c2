/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "shim.h"

#include "clock.h"
#include "command.h"
#include "facts.h"
#include "files.h"
#include "hosts.h"
#include "link.h"
#include "message.h"
#include "mpirun.h"
#include "output.h"
#include "server.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { CONNECT_MS = 60 * 1000, CONNECT_PAUSE_MS = 5, END_MS = 30 * 1000, SERVER_END_MS = 10 * 1000, INPUT_AHEAD_BYTES = 64 * 1024, INPUT_READ_BYTES = 16 * 1024 };
/* What pmixd hands on as one message. */
enum { EXIT_TIMED_OUT = 124, REQUEST_BYTES = 1024 * 1024 };

/* How what --with-mpirun was told reaches mpirun. */
#define DIRECTORY_VARIABLE "FABRIC_MPIRUN_DIRECTORY"
#define IMAGE_VARIABLE "FABRIC_MPIRUN_IMAGE"
#define HEAP_VARIABLE "FABRIC_MPIRUN_HEAP"
#define SOCKET_VARIABLE "FABRIC_MPIRUN_SOCKET"
#define HOSTFILE_VARIABLE "FABRIC_MPIRUN_HOSTFILE"
#define TIMEOUT_VARIABLE "FABRIC_MPIRUN_TIMEOUT"

enum state { CONNECTING, RUNNING, ENDING, ENDED };

struct shim {
    const char *name; /* by which it was called */
    struct mpirun mpirun;
    struct options options; /* of pmixd */
    enum state state;
    int64_t deadline_ms;
    int exit_code;  /* -1: not known yet */
    bool asked;     /* for the end of the run */
    sigset_t mask;
    struct server server;
    struct link link;
    struct output output;
    struct bytes request;
    bool started;
    bool input_open;
    size_t input_ahead; /* bytes on their way to rank 0 */
    bool warned_unknown;
};

static const int TAKEN[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

__attribute__((format(printf, 2, 3))) static void say(const struct shim *s, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    dprintf(2, "%s: %s\n", s->name, text);
}

/* -- before the run: which mpirun -- */

/* PATH without the directory of our links, so that the image's own programs find each other. */
static void leave_path(const char *directory) {
    const char *before = getenv("PATH");
    if (before == NULL || directory == NULL) return;
    char *after = calloc(1, strlen(before) + 1);
    size_t length = strlen(directory), end = 0;
    for (const char *at = before; after != NULL;) {
        size_t part = strcspn(at, ":");
        if (part != length || strncmp(at, directory, part) != 0) {
            memcpy(after + end, at, part + 1);
            end += part + 1;
        }
        if (at[part] == '\0') break;
        at += part + 1;
    }
    if (after == NULL) return;
    if (end > 0) after[end - 1] = '\0';
    setenv("PATH", after, 1);
    free(after);
}

static bool is_this_program(const char *path) {
    struct stat own, other;
    return stat("/proc/self/exe", &own) == 0 && stat(path, &other) == 0 && own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

/* Becomes the image's own. Our links are not in PATH any more. */
static int become_own(const struct shim *s, char **arguments) {
    char path[4096];
    /* A link of ours that is called by its path: the image's has the same name. */
    const char *wanted = is_this_program(arguments[0]) ? s->name : arguments[0];
    int code = command_find(wanted, getenv("PATH"), path, sizeof path);
    if (code == 0 && is_this_program(path)) code = EXIT_NOT_FOUND;
    const char *hostfile = getenv(HOSTFILE_VARIABLE);
    if (code == 0 && hostfile != NULL) {
        const char *seconds = getenv(TIMEOUT_VARIABLE);
        code = hosts_await(hostfile, seconds != NULL ? atoi(seconds) : 600);
        if (code != 0) return code;
    }
    if (code == 0) {
        execv(path, arguments);
        code = EXIT_NOT_EXECUTABLE;
    }
    say(s, "the image has no %s of its own that can be executed", s->name);
    return code;
}

/* One run at a time: -1 where another one has it. The descriptor is closed with the process. */
static int lock(const char *directory) {
    char path[4096];
    if (directory == NULL || !path_format(path, sizeof path, "%s/lock", directory)) return 0;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    /* Of another user: unlikely, and pmixd's socket is there only once. */
    if (fd < 0) return 0;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
    close(fd);
    return -1;
}

/* -- the run -- */

static void tell(struct shim *s, const char *text) {
    if (s->link.fd < 0) return;
    (void)bytes_append_text(&s->link.outgoing, text);
    link_send(&s->link);
}

static bool append_line(struct bytes *lines, const char *verb, const char *text, size_t length) {
    size_t before = bytes_length(lines);
    return bytes_append_text(lines, verb) && bytes_append_text(lines, " ") && bytes_append_escaped(lines, text, length) && bytes_append_text(lines, "\n") &&
           bytes_length(lines) - before <= LINE_BYTES_MAX;
}

static bool append_directory(struct bytes *lines, const char *directory) {
    char here[4096], path[8200];
    if (directory != NULL && *directory == '/') return append_line(lines, "directory", directory, strlen(directory));
    if (getcwd(here, sizeof here) == NULL) return true;
    bool fits = directory != NULL ? path_format(path, sizeof path, "%s/%s", here, directory) : path_format(path, sizeof path, "-%s", here);
    return fits && append_line(lines, "directory", path, strlen(path));
}

static bool write_request(struct bytes *lines, const struct mpirun *m) {
    bool done = facts_write(lines, "", 0, NULL, NULL, NULL) && bytes_format(lines, "run %u %u %s\n", m->ranks, m->per_pod, m->oversubscribe ? "oversubscribe" : "-") &&
                append_directory(lines, m->directory) && (m->bind == BIND_NONE || bytes_format(lines, "bind %s\n", bind_name(m->bind)));
    for (char **word = m->command; done && *word != NULL; word++) done = append_line(lines, "argument", *word, strlen(*word));
    const char *variables = bytes_first(&m->variables);
    for (size_t at = 0; done && at < bytes_length(&m->variables); at += strlen(variables + at) + 1) {
        done = append_line(lines, "set", variables + at, strlen(variables + at));
    }
    return done && bytes_append_text(lines, "run-end\n");
}

static void enter(struct shim *s, enum state state, int64_t milliseconds) {
    s->state = state;
    s->deadline_ms = milliseconds < 0 ? INT64_MAX : clock_ms() + milliseconds;
}

static void set_exit_code(struct shim *s, int code) {
    if (s->exit_code < 0) s->exit_code = code;
}

/* The run is over; what is to be written is written. */
static void end(struct shim *s, int code) {
    set_exit_code(s, code);
    link_close(&s->link);
    s->input_open = false;
    enter(s, ENDED, -1);
}

__attribute__((format(printf, 2, 3))) static void fail(struct shim *s, const char *format, ...) {
    char text[512], ending[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    server_tell_end(&s->server, ending, sizeof ending);
    server_terminate(&s->server);
    say(s, "%s%s", text, ending);
    end(s, EXIT_LAUNCHER);
}

/* pmixd is asked to end the run; what the ranks write until then still comes. */
static void ask_for_end(struct shim *s, int code, const char *why) {
    char line[256];
    set_exit_code(s, code);
    s->asked = true;
    if (s->state == CONNECTING) {
        server_terminate(&s->server);
        end(s, code);
        return;
    }
    snprintf(line, sizeof line, "stop %d %s\n", code, why);
    tell(s, line);
    enter(s, ENDING, END_MS);
}

static void take_signal(struct shim *s, int number) {
    char text[64];
    if (!signal_asks_for_end(number)) {
        snprintf(text, sizeof text, "signal %d\n", number);
        if (s->state == RUNNING) tell(s, text);
    } else if (s->asked || s->state == ENDED) {
        /* The second one: at once. */
        server_terminate(&s->server);
        _exit(128 + number);
    } else {
        snprintf(text, sizeof text, "mpirun was ended by signal %d", number);
        ask_for_end(s, 128 + number, text);
    }
}

static void take_started(struct shim *s) {
    s->started = true;
    if (s->state == RUNNING && s->mpirun.timeout_seconds > 0) s->deadline_ms = clock_ms() + (int64_t)s->mpirun.timeout_seconds * 1000;
}

static void take_message(struct shim *s, const struct message *m) {
    switch (m->kind) {
        case MESSAGE_WARN:
            say(s, "%s", m->text);
            return;
        case MESSAGE_STARTED:
            take_started(s);
            return;
        case MESSAGE_OUTPUT:
            if (!output_take(&s->output, m->rank, m->number, m->text, m->text_length)) fail(s, "output of rank %u cannot be taken", m->rank);
            return;
        case MESSAGE_TAKEN:
            s->input_ahead -= m->number < s->input_ahead ? m->number : s->input_ahead;
            return;
        case MESSAGE_STOP:
            if (*m->text != '\0' && !s->asked) say(s, "%s", m->text);
            end(s, (int)m->number);
            return;
        case MESSAGE_AGAIN:
        case MESSAGE_HOLD:
            return;
        default:
            if (!s->warned_unknown) say(s, "pmixd says '%.40s', which this version does not know", m->text);
            s->warned_unknown = true;
            return;
    }
}

static void take_lines(struct shim *s) {
    char *line;
    size_t length;
    bool too_long = false;
    while (s->link.fd >= 0 && !output_paused(&s->output) && (line = link_line(&s->link, &length, &too_long)) != NULL) {
        struct message message;
        const char *error = message_parse(line, length, &message);
        if (error == NULL) {
            take_message(s, &message);
        } else {
            fail(s, "pmixd's text cannot be understood: %s", error);
        }
    }
    if (s->link.fd < 0) return;
    if (too_long) {
        fail(s, "pmixd's text cannot be understood: a line of more than 256 KiB");
    } else if (s->link.ended && !output_paused(&s->output)) {
        fail(s, "pmixd has gone before the run has ended");
    }
}

static void read_input(struct shim *s) {
    static char buffer[INPUT_READ_BYTES];
    ssize_t n = read(0, buffer, sizeof buffer);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n <= 0) {
        s->input_open = false;
        tell(s, "input-end\n");
        return;
    }
    (void)append_line(&s->link.outgoing, "input", buffer, (size_t)n);
    s->input_ahead += (size_t)n;
    link_send(&s->link);
}

/* Nothing comes from a descriptor that is closed, from /dev/null, or where --stdin none asks for that. */
static bool has_input(const struct shim *s) {
    struct stat input, null;
    if (s->mpirun.without_input || fstat(0, &input) != 0 || (fcntl(0, F_GETFL) & O_ACCMODE) == O_WRONLY) return false;
    return stat("/dev/null", &null) != 0 || !S_ISCHR(input.st_mode) || input.st_rdev != null.st_rdev;
}

static void try_connect(struct shim *s) {
    int error = link_connect(&s->link, s->options.socket_path);
    if (error == 0) {
        (void)bytes_append(&s->link.outgoing, bytes_first(&s->request), bytes_length(&s->request));
        enter(s, RUNNING, -1);
        s->input_open = has_input(s);
        if (!s->input_open) tell(s, "input-end\n");
    } else if (error != ENOENT && error != ECONNREFUSED && error != EAGAIN && error != ENOTDIR) {
        fail(s, "cannot connect to %s: %s", s->options.socket_path, strerror(error));
    }
}

static void take_deadline(struct shim *s) {
    char text[128];
    if (s->state == CONNECTING) {
        fail(s, "no pmixd at %s within a minute", s->options.socket_path);
    } else if (s->state == RUNNING) {
        snprintf(text, sizeof text, "the run has taken longer than the %d s of --timeout", s->mpirun.timeout_seconds);
        say(s, "%s", text);
        ask_for_end(s, EXIT_TIMED_OUT, text);
    } else if (s->state == ENDING) {
        say(s, "the workers do not say that the run has ended");
        server_terminate(&s->server);
        end(s, EXIT_LAUNCHER);
    }
}

static void reap(struct shim *s) {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid != s->server.pid) continue;
        server_ended(&s->server, WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
        if (s->state == CONNECTING) fail(s, "pmixd has gone before it listened");
    }
}

static int timeout_ms(const struct shim *s) {
    if (s->state == CONNECTING) return CONNECT_PAUSE_MS;
    if (s->deadline_ms == INT64_MAX) return -1;
    int64_t left = s->deadline_ms - clock_ms();
    return left < 0 ? 0 : left > 3600 * 1000 ? 3600 * 1000 : (int)left;
}

static void run(struct shim *s, int signals) {
    struct pollfd polls[6];
    struct signalfd_siginfo info;
    /* Lines that have not ended are queued as far as there is room, then what is queued is written. */
    while (s->state != ENDED || !output_end(&s->output) || !output_idle(&s->output)) {
        if (s->state == CONNECTING) try_connect(s);
        /* Nothing is taken while nobody reads what was taken before: so the ranks wait. */
        short link = link_events(&s->link);
        if (output_paused(&s->output)) link = (short)(link & POLLOUT);
        polls[0] = (struct pollfd){.fd = signals, .events = POLLIN};
        polls[1] = (struct pollfd){.fd = link != 0 ? s->link.fd : -1, .events = link};
        server_prepare(&s->server, &polls[2]);
        output_prepare_sinks(&s->output, polls + 3);
        polls[5] = (struct pollfd){.fd = s->started && s->input_open && s->input_ahead < INPUT_AHEAD_BYTES ? 0 : -1, .events = POLLIN};
        if (poll(polls, 6, timeout_ms(s)) < 0 && errno != EINTR) {
            fail(s, "poll: %s", strerror(errno));
            return;
        }
        output_serve_sinks(&s->output, polls + 3);
        server_serve(&s->server, &polls[2]);
        if (polls[1].revents != 0) link_serve(&s->link, polls[1].revents);
        if (s->link.fd >= 0) take_lines(s);
        if (polls[5].revents != 0 && s->input_open) read_input(s);
        if (polls[0].revents != 0) {
            while (read(signals, &info, sizeof info) == (ssize_t)sizeof info) {
                if ((int)info.ssi_signo != SIGCHLD) take_signal(s, (int)info.ssi_signo);
            }
            reap(s);
        }
        if (s->state != ENDED && clock_ms() >= s->deadline_ms) take_deadline(s);
    }
}

static int run_in_workers(struct shim *s) {
    s->exit_code = -1;
    link_init(&s->link);
    /* Beside it, input that is on its way. */
    s->link.outgoing.limit = 2 * REQUEST_BYTES;
    server_init(&s->server);
    output_open(&s->output, 1, 2);
    s->output.tagged = s->mpirun.tagged;
    s->output.merged = s->mpirun.merged;
    s->output.unbuffered = s->mpirun.ranks == 1;
    int signals = signals_open(TAKEN, sizeof TAKEN / sizeof TAKEN[0], &s->mask);
    if (signals < 0) {
        say(s, "cannot start: %s", strerror(errno));
        return EXIT_LAUNCHER;
    }
    enter(s, CONNECTING, CONNECT_MS);
    const char *error = server_start(&s->server, &s->options, environ, &s->mask);
    if (error != NULL) fail(s, "cannot start pmixd: %s", error);
    run(s, signals);
    server_await_end(&s->server, signals, SERVER_END_MS);
    server_free(&s->server);
    free(s->output.sources);
    for (int i = 0; i < 2; i++) bytes_free(&s->output.sinks[i].queue);
    close(signals);
    return s->exit_code;
}

static const char *variable(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value != NULL ? value : otherwise;
}

int shim_run(char **arguments) {
    static struct shim s;
    const char *slash = strrchr(arguments[0], '/');
    const char *directory = getenv(DIRECTORY_VARIABLE);
    s.name = slash != NULL ? slash + 1 : arguments[0];
    s.options.image = getenv(IMAGE_VARIABLE);
    s.options.heap_mebibytes = variable(HEAP_VARIABLE, "24");
    s.options.socket_path = variable(SOCKET_VARIABLE, "/run/fabric-operator/pmixd.sock");
    leave_path(directory);
    enum mpirun_verdict verdict = mpirun_parse(&s.mpirun, arguments + 1, environ);
    int held = -1;
    s.request.limit = REQUEST_BYTES;
    if (verdict == MPIRUN_REFUSED) {
        say(&s, "%s; the image's own %s runs it, which reaches the workers by ssh", s.mpirun.refusal, s.name);
    } else if (verdict == MPIRUN_UNDERSTOOD && s.options.image == NULL) {
        say(&s, "%s is not set; the image's own %s runs it, which reaches the workers by ssh", IMAGE_VARIABLE, s.name);
    } else if (verdict == MPIRUN_UNDERSTOOD && !write_request(&s.request, &s.mpirun)) {
        say(&s, "command line and variables are too large; the image's own %s runs it, which reaches the workers by ssh", s.name);
    } else if (verdict == MPIRUN_UNDERSTOOD && (held = lock(directory)) < 0) {
        say(&s, "another run has not ended; the image's own %s runs this one, which reaches the workers by ssh", s.name);
    }
    int code;
    if (held < 0) {
        code = become_own(&s, arguments);
    } else {
        const char *notes = bytes_first(&s.mpirun.notes);
        for (size_t at = 0; !s.mpirun.quiet && at < bytes_length(&s.mpirun.notes); at += strlen(notes + at) + 1) say(&s, "%s", notes + at);
        code = run_in_workers(&s);
        if (held > 0) close(held);
    }
    bytes_free(&s.request);
    mpirun_free(&s.mpirun);
    return code;
}

/* -- the container's start -- */

static bool make_links(const char *directory) {
    char own[4096];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length < 0) return false;
    own[length] = '\0';
    /* Readable for any user: scripts may change theirs. It comes first in PATH, root's too, and lies where everybody may write. */
    int fd = directory_make_own(directory);
    if (fd < 0) return false;
    bool done = true;
    for (size_t i = 0; done && MPIRUN_NAMES[i] != NULL; i++) {
        /* A container that starts again finds them. */
        done = (unlinkat(fd, MPIRUN_NAMES[i], 0) == 0 || errno == ENOENT) && symlinkat(own, fd, MPIRUN_NAMES[i]) == 0;
    }
    int error = errno;
    close(fd);
    errno = error;
    return done;
}

static void put(const char *name, const char *value) {
    if (value != NULL) setenv(name, value, 1);
}

int shim_install(const struct options *o) {
    char timeout[16], path[4096];
    const char *before = getenv("PATH");
    snprintf(timeout, sizeof timeout, "%d", o->timeout_seconds);
    put(IMAGE_VARIABLE, o->image);
    put(HEAP_VARIABLE, o->heap_mebibytes);
    put(SOCKET_VARIABLE, o->socket_path);
    put(HOSTFILE_VARIABLE, o->file);
    put(TIMEOUT_VARIABLE, timeout);
    put(DIRECTORY_VARIABLE, o->directory);
    if (!make_links(o->directory)) {
        dprintf(2, "fabric-launcher: the image's own mpirun runs what is to run: %s: %s\n", o->directory, strerror(errno));
    } else {
        char *after = NULL;
        if (before == NULL) before = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
        if (asprintf(&after, "%s:%s", o->directory, before) > 0) setenv("PATH", after, 1);
        free(after);
    }
    if (is_mpirun(o->command[0])) return shim_run(o->command);
    int code = command_find(o->command[0], getenv("PATH"), path, sizeof path);
    if (code == 0) {
        execv(path, o->command);
        code = EXIT_NOT_EXECUTABLE;
    }
    dprintf(2, "fabric-launcher: %s: %s\n", o->command[0], code == EXIT_NOT_FOUND ? "not found" : "not executable");
    return code;
}
