/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.launch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What all processors of the machine have worked. A launch is paid by many processes (kubelets, containerd, runc, the control plane, the
 * pods' own), most of which have ended when one looks, so that only the sum tells.
 */
final class MachineClock {
    private static final Path STAT = Path.of("/proc/stat");
    // USER_HZ of the kernel's ABI; fields: proc(5), /proc/stat.
    private static final double TICKS_PER_SECOND = 100;
    private static final int[] BUSY = {1, 2, 3, 6, 7};

    private MachineClock() {}

    /** CPU seconds of user, nice, system, irq and softirq since boot; resolution 10 ms. */
    static double busySeconds() {
        try (var lines = Files.lines(STAT)) {
            String[] fields = lines.findFirst().orElseThrow().split("\\s+");
            long ticks = 0;
            for (int field : BUSY) {
                ticks += Long.parseLong(fields[field]);
            }
            return ticks / TICKS_PER_SECOND;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + STAT, e);
        }
    }

    /** CPU seconds a second over the next ones. */
    static double busyShare(int seconds) throws InterruptedException {
        double before = busySeconds();
        long start = System.nanoTime();
        Thread.sleep(seconds * 1000L);
        return (busySeconds() - before) * 1e9 / (System.nanoTime() - start);
    }
}
