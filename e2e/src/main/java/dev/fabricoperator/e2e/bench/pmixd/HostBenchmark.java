/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.pmixd;

import dev.fabricoperator.pmix.job.EndpointTemplate;
import dev.fabricoperator.pmix.job.JobApp;
import dev.fabricoperator.pmix.job.JobDevice;
import dev.fabricoperator.pmix.job.JobMap;
import dev.fabricoperator.pmix.job.JobPod;
import dev.fabricoperator.pmix.libpmix.HandshakeFilter;
import dev.fabricoperator.pmix.libpmix.LibpmixServer;
import dev.fabricoperator.pmix.server.PmixHost;
import dev.fabricoperator.pmix.server.PmixServer;
import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.pmix.server.Reply;
import dev.fabricoperator.pmix.server.ServerConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The Java host of libpmix without the rest of pmixd: serves the same job as e2e/bench/pmixd/host.c behind its filter and says
 * "ready". Ends when its standard input does. Arguments: pods, directory, port; with "--and-end" it ends at once.
 */
public final class HostBenchmark implements PmixHost {
    private static final String NSPACE = "bench.job-0123abcd-0";

    private HostBenchmark() {}

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(arguments[2]);
        JobMap map = job(Integer.parseInt(arguments[0]));
        HandshakeFilter filter = HandshakeFilter.open(0, port, reason -> {});
        ServerConfig config = new ServerConfig("pmixd.bench", 0, port, filter.port(), "job-0", arguments[1]);
        PmixServer server = LibpmixServer.start(config, new HostBenchmark());
        server.registerJob(map, 0);
        server.registerClient(NSPACE, 0, 0, 0);
        filter.expect(NSPACE, 0, 0, 0);
        server.clientEnvironment(NSPACE, 0);
        System.out.println("ready");
        if (arguments.length == 3) {
            while (System.in.read() >= 0) {
                continue;
            }
        }
        System.exit(0);
    }

    private static JobMap job(int pods) {
        List<JobPod> all = new ArrayList<>(pods);
        for (int pod = 0; pod < pods; pod++) {
            byte[] address = {10, 0, (byte) (pod >> 8), (byte) (pod + 1)};
            String guid =
                    "506b:4b03:0000:" + Integer.toHexString(0x10000 + pod + 1).substring(1);
            String id = "fab://" + guid + "::" + guid;
            JobDevice fabric = device(id, "mlx5_0", new int[] {pod / 16, pod / 4 % 4, pod % 4}, null);
            JobDevice own = device(
                    "ipv4://02:00:00:00:00:01",
                    "eth0",
                    new int[0],
                    new EndpointTemplate(EndpointTemplate.Format.FI_SOCKADDR_IN, address, 20000, 0));
            all.add(new JobPod("job-" + pod, "host-" + pod, 0, pod, 1, address, 1, "0", List.of(fabric, own)));
        }
        return new JobMap(NSPACE, 0, new byte[32], List.of(new JobApp(0, "bench", pods)), all, null);
    }

    private static JobDevice device(String id, String name, int[] logical, @Nullable EndpointTemplate endpoint) {
        return new JobDevice(id, name, 8, List.of(), -1, null, null, logical, new int[0], 65535, 65535, endpoint);
    }

    @Override
    public void fence(List<Proc> participants, boolean collect, byte[] data, Reply<byte[]> reply) {
        reply.succeed(data);
    }

    @Override
    public void directModex(Proc proc, Reply<byte[]> reply) {
        reply.succeed(null);
    }

    @Override
    public void connected(Proc proc) {}

    @Override
    public void finalized(Proc proc, Reply<Void> reply) {
        reply.succeed(null);
    }

    @Override
    public void abort(Proc proc, int status, String message, List<Proc> targets, Reply<Void> reply) {
        reply.succeed(null);
    }

    @Override
    public void event(int code, @Nullable Proc source, @Nullable String text) {}

    @Override
    public void refused(Proc proc, String what) {}
}
