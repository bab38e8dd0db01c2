/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Ends the processes that this JVM started when the JVM itself is gone, killed included.
 *
 * One shell per JVM reads {@code + pid} and {@code - pid} (and {@code s}, {@code d} with a script that tidies up afterwards) from a pipe; the kernel closes the pipe with the JVM, and the shell then kills what is left. Unlike
 * PR_SET_PDEATHSIG this does not depend on the thread that started the process, and needs nothing but {@code sh}.
 */
public final class Watchdog {
    // The signals that a terminal sends to the whole group must not take the watchdog away before its work. What is not
    // in a list
    // (forgotten twice) must leave it alone: the two expansions would join the whole list to itself, and double it each
    // time.
    private static final String SCRIPT = """
            trap '' INT TERM HUP
            pids=' ' scripts=' '
            while read -r sign item; do
              case $sign in
                +) pids="$pids$item " ;;
                -) case $pids in *" $item "*) pids="${pids%% $item *} ${pids#* $item }" ;; esac ;;
                s) scripts="$scripts$item " ;;
                d) case $scripts in *" $item "*) scripts="${scripts%% $item *} ${scripts#* $item }" ;; esac ;;
              esac
            done
            [ "$pids" = ' ' ] || kill -KILL $pids 2>/dev/null
            for script in $scripts; do sh "$script"; done
            """;

    private static @Nullable Watchdog instance;

    private final Writer pipe;

    private Watchdog(Writer pipe) {
        this.pipe = pipe;
    }

    public static synchronized Watchdog get() {
        if (instance == null) {
            instance = start();
        }
        return instance;
    }

    static Watchdog start() {
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
        send('+', Long.toString(pid));
    }

    void forget(long pid) {
        send('-', Long.toString(pid));
    }

    /** Has a script run after the processes were killed. Its path must be free of blanks. */
    public void runAtEnd(Path script) {
        send('s', script.toString());
    }

    /** The script was run already. */
    public void doNotRun(Path script) {
        send('d', script.toString());
    }

    /** Closes the pipe, as the kernel does when the JVM is gone: what is left is killed. */
    synchronized void close() throws IOException {
        pipe.close();
    }

    private synchronized void send(char sign, String item) {
        try {
            pipe.write(sign + " " + item + "\n");
            pipe.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("the watchdog has ended", e);
        }
    }
}
