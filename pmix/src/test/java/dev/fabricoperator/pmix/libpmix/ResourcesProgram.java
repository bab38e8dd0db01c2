/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import dev.fabricoperator.pmix.server.PmixHost;
import dev.fabricoperator.pmix.server.PmixServer;
import dev.fabricoperator.pmix.server.PodValues;
import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.pmix.server.Reply;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pod's resources as its fabric changes, and after each change a client of a new job that has neither a fabric nor devices: what it reads of
 * them is of no nspace. Argument: the client's program.
 */
final class ResourcesProgram implements PmixHost {
    private static final int POD = 1;

    private ResourcesProgram() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        JobMap whole = SampleJob.of(HostProgram.NSPACE, 2, 1);
        String hostname = whole.pods().get(POD).name();
        try (HandshakeFilter filter =
                        HandshakeFilter.open(0, HandshakeFilter.Clients.OfContainer, System.out::println);
                PmixServer server = LibpmixServer.start(HostProgram.config(hostname), filter, new ResourcesProgram())) {
            for (String step : List.of("whole", "whole-again", "one-device", "none", "back")) {
                JobMap map = switch (step) {
                    case "one-device" -> with(whole, 1);
                    case "none" -> bare(whole, HostProgram.NSPACE);
                    default -> whole;
                };
                String nspace = "default." + step + "-0123abcd-0";
                server.registerResources(map.named(nspace), POD);
                JobMap job = bare(whole, nspace);
                int rank = job.pods().get(POD).firstRank();
                server.registerJob(job, POD, PodValues.UNKNOWN);
                server.registerClient(nspace, rank, 0, 0);
                filter.expect(nspace, rank, 0, 0);
                ProcessBuilder builder = new ProcessBuilder(arguments[0], step, hostname);
                builder.environment().remove("PMIX_MCA_gds");
                builder.environment().putAll(server.clientEnvironment(nspace, rank));
                builder.environment().putIfAbsent("HOME", "/");
                int exit = builder.inheritIO().start().waitFor();
                if (exit != 0) {
                    System.exit(exit);
                }
                server.deregister(nspace);
            }
        }
        System.exit(0);
    }

    private static JobMap bare(JobMap map, String nspace) {
        JobMap bare = with(map, 0);
        return new JobMap(nspace, map.attempt(), map.key(), map.apps(), bare.pods(), null);
    }

    /** The same job whose pods have the first of their devices only. */
    private static JobMap with(JobMap map, int devices) {
        List<JobPod> pods = new ArrayList<>();
        for (JobPod pod : map.pods()) {
            pods.add(new JobPod(
                    pod.name(),
                    pod.host(),
                    pod.app(),
                    pod.firstRank(),
                    pod.rankCount(),
                    pod.address(),
                    pod.port(),
                    pod.cpuset(),
                    pod.devices().subList(0, devices)));
        }
        return new JobMap(map.nspace(), map.attempt(), map.key(), map.apps(), pods, map.fabric(), map.otherFabrics());
    }

    @Override
    public void fence(List<Proc> participants, boolean collect, int status, byte[] data, Reply<byte[]> reply) {
        reply.succeed(data);
    }

    @Override
    public void directModex(Proc proc, Reply<byte[]> reply) {
        reply.fail(PmixStatus.PMIX_ERR_NOT_FOUND);
    }

    @Override
    public void connected(Proc proc) {}

    @Override
    public void finalized(Proc proc) {}

    @Override
    public void abort(Proc proc, int status, String message, List<Proc> targets, Reply<Void> reply) {
        reply.succeed(null);
    }

    @Override
    public void event(int code, @Nullable Proc source, @Nullable String text) {}

    @Override
    public void refused(Proc proc, String what) {
        System.out.println("refused " + what);
    }

    @Override
    public void log(Proc proc, List<String> lines, Reply<Void> reply) {
        reply.succeed(null);
    }
}
