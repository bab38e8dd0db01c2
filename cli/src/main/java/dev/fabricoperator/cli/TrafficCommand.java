/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.cluster.Traffic;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.output.OutputFormat;
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.fabric.cabling.DisplayText;
import dev.fabricoperator.fabric.traffic.HotReason;
import dev.fabricoperator.view.answer.JobTrafficAnswer;
import dev.fabricoperator.view.answer.PortTrafficAnswer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code traffic}: what a job has sent, and from which of its pods to which; what the ports of a fabric send, and which hold others up. */
@Command(
        name = "traffic",
        customSynopsis = {
            "kubectl fabric traffic job NAME [-n=NAMESPACE] [--watch=SECONDS] [-o=FORMAT]",
            "       kubectl fabric traffic fabric NAME [--watch=SECONDS] [-o=FORMAT]%n"
        },
        description = {
            "Show what a directly launched job has sent, or what the ports of a fabric send.",
            "Devices count all bytes of a pod's interfaces; pairs count what TCP connections have carried from",
            "pod to pod, as kernels tell. It is told when a pod's ranks have ended, and once a second while",
            "somebody asks, and is in the operator's memory alone. Ports are those of switches that a sweeper or",
            "an exporter reads: those that hold others up with the jobs that use them, then those that send most."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric traffic job ring",
            "  kubectl fabric traffic job ring -n lab -o wide    # each pair, device and link",
            "  kubectl fabric traffic job ring -n lab -o json",
            "  kubectl fabric traffic job ring --watch 2         # while it runs, every 2 s",
            "  kubectl fabric traffic fabric infiniband-0        # hot spots, ports that send most"
        })
final class TrafficCommand implements Callable<Integer> {
    private static final int MOST_ROWS = 16;
    /** Of a job that is watched: it is told anew for some 10 s after each question. */
    private static final int ASKED_EACH_SECONDS = 5;

    private static final int LONGEST_WATCH_SECONDS = 3_600;

    /** What there is traffic of. */
    enum Kind {
        job,
        fabric
    }

    @Parameters(index = "0", paramLabel = "KIND", description = "Of what: ${COMPLETION-CANDIDATES}.")
    Kind kind = Kind.job;

    @Parameters(
            index = "1",
            paramLabel = "NAME",
            description = "Of the FabricJob: that of its Job, JobSet, MPIJob or other owner; of the Fabric.")
    String name = "";

    @Option(
            names = "--watch",
            paramLabel = "SECONDS",
            description = "Show it again every so many seconds, until the command is interrupted.")
    @Nullable
    Integer watch;

    @Mixin
    NamespaceOption namespace = new NamespaceOption();

    @Mixin
    ClusterOptions cluster = new ClusterOptions();

    @Mixin
    OutputOption output = new OutputOption();

    @Override
    public Integer call() throws IOException, Failure, InterruptedException {
        Integer every = watch;
        if (every == null) {
            show();
            return 0;
        }
        if (every < 1 || every > LONGEST_WATCH_SECONDS) {
            throw Failure.wrongUsage(
                    "--watch is " + every + "; it is 1 at least and " + LONGEST_WATCH_SECONDS + " at most, in seconds");
        }
        String told = "";
        while (true) {
            try {
                show();
                StandardOutput.print(
                        output.format == OutputFormat.yaml ? "---\n" : output.format.isTable() ? "\n" : "");
            } catch (Failure e) {
                if (!Traffic.isOfUnknownJob(e)) {
                    throw e;
                }
                String sentence = String.valueOf(e.getMessage());
                if (!told.equals(sentence)) {
                    told = sentence;
                    System.err.println(sentence);
                }
            }
            pause(every);
        }
    }

    /** A job's pods tell something new as long as somebody asks, whether it is shown or not. */
    private void pause(int seconds) throws IOException, Failure, InterruptedException {
        int left = seconds;
        while (left > ASKED_EACH_SECONDS) {
            TimeUnit.SECONDS.sleep(ASKED_EACH_SECONDS);
            left -= ASKED_EACH_SECONDS;
            if (kind == Kind.job) {
                try {
                    Traffic.ofJob(cluster.context, cluster.kubeconfig, namespace.name, name);
                } catch (Failure e) {
                    if (!Traffic.isOfUnknownJob(e)) {
                        throw e;
                    }
                }
            }
        }
        TimeUnit.SECONDS.sleep(left);
    }

