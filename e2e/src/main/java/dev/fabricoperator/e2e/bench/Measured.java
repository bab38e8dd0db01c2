/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A process seen from outside.
 *
 * @see "proc_pid_status(5), proc_pid_smaps(5), proc_pid_stat(5)"
 */
public record Measured(long pid) {
    private static final long TICKS_PER_SECOND = 100;

    /** Resident memory in KiB, pages shared with other processes included. */
    public long residentKibibytes() throws IOException {
        return field("status", "VmRSS:");
    }

    /** The most that was resident in KiB, since the start. */
    public long highestResidentKibibytes() throws IOException {
        return field("status", "VmHWM:");
    }

    /** Resident memory in KiB that is this process' alone. */
    public long privateKibibytes() throws IOException {
        return field("smaps_rollup", "Private_Clean:") + field("smaps_rollup", "Private_Dirty:");
    }

    /** Processor time used since the start. */
    public Duration processorTime() throws IOException {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        long ticks = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        return Duration.ofMillis(ticks * 1000 / TICKS_PER_SECOND);
    }

    private long field(String file, String name) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/" + file))) {
            if (line.startsWith(name)) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        throw new IOException("/proc/" + pid + "/" + file + " has no " + name);
    }
}
