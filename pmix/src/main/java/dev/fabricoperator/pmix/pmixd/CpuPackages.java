/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.launcher.LineFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;

/**
 * Which package CPUs are of, for PMIX_PACKAGE_RANK of ranks that are not bound.
 *
 * @see "Linux, Documentation/ABI/stable/sysfs-devices-system-cpu, topology/core_siblings_list"
 */
final class CpuPackages {
    static final Path SYS = Path.of("/sys");

    /** No machine has as many. */
    private static final int MOST_CPUS = 65_536;

    private CpuPackages() {}

    /**
     * Whether all of some CPUs are known to be of one package. Reads one small file.
     *
     * @param cpus in the kernel's list form, empty for unknown
     */
    static boolean isOne(Path sys, String cpus) {
        try {
            BitSet wanted = set(cpus);
            if (wanted.isEmpty()) {
                return false;
            }
            // Linux 5.3 has given the list another name, and kept the old one.
            Path siblings =
                    sys.resolve("devices/system/cpu/cpu" + wanted.nextSetBit(0) + "/topology/core_siblings_list");
            wanted.andNot(
                    set(Files.readString(siblings, StandardCharsets.US_ASCII).strip()));
            return wanted.isEmpty();
        } catch (IOException | NumberFormatException e) {
            return false;
        }
    }

    private static BitSet set(String list) {
        BitSet set = new BitSet();
        for (String range : LineFormat.split(list, ',')) {
            int dash = range.indexOf('-');
            int from = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
            int to = dash < 0 ? from : Integer.parseInt(range.substring(dash + 1));
            if (from < 0 || to < from || to >= MOST_CPUS) {
                throw new NumberFormatException(range);
            }
            set.set(from, to + 1);
        }
        return set;
    }
}
