/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.launcher.LauncherPmi;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherSocket;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherText;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.server.PmixHost;
import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.pmix.server.Published.Datum;
import dev.fabricoperator.pmix.server.Published.Publication;
import dev.fabricoperator.pmix.server.Published.Search;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Ranks of an MPI that speaks PMI-1 and not PMIx, as MPICH and Intel MPI do. The launcher keeps what they put and answers them; what concerns the job is said here: fences over
 * all pods, and who has begun, finalized or aborted. On the loop.
 *
 * @see "MPICH, src/pmi/simple (client) and src/pm/hydra (server)"
 */
final class PmiClients implements LauncherPmi {
    /** Clients read lines of 1,024 characters, with what stands before the value. */
    private static final int MAPPING_CHARACTERS = 900;

    /** PMI_NAME_MAX of the launcher, and one for the zero at the end. */
    private static final int NAME_CHARACTERS = 255;

    private static final int UNSENT_BYTES = 256 * 1024;
    private static final long RETRY_MILLIS = 5;
    private static final int PART_CHARACTERS = 16 * 1024;
    private static final int FAILED = 1;

    /** Before a published name: of what is published by PMIx, in its library's form, these ranks could make nothing. */
    private static final String NAME = "pmi-1 ";

    private static final int PORT_CHARACTERS = 1024;

    /** Answers on the loop. */
    interface Listener extends Upcalls.Listener {
        void begunByPmi(Attempt attempt, int localRank);
    }

    private final EventLoop loop;
    private final LauncherSocket launcher;
    private final Listener server;
    private @Nullable Attempt running;

    PmiClients(EventLoop loop, LauncherSocket launcher, Listener server) {
        this.loop = loop;
        this.launcher = launcher;
        this.server = server;
    }

    /** What the launcher is told before the block of an attempt: with it, ranks get a connection of PMI-1 each. */
    static String lines(JobMap map, JobPod pod) {
        String nspace = map.nspace();
        String name = nspace.length() > NAME_CHARACTERS ? nspace.substring(0, NAME_CHARACTERS) : nspace;
        String mapping = processMapping(map);
        return LauncherText.pmi(map.size(), pod.app(), name)
                + LauncherText.kept(
                        "PMI_process_mapping=" + (mapping.length() > MAPPING_CHARACTERS ? apart(map) : mapping));
    }

    /** No two ranks share memory. Without any mapping MPICH goes by names of hosts, which pods with {@code hostNetwork} share. */
    private static String apart(JobMap map) {
        return "(vector,(0," + map.size() + ",1))";
    }

    /** What MPICH's own launcher sets. */
    static void addVariables(LauncherText.Block block, JobMap map, JobPod pod) {
        block.set("PMI_SIZE", Integer.toString(map.size()));
        // MPICH 5 gives up where it finds variables of PMI and PMIx, unless it is told which to take.
        block.byDefault(Map.of("MPIR_CVAR_PMI_VERSION", "1"));
        block.set("MPI_LOCALNRANKS", Integer.toString(pod.rankCount()));
        for (int local = 0; local < pod.rankCount(); local++) {
            block.rank(pod.firstRank() + local, "PMI_RANK", Integer.toString(pod.firstRank() + local));
            block.rank(pod.firstRank() + local, "MPI_LOCALRANKID", Integer.toString(local));
        }
    }

    /**
     * Which ranks share memory: each pod is a node. Blocks of (first node, nodes, ranks of each), in the order of ranks.
     *
     * @see "MPICH, doc/wiki, PMI_process_mapping"
     */
    static String processMapping(JobMap map) {
        List<JobPod> pods = map.pods().stream()
                .filter(pod -> pod.rankCount() > 0)
                .sorted(Comparator.comparingInt(JobPod::firstRank))
                .toList();
        StringBuilder text = new StringBuilder("(vector");
        int first = 0;
        while (first < pods.size()) {
            int ranks = pods.get(first).rankCount();
            int end = first;
            while (end < pods.size() && pods.get(end).rankCount() == ranks) {
                end++;
            }
            text.append(",(")
                    .append(first)
                    .append(',')
                    .append(end - first)
                    .append(',')
                    .append(ranks)
                    .append(')');
            first = end;
        }
        return text.append(')').toString();
    }

    /** A rank of the attempt runs. What was said before is of ranks of an earlier one, which have their time to end. */
    void started(Attempt attempt) {
        running = attempt;
    }

    /** Whose ranks are heard: {@code null} where they are of an attempt that is over. */
    private @Nullable Attempt current() {
        Attempt current = server.attempt();
        return current != null && current == running ? current : null;
    }

    @Override
    public void begun(int localRank) {
        Attempt current = current();
        if (current != null) {
            server.begunByPmi(current, localRank);
        }
    }

    @Override
    public void finalized(int localRank) {
        Attempt current = current();
        if (current != null) {
            current.ranks().pmiFinalized(localRank);
        }
    }

    @Override
    public void aborted(int localRank, int code, String message) {
        Attempt current = current();
        if (current != null) {
            server.aborted(proc(current, localRank), code, message);
        }
    }

