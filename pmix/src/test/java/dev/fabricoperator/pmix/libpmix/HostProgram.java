/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import dev.fabricoperator.pmix.job.JobMap;
import dev.fabricoperator.pmix.server.PmixHost;
import dev.fabricoperator.pmix.server.PmixServer;
import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.pmix.server.Reply;
import dev.fabricoperator.pmix.server.ServerConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A process that hosts libpmix and starts the ranks of one pod itself: what a test runs inside of the root file system.
 * Prints one line for each call of the library. Ends with the first exit code that is not 0.
 *
 * <p>Arguments: pods, ranks of each, the pod to be, then the command of every rank.
 */
final class HostProgram implements PmixHost {
    private static final String NSPACE = "default.sample-0123abcd-0";

    private HostProgram() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        int pods = Integer.parseInt(arguments[0]);
        int ranks = Integer.parseInt(arguments[1]);
        int pod = Integer.parseInt(arguments[2]);
        JobMap map = SampleJob.of(NSPACE, pods, ranks);
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Path directory = Files.createTempDirectory("pmix");
        ServerConfig config = new ServerConfig(
                "pmixd.test", pod, port, port, map.pods().get(pod).name(), directory.toString());
        int exit = 0;
        try (PmixServer server = LibpmixServer.start(config, new HostProgram())) {
            server.registerJob(map, pod);
            List<Process> processes = new ArrayList<>();
            for (int local = 0; local < ranks; local++) {
                int rank = map.pods().get(pod).firstRank() + local;
                server.registerClient(NSPACE, rank, 0, 0);
                ProcessBuilder builder = new ProcessBuilder(List.of(arguments).subList(3, arguments.length));
                builder.environment().remove("PMIX_MCA_gds");
                builder.environment().putAll(server.clientEnvironment(NSPACE, rank));
                builder.environment().putIfAbsent("HOME", "/");
                processes.add(builder.inheritIO().start());
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

    private static void say(String line) {
        System.out.println("host: " + line);
    }

    @Override
    public void fence(List<Proc> participants, boolean collect, byte[] data, Reply<byte[]> reply) {
        say("fence of " + participants.size() + (collect ? ", data" : ""));
        reply.succeed(data);
    }

    @Override
    public void directModex(Proc proc, Reply<byte[]> reply) {
        say("direct modex " + proc.rank());
        reply.fail(dev.fabricoperator.pmix.PmixStatus.PMIX_ERR_NOT_FOUND);
    }

    @Override
    public void connected(Proc proc) {
        say("connected " + proc.rank());
    }

    @Override
    public void finalized(Proc proc, Reply<Void> reply) {
        say("finalized " + proc.rank());
        reply.succeed(null);
    }

    @Override
    public void abort(Proc proc, int status, String message, List<Proc> targets, Reply<Void> reply) {
        say("abort " + proc.rank() + " " + status + " " + message);
        reply.succeed(null);
    }

    @Override
    public void event(int code, @Nullable Proc source, @Nullable String text) {
        say("event " + code + (text == null ? "" : " " + text));
    }

    @Override
    public void refused(Proc proc, String what) {
        say("refused " + proc.rank() + " " + what);
    }
}