    private void show() throws IOException, Failure {
        boolean wide = output.format == OutputFormat.wide;
        if (kind == Kind.fabric) {
            PortTrafficAnswer answer = Traffic.ofFabric(cluster.context, cluster.kubeconfig, name);
            output.print(answer, () -> tables(answer, wide));
        } else {
            JobTrafficAnswer answer = Traffic.ofJob(cluster.context, cluster.kubeconfig, namespace.name, name);
            output.print(answer, () -> tables(answer, wide));
        }
    }

    static List<TextTable> tables(PortTrafficAnswer answer, boolean wide) {
        List<PortTrafficAnswer.HotSpot> hotSpots = Objects.requireNonNullElse(answer.hotSpots(), List.of());
        List<PortTrafficAnswer.Port> all = Objects.requireNonNullElse(answer.ports(), List.of());
        TextTable hot = new TextTable("HOT SWITCH", "PORT", "PEER", "WHY", "VALUE", "SINCE", "JOBS");
        hotSpots.forEach(each -> hot.row(
                Objects.requireNonNullElse(each.name(), each.switchId()),
                each.port(),
                each.peer(),
                each.why(),
                each.why() == HotReason.Discards ? perSecond(each.value()) : percent(each.value()),
                each.since(),
                Objects.requireNonNullElse(each.jobs(), List.<PortTrafficAnswer.Job>of()).stream()
                        .map(TrafficCommand::atPort)
                        .collect(Collectors.joining(", "))));
        TextTable ports =
                new TextTable("SWITCH", "PORT", "PEER", "SENDS", "UTILISATION", "WAITING", "DISCARDS", "AS OF");
        all.stream()
                .limit(wide ? Long.MAX_VALUE : MOST_ROWS)
                .forEach(port -> ports.row(
                        Objects.requireNonNullElse(port.name(), port.switchId()),
                        port.port(),
                        port.peer(),
                        port.bytesPerSecond() == null ? null : bytes(port.bytesPerSecond()) + "/s",
                        percent(port.utilisation()),
                        percent(port.waitShare()),
                        perSecond(port.discards()),
                        port.asOf()));
        List<TextTable> tables = new ArrayList<>();
        tables.add(hot.orSaying(
                answer.asOf() == null
                        ? "Which ports are hot is not known yet."
                        : "No hot spots as of " + answer.asOf() + "."));
        addUnlessEmpty(tables, ports, all.size());
        List<String> notes = new ArrayList<>();
        int more = wide ? 0 : Math.max(0, all.size() - MOST_ROWS);
        if (more > 0) {
            notes.add(more + " more ports: -o wide");
        }
        if (answer.jobsLeftOut() != null) {
            notes.add(answer.jobsLeftOut() + " jobs are too large to say which ports they use");
        }
        if (answer.portsAtEnd() != null) {
            notes.add(answer.portsAtEnd() + " ports have a counter at its end: it tells nothing until it is cleared");
        }
        if (answer.problem() != null) {
            notes.add("the last look at the ports failed, or a part of it: " + answer.problem());
        }
        addNotes(tables, notes);
        return tables;
    }

    /** {@code lab/ring (563 MB/s, 50.0 %)}, as far as it is known. */
    private static String atPort(PortTrafficAnswer.Job job) {
        String name = job.namespace() + "/" + job.name();
        if (job.bytesPerSecond() == null) {
            return name;
        }
        String share = job.share() == null ? "" : ", " + percent(job.share());
        return name + " (" + bytes(job.bytesPerSecond()) + "/s" + share + ")";
    }

    private static @Nullable String percent(@Nullable Double share) {
        return share == null ? null : String.format(Locale.ROOT, "%.1f %%", share * 100);
    }

    private static @Nullable String perSecond(@Nullable Double rate) {
        return rate == null ? null : String.format(Locale.ROOT, "%.1f/s", rate);
    }