    @Override
    public void versionRefused(int localRank) {
        Attempt current = current();
        if (current != null) {
            server.logged("rank " + (current.pod().firstRank() + localRank)
                    + ": its MPI asks for PMI-2, which is not served; PMI-1 and PMIx are: leave MPIR_CVAR_PMI_VERSION out of the container's variables, or take"
                    + " an MPICH that is not built for PMI-2 alone");
        }
    }

    @Override
    public void spawnRefused(int localRank) {
        Attempt current = current();
        if (current != null) {
            server.logged("rank " + (current.pod().firstRank() + localRank) + ": "
                    + PmixHost.spawnRefusal("PMI_Spawn_multiple"));
        }
    }

    @Override
    public void publish(int localRank, String name, String port) {
        Attempt current = current();
        if (current != null) {
            Publication publication = new Publication(
                    PublishedData.RANGE_SESSION,
                    PublishedData.PERSIST_SESSION,
                    List.of(new Datum(NAME + name, port.getBytes(StandardCharsets.UTF_8))));
            current.exchange()
                    .publish(
                            proc(current, localRank),
                            publication,
                            (status, nothing) -> named(current, localRank, status, ""));
        }
    }

    @Override
    public void lookup(int localRank, String name) {
        Attempt current = current();
        if (current != null) {
            Search search = new Search(PublishedData.RANGE_SESSION, List.of(NAME + name), 0, 0);
            current.exchange().lookup(proc(current, localRank), search, (status, found) -> {
                String port = found == null || found.isEmpty()
                        ? ""
                        : new String(found.getFirst().datum().value(), StandardCharsets.UTF_8);
                named(current, localRank, found == null || isWord(port) ? status : PmixStatus.PMIX_ERROR, port);
            });
        }
    }

    @Override
    public void unpublish(int localRank, String name) {
        Attempt current = current();
        if (current != null) {
            current.exchange()
                    .unpublish(
                            proc(current, localRank),
                            PublishedData.RANGE_SESSION,
                            List.of(NAME + name),
                            (status, nothing) -> named(current, localRank, status, ""));
        }
    }

    /** A rank that speaks PMIx may publish anything under that name. */
    private static boolean isWord(String port) {
        return !port.isEmpty()
                && port.length() <= PORT_CHARACTERS
                && port.chars().allMatch(c -> c > ' ');
    }

    private void named(Attempt attempt, int localRank, int status, String port) {
        if (current() == attempt) {
            launcher.send(
                    status == PmixStatus.PMIX_SUCCESS
                            ? LauncherText.named(localRank, 0, port)
                            : LauncherText.named(localRank, FAILED, why(status)));
        }
    }

    private static String why(int status) {
        return switch (status) {
            case PmixStatus.PMIX_ERR_NOT_FOUND -> "name_not_found";
            case PmixStatus.PMIX_ERR_DUPLICATE_KEY -> "name_published_already";
            case PmixStatus.PMIX_ERR_OUT_OF_RESOURCE -> "no_room";
            default -> "failed";
        };
    }

    @Override
    public void fence(String pairs) {
        Attempt current = current();
        if (current == null) {
            return;
        }
        current.pmiFence(pairs.getBytes(StandardCharsets.UTF_8), (status, all) -> {
            if (current() != current) {
                return;
            }
            if (status == PmixStatus.PMIX_SUCCESS) {
                sendPairs(current, all, 0);
                return;
            }
            // MPICH says no more than that PMI_Barrier failed.
            server.logged("a barrier of PMI failed with status " + status
                    + (status == PmixStatus.PMIX_ERR_OUT_OF_RESOURCE
                            ? "; the ranks have put more than pmixd's memory holds, which goes by the job's ranks"
                            : ""));
            launcher.send(LauncherText.fenced(FAILED));
        });
    }

    /** As much as the launcher takes: there may be megabytes, of which this heap cannot hold many copies. */
    private void sendPairs(Attempt attempt, byte[] all, int from) {
        if (current() != attempt) {
            return;
        }
        StringBuilder lines = new StringBuilder();
        int start = from;
        for (int i = from; i < all.length && launcher.unsentBytes() < UNSENT_BYTES; i++) {
            if (all[i] == '\n') {
                lines.append(LauncherText.keptAsItIs(new String(all, start, i - start, StandardCharsets.UTF_8)));
                start = i + 1;
                if (lines.length() >= PART_CHARACTERS) {
                    launcher.send(lines.toString());
                    lines.setLength(0);
                }
            }
        }
        int next = start;
        if (next < all.length) {
            launcher.send(lines.toString());
            loop.after(RETRY_MILLIS, () -> sendPairs(attempt, all, next));
        } else {
            launcher.send(lines.append(LauncherText.fenced(0)).toString());
        }
    }

    private static Proc proc(Attempt attempt, int localRank) {
        return new Proc(attempt.map().nspace(), attempt.pod().firstRank() + localRank);
    }
}
