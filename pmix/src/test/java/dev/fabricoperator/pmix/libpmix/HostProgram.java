/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static java.util.Objects.requireNonNull;

import dev.fabricoperator.pmix.TrixieRoot;
import dev.fabricoperator.pmix.server.PmixHost;
import dev.fabricoperator.pmix.server.PmixServer;
import dev.fabricoperator.pmix.server.PodValues;
import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.pmix.server.RankBinding;
import dev.fabricoperator.pmix.server.Reply;
import dev.fabricoperator.pmix.server.ServerConfig;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.pmix.PmixKeys;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A process that hosts libpmix behind its filter and starts the ranks of one pod itself: what a test runs inside of the
 * root file system. Prints one line for each call of the library. Ends with the first exit code that is not 0.
 *
 * <p>Arguments: pods, ranks of each, the pod to be, then the command of every rank.
 */
final class HostProgram implements PmixHost {
    /** Behind the number of ranks: they are bound. */
    static final String BOUND = "-bound";

    /** Behind the number of ranks: they are given the topology. */
    static final String SHARED = "-shared";

    static final String NSPACE = "default.sample-0123abcd-0";
    private static final Executor LATER = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "later");
        thread.setDaemon(true);
        return thread;
    });

    private volatile @Nullable PmixServer server;

    private HostProgram() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        int pods = Integer.parseInt(arguments[0]);
        boolean isBound = arguments[1].endsWith(BOUND);
        int ranks = Integer.parseInt(arguments[1].replace(BOUND, "").replace(SHARED, ""));
        int pod = Integer.parseInt(arguments[2]);
        JobMap map = SampleJob.of(NSPACE, pods, ranks);
        HostProgram host = new HostProgram();
        int exit = 0;
        try (HandshakeFilter filter = HandshakeFilter.open(0, HandshakeFilter.Clients.OfContainer, HostProgram::say);
                LibpmixServer server =
                        LibpmixServer.start(config(map.pods().get(pod).name()), filter, host)) {
            host.server = server;
            filter.whenLastToolLeaves(() -> {
                say("last tool left");
                server.forgetTools();
            });
            server.writeRendezvousFiles(
                    Path.of(server.clientEnvironment(NSPACE, 0).get("PMIX_SYSTEM_TMPDIR")));
            if (arguments[1].endsWith(SHARED)) {
                server.shareTopology(HostProgram::say);
            }
            server.registerResources(map, pod);
            server.registerJob(map, pod, values(map, pod, isBound ? bindings(ranks) : List.of()));
            List<Process> processes = new ArrayList<>();
            for (int local = 0; local < ranks; local++) {
                int rank = map.pods().get(pod).firstRank() + local;
                server.registerClient(NSPACE, rank, 0, 0);
                filter.expect(NSPACE, rank, 0, 0);
                ProcessBuilder builder = new ProcessBuilder(List.of(arguments).subList(3, arguments.length));
                builder.environment().remove("PMIX_MCA_gds");
                builder.environment().putAll(server.clientEnvironment(NSPACE, rank));
                builder.environment().putIfAbsent("HOME", "/");
                Process process = builder.inheritIO().start();
                server.started(rank, (int) process.pid());
                processes.add(process);
            }
            for (Process process : processes) {
                int code = process.waitFor();
                exit = exit == 0 ? code : exit;
            }
            server.deregister(NSPACE);
        }
        say("exit " + exit);
        System.exit(exit);
    }

    /** As a launcher tells them; the directories are there. */
    private static PodValues values(JobMap map, int pod, List<RankBinding> bindings) throws IOException {
        PodValues values = new PodValues(bindings, true, "/work here", "solver -n 4", 8L << 30, "/tmp/session-1");
        for (int local = 0; local < map.pods().get(pod).rankCount(); local++) {
            Files.createDirectories(Path.of(
                    requireNonNull(values.rankDirectory(map.pods().get(pod).firstRank() + local))));
        }
        return values;
    }

    /** As if the host had two NUMA nodes, and the ranks a core each, of the two in turn. */
    private static List<RankBinding> bindings(int ranks) {
        return IntStream.range(0, ranks)
                .mapToObj(i -> new RankBinding(
                        Integer.toString(i), "SK%1$d:L3%1$d:L1%2$d:CR%2$d:HT%2$d:NM%1$d".formatted(i % 2, i)))
                .toList();
    }

    /** Runs it in the root file system, as pmixd is run. */
    static TrixieRoot.Result run(TrixieRoot root, List<String> arguments) {
        return java(root, HostProgram.class, arguments);
    }

    static TrixieRoot.Result java(TrixieRoot root, Class<?> program, List<String> arguments) {
        List<String> line = new ArrayList<>(List.of(
                "env",
                "PMIX_MCA_gds=hash",
                "/jdk/bin/java",
                "-Xmx24m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                TrixieRoot.classPath(LibpmixServer.class, PmixKeys.class, HostProgram.class),
                program.getName()));
        line.addAll(arguments);
        return root.run(60, line.toArray(String[]::new));
    }

    static ServerConfig config(String hostname) throws IOException {
        Path directory = Files.createTempDirectory("pmix");
        return new ServerConfig(
                "pmixd.test",
                0,
                0,
                hostname,
                directory.toString(),
                directory.toString(),
                ExpectedReport.VERSION,
                ExpectedReport.CLUSTER_ID);
    }

    private static synchronized void say(String line) {
        System.out.println("host: " + line);
    }

    /**
     * Reads back what its first own rank has put before it answers, as the owner of a direct modex would. Before that it asks, on the library's thread, for
     * what waits for that thread.
     */
    @Override
    public void fence(List<Proc> participants, boolean collect, int status, byte[] data, Reply<byte[]> reply) {
        say("fence of " + participants + (collect ? " with data" : ""));
        try {
            requireNonNull(server).deregister(NSPACE);
        } catch (IllegalStateException e) {
            say("not deregistered: " + e.getMessage());
        }
        LATER.execute(() -> requireNonNull(server).requestModex(NSPACE, 0, new Reply<>() {
            @Override
            public void answer(int status, byte @Nullable [] modex) {
                say("modex of 0: " + status + (modex != null && modex.length > 0 ? " with data" : ""));
                reply.succeed(data);
            }
        }));
    }

    @Override
    public void directModex(Proc proc, Reply<byte[]> reply) {
        say("direct modex " + proc.rank());
        reply.fail(PmixStatus.PMIX_ERR_NOT_FOUND);
    }

    @Override
    public void connected(Proc proc) {
        say("connected " + proc.rank());
    }

    @Override
    public void finalized(Proc proc) {
        say("finalized " + proc.rank());
    }

    @Override
    public void abort(Proc proc, int status, String message, List<Proc> targets, Reply<Void> reply) {
        say("abort " + proc.rank() + " " + status + " " + message + " " + targets);
        LATER.execute(() -> reply.succeed(null));
    }

    /** Answers an event by one of its own. */
    @Override
    public void event(int code, @Nullable Proc source, @Nullable String text) {
        say("event " + code + (text == null ? "" : " " + text));
        LATER.execute(() -> requireNonNull(server)
                .notifyEvent(
                        PmixStatus.PMIX_EVENT_NODE_DOWN,
                        new Proc("pmixd.test", 0),
                        new Proc(NSPACE, 1),
                        "pod job-1 is gone"));
    }

    @Override
    public void refused(Proc proc, String what) {
        say("refused " + proc.rank() + " " + what);
    }

    @Override
    public void log(Proc proc, List<String> lines, Reply<Void> reply) {
        say("log " + proc.rank() + " " + lines);
        LATER.execute(() -> reply.succeed(null));
    }
}