    static List<TextTable> tables(JobTrafficAnswer answer, boolean wide) {
        List<TextTable> tables = new ArrayList<>();
        TextTable job =
                new TextTable("JOB", "ATTEMPT", "SECONDS", "SENT", "RECEIVED", "RETRANSMITS", "SILENT PODS", "AS OF");
        job.row(
                answer.job(),
                answer.attempt(),
                answer.seconds(),
                bytes(answer.sentBytes()),
                bytes(answer.receivedBytes()),
                answer.retransmits(),
                answer.podsSilent(),
                answer.asOf());
        tables.add(job);
        TextTable pods = new TextTable("POD", "NODE", "RANKS", "DEVICE", "SENT", "RECEIVED", "BASIS");
        int rows = 0;
        for (JobTrafficAnswer.Pod pod : answer.pods()) {
            for (JobTrafficAnswer.Device device : pod.devices()) {
                if (wide || rows < MOST_ROWS) {
                    pods.row(
                            pod.pod(),
                            pod.node(),
                            pod.ranks(),
                            device.name(),
                            bytes(device.sentBytes()),
                            bytes(device.receivedBytes()),
                            device.basis());
                }
                rows++;
            }
        }
        addUnlessEmpty(tables, pods, rows);
        TextTable pairs = new TextTable("FROM", "TO", "BYTES", "RETRANSMITS", "RTT MICROSECONDS");
        answer.pairs().stream()
                .limit(wide ? Long.MAX_VALUE : MOST_ROWS)
                .forEach(pair -> pairs.row(
                        pair.from(), pair.to(), bytes(pair.bytes()), pair.retransmits(), pair.rttMicroseconds()));
        addUnlessEmpty(tables, pairs, answer.pairs().size());
        if (wide) {
            TextTable links = new TextTable("SWITCH", "PORT", "PEER", "SENDS", "SHARE", "BASIS");
            List<JobTrafficAnswer.Link> all = Objects.requireNonNullElse(answer.links(), List.of());
            all.forEach(link -> links.row(
                    Objects.requireNonNullElse(link.name(), link.switchId()),
                    link.port(),
                    link.peer(),
                    bytes(link.bytesPerSecond()) + "/s",
                    percent(link.share()),
                    link.basis()));
            addUnlessEmpty(tables, links, all.size());
        }
        long leftOut =
                answer.pairsLeftOut() + (wide ? 0 : Math.max(0, answer.pairs().size() - MOST_ROWS));
        addNotes(tables, notes(answer, wide ? 0 : Math.max(0, rows - MOST_ROWS), leftOut));
        return tables;
    }

    private static void addNotes(List<TextTable> tables, List<String> notes) {
        if (!notes.isEmpty()) {
            TextTable note = new TextTable("NOTE").endingInSentence();
            notes.forEach(note::row);
            tables.add(note);
        }
    }

    private static List<String> notes(JobTrafficAnswer answer, int devices, long pairs) {
        List<String> notes = new ArrayList<>();
        if (devices > 0) {
            notes.add(devices + " more devices: -o wide");
        }
        if (answer.devicesLeftOut() > 0) {
            notes.add(answer.devicesLeftOut() + " devices with the fewest bytes are not told: the job is too large");
        }
        if (pairs > 0) {
            notes.add(pairs + " more pairs, each with fewer bytes");
        }
        long unknown =
                answer.pods().stream().filter(pod -> !pod.connectionsKnown()).count();
        if (unknown > 0) {
            notes.add(unknown + " pods are in no pair as the sender: their kernel does not tell of connections");
        }
        long missed = answer.pods().stream()
                .filter(pod -> pod.connectionsMissed() > 0)
                .count();
        if (missed > 0) {
            notes.add(missed + " pods closed more connections at one time than their kernel had room to tell of");
        }
        if (answer.linksLeftOut() != null) {
            notes.add(answer.linksLeftOut() + " more links, each with fewer bytes");
        }
        if (answer.bytesPerSecondLeftOut() != null) {
            notes.add(bytes(answer.bytesPerSecondLeftOut()) + "/s are on no link: nobody knows their way");
        }
        return notes;
    }

    private static void addUnlessEmpty(List<TextTable> tables, TextTable table, int rows) {
        if (rows > 0) {
            tables.add(table);
        }
    }

    private static @Nullable String bytes(@Nullable Long bytes) {
        return bytes == null ? null : DisplayText.bytes(bytes);
    }
}
