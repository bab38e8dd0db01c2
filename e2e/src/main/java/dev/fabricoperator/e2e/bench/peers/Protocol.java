/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.peers;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The contender's side of the comparison, for those in Java: "ready NAME" once, then a run for each line of standard input. */
final class Protocol {
    private Protocol() {}

    /** What is timed. The work is handed on through the two steps so that nothing of it can be left out. */
    interface Contender<P, S> {
        P parse(Path dump) throws Exception;

        S search(P parsed) throws Exception;

        /** Not timed. */
        long devices(P parsed, S found) throws Exception;

        /** Not timed by those whose search does not end in a number. */
        long hops(P parsed, S found) throws Exception;
    }

    static <P, S> void serve(String name, Path dump, Contender<P, S> contender) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.US_ASCII);
        out.println("ready " + name);
        long devices = -1;
        long hops = -1;
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            long start = System.nanoTime();
            P parsed = contender.parse(dump);
            long half = System.nanoTime();
            S found = contender.search(parsed);
            long end = System.nanoTime();
            cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu;
            if (hops < 0) {
                devices = contender.devices(parsed, found);
                hops = contender.hops(parsed, found);
            }
            out.println(new Run(half - start, end - half, cpu, devices, hops).line());
        }
    }
}
