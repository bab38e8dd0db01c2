/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import static dev.fabricoperator.e2e.job.JobCase.now;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobMapCodec;
import dev.fabricoperator.protocol.job.PodReport;
import dev.fabricoperator.view.mapping.DeviceMapper;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** A job whose pods are all on one node, where each can open other adapters of a simulated subnet; agents and pods are played. */
final class AdaptersOfOneNode {
    static final String NODE = "n1";

    private AdaptersOfOneNode() {}

    /** Publishes an adapter of a host of the subnet as one of the node's. */
    static void create(JobCase jobs, Device device) {
        FabricDevice object = new FabricDevice();
        object.setMetadata(new ObjectMetaBuilder()
                .withName(device.hostname() + "-mlx5-0-1")
                .build());
        object.setSpec(FabricDeviceSpecBuilder.builder(DeviceMapper.toSpec(NODE, device, error -> null))
                .nodeName(NODE)
                .build());
        jobs.admin.resource(object).create();
    }

    /**
     * Joins all pods, until their map says which routes packets take between all of their adapters.
     *
     * @param ranks of each pod
     * @param guids of the adapters that each pod can open
     */
    static JobMap join(List<PodSide> sides, int ranks, List<List<String>> guids) {
        int[] after = {-1};
        JobMap[] found = new JobMap[1];
        eventually(() -> {
            var answers = IntStream.range(0, sides.size())
                    .mapToObj(pod -> sides.get(pod).joinUntilAnswered(report(pod, after[0], ranks, guids.get(pod))))
                    .toList();
            JobMap map = PodSide.map(now(answers.getFirst()));
            for (var answer : answers) {
                assertThat(now(answer).statusCode()).isEqualTo(200);
            }
            after[0] = map.attempt();
            JobFabric fabric = map.fabric();
            assertThat(fabric).isNotNull();
            assertThat(Objects.requireNonNull(fabric).devices())
                    .isEqualTo(guids.stream().mapToInt(List::size).sum());
            assertThat(fabric.routes()).isNotNull();
            found[0] = map;
        });
        return Objects.requireNonNull(found[0]);
    }

    private static PodReport report(int index, int after, int ranks, List<String> guids) {
        PodReport plain = JobCase.report(index, 0, after, ranks);
        return new PodReport(
                        plain.instance(),
                        after,
                        plain.address(),
                        plain.port(),
                        ranks,
                        plain.cpuset(),
                        plain.numaNodes(),
                        guids.stream()
                                .map(guid -> new PodReport.OpenDevice("mlx5_" + index, guid, null, null, false, null))
                                .toList())
                // Else its map says nothing of routes.
                .reading(JobMapCodec.HIGHEST_VERSION);
    }
}
