/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Ends the processes that this JVM started when the JVM itself is gone, killed included.
 *
 * One shell per JVM reads {@code + pid} and {@code - pid} from a pipe; the kernel closes the pipe with the JVM, and the shell then kills what is left. Unlike
 * PR_SET_PDEATHSIG this does not depend on the thread that started the process, and needs nothing but {@code sh}.
 */
final class Watchdog {
    // The signals that a terminal sends to the whole group must not take the watchdog away before its work.
    private static final String SCRIPT = """
            trap '' INT TERM HUP
            pids=' '
            while read -r sign pid; do
              case $sign in
                +) pids="$pids$pid " ;;
                -) pids="${pids%% $pid *} ${pids#* $pid }" ;;
              esac
            done
            [ "$pids" = ' ' ] || kill -KILL $pids 2>/dev/null
            """;

    private static @Nullable Watchdog instance;

    private final Writer pipe;

    private Watchdog(Writer pipe) {
        this.pipe = pipe;
    }

    static synchronized Watchdog get() {
        if (instance == null) {
            instance = start();
        }
        return instance;
    }

    private static Watchdog start() {
        try {
            Process shell = new ProcessBuilder("/bin/sh", "-c", SCRIPT)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new Watchdog(shell.outputWriter(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the watchdog's shell", e);
        }
    }

    void watch(long pid) {
        send('+', pid);
    }

    void forget(long pid) {
        send('-', pid);
    }

    private synchronized void send(char sign, long pid) {
        try {
            pipe.write(sign + " " + pid + "\n");
            pipe.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("the watchdog has ended", e);
        }
    }
}
