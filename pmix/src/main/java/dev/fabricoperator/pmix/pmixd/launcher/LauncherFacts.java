/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.launcher;

import dev.fabricoperator.pmix.server.RankBinding;
import dev.fabricoperator.protocol.job.JobLimits;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the launcher says of the application's container.
 *
 * @param cpus that ranks may use, the kernel's list form, empty if unknown
 * @param numaNodes of these CPUs, the kernel's list form, empty if unknown
 * @param bindings of the ranks, in their order; empty where none is bound
 * @param ranks that it will start; 0 for mpirun's, which asks for a run
 * @param directory in which they start, {@code null} if unknown
 * @param arguments what each of them runs, words with a blank between them, {@code null} if unknown
 * @param cpuMillis CPU time that the container may take in a second, thousandths of one, 0 if unknown or without a limit
 * @param topologyShared whether this server sees the topology that hwloc of the ranks would read: it is beside them in their container, and no variable asks hwloc for another
 * @param memoryBytes that the container may use, 0 if unknown
 */
public record LauncherFacts(
        int uid,
        int gid,
        String cpus,
        String numaNodes,
        int ranks,
        boolean homeUnset,
        boolean userKnown,
        boolean topologyShared,
        List<RdmaPort> rdma,
        List<CxiDevice> cxi,
        List<Interface> interfaces,
        List<RankBinding> bindings,
        @Nullable String directory,
        @Nullable String arguments,
        int cpuMillis,
        long memoryBytes) {
    public LauncherFacts {
        rdma = List.copyOf(rdma);
        cxi = List.copyOf(cxi);
        interfaces = List.copyOf(interfaces);
        bindings = List.copyOf(bindings);
    }

    /** One port of an RDMA device that opened. */
    public record RdmaPort(
            String device,
            int port,
            @Nullable String nodeGuid,
            @Nullable String pci) {}

    public record CxiDevice(String device, @Nullable String pci) {}

    /** @param addresses IPv4 in dotted form first, then IPv6 */
    public record Interface(
            String name, @Nullable String mac, @Nullable String pci, List<String> addresses) {
        public Interface {
            addresses = List.copyOf(addresses);
        }
    }

    /** Collects lines until {@code end}; lines of kinds that it does not know are of a newer launcher and pass. */
    static final class Lines {
        private int uid = -1;
        private int gid = -1;
        private String cpus = "";
        private String numaNodes = "";
        private int ranks = -1;
        private boolean homeUnset;
        private boolean userKnown;
        private boolean topologyShared;
        private final List<RdmaPort> rdma = new ArrayList<>();
        private final List<CxiDevice> cxi = new ArrayList<>();
        private final List<Interface> interfaces = new ArrayList<>();
        private final List<RankBinding> bindings = new ArrayList<>();
        private @Nullable String directory;
        private @Nullable String arguments;
        private int cpuMillis;
        private long memoryBytes;

        /** @throws IllegalArgumentException for a line that has too few words, or no number where one belongs */
        void add(String[] words) {
            switch (words[0]) {
                case "uid" -> uid = Integer.parseUnsignedInt(word(words, 1));
                case "gid" -> gid = Integer.parseUnsignedInt(word(words, 1));
                case "cpus" -> cpus = word(words, 1);
                case "numa" -> numaNodes = word(words, 1);
                case "ranks" -> ranks = Integer.parseInt(word(words, 1));
                case "bound" -> {
                    if (Integer.parseInt(word(words, 1)) != bindings.size()) {
                        throw new IllegalArgumentException(
                                "the launcher leaves out the CPUs of rank " + bindings.size());
                    }
                    bindings.add(new RankBinding(word(words, 2), word(words, 3)));
                }
                case "wdir" -> directory = rest(words);
                case "argv" -> arguments = rest(words);
                case "cpu-time" -> cpuMillis = Integer.parseInt(word(words, 1));
                case "memory" -> memoryBytes = Long.parseLong(word(words, 1));
                case "home-unset" -> homeUnset = true;
                case "user-known" -> userKnown = true;
                case "topology-shared" -> topologyShared = true;
                case "rdma" ->
                    rdma.add(new RdmaPort(
                            word(words, 1),
                            Integer.parseInt(word(words, 2)),
                            known(word(words, 3)),
                            known(word(words, 4))));
                case "cxi" -> cxi.add(new CxiDevice(word(words, 1), known(word(words, 2))));
                case "net" ->
                    interfaces.add(new Interface(
                            word(words, 1),
                            known(word(words, 2)),
                            known(word(words, 3)),
                            words.length > 4 ? LineFormat.split(words[4], ',') : List.of()));
                default -> {}
            }
        }

        /** @throws IllegalArgumentException if the user or the number of ranks was not said */
        LauncherFacts facts() {
            if (uid == -1 || gid == -1 || ranks < 0) {
                throw new IllegalArgumentException("the launcher does not say uid, gid and ranks");
            }
            if (ranks > JobLimits.RANKS_PER_POD) {
                throw new IllegalArgumentException(
                        "the launcher has " + ranks + " ranks, a pod has " + JobLimits.RANKS_PER_POD + " at most");
            }
            if (!bindings.isEmpty() && bindings.size() != ranks) {
                throw new IllegalArgumentException("the launcher binds " + bindings.size() + " of " + ranks + " ranks");
            }
            return new LauncherFacts(
                    uid,
                    gid,
                    cpus,
                    numaNodes,
                    ranks,
                    homeUnset,
                    userKnown,
                    topologyShared,
                    rdma,
                    cxi,
                    interfaces,
                    bindings,
                    directory,
                    arguments,
                    cpuMillis,
                    memoryBytes);
        }

        /** All after the first word, with the blanks that are in it. */
        private static String rest(String[] words) {
            word(words, 1);
            return String.join(" ", words).substring(words[0].length() + 1);
        }

        private static String word(String[] words, int index) {
            if (index >= words.length || words[index].isEmpty()) {
                throw new IllegalArgumentException("a line '" + words[0] + "' of " + words.length + " words");
            }
            return words[index];
        }

        private static @Nullable String known(String word) {
            return word.equals("-") ? null : word;
        }
    }
}
