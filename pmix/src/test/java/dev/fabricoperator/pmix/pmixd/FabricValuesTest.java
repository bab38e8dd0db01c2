/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.server.FabricEvent;
import dev.fabricoperator.pmix.server.LinkEvent;
import dev.fabricoperator.pmix.server.PmixServer;
import dev.fabricoperator.pmix.server.PodValues;
import dev.fabricoperator.protocol.job.JobApp;
import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FabricValuesTest {
    private static final JobApp APP = new JobApp(0, "workers", 1);

    private final EventLoop loop = new EventLoop();
    private final List<String> calls = new ArrayList<>();
    private boolean answers = true;
    private final PmixServer pmix = (PmixServer) Proxy.newProxyInstance(
            PmixServer.class.getClassLoader(), new Class<?>[] {PmixServer.class}, (proxy, method, arguments) -> {
                if (arguments[0] instanceof FabricEvent event) {
                    calls.add("event " + event.code() + (event.index() == 3 ? "" : " of " + event.index())
                            + (Boolean.TRUE.equals(event.routesChanged()) ? " by other routes" : ""));
                    if (answers) {
                        ((Runnable) arguments[1]).run();
                    }
                    if (event.code() == PmixStatus.PMIX_FABRIC_UPDATED) {
                        loop.stop();
                    }
                } else if (arguments[0] instanceof LinkEvent event) {
                    calls.add(event.code() + " of " + event.deviceId() + " to " + event.ranks() + " from "
                            + event.first().rank() + ": " + event.text());
                } else {
                    JobPod pod = ((JobMap) arguments[0]).pods().get((Integer) arguments[1]);
                    calls.add(method.getName() + " "
                            + pod.devices().stream().map(JobDevice::osName).toList());
                }
                return null;
            });

    @Test
    void aDeviceThatLeavesIsNoResourceAnyMoreWhenRanksAreToldOfTheUpdate() {
        FabricValues values = new FabricValues(loop, pmix, job(1, 2), 0, PodValues.UNKNOWN, map -> {});
        loop.execute(() -> values.changed(new JobFabricUpdate.Updated(job(2, 1), new byte[0])));
        loop.run();
        assertThat(calls)
                .containsExactly(
                        "event " + PmixStatus.PMIX_FABRIC_UPDATE_PENDING,
                        "registerResources [mlx5_0]",
                        "registerJob [mlx5_0]",
                        "event " + PmixStatus.PMIX_FABRIC_UPDATED);
    }

    @Test
    void ranksAreToldNothingWhereAGenerationHasChangedOtherPartsOfTheFabric() {
        List<JobMap> renewed = new ArrayList<>();
        FabricValues values = new FabricValues(loop, pmix, job(1, 2), 0, PodValues.UNKNOWN, renewed::add);
        values.changed(new JobFabricUpdate.Pending());
        values.changed(new JobFabricUpdate.Updated(job(2, 2), new byte[0]));
        assertThat(calls).isEmpty();
        assertThat(renewed)
                .extracting(map -> Objects.requireNonNull(map.fabric()).generation())
                .containsExactly(2L);
    }

    @Test
    void newsOfAnotherFabricThanTheDefaultOneNameThatFabric() {
        FabricValues values = new FabricValues(loop, pmix, onEthernet(1), 0, PodValues.UNKNOWN, map -> {});
        loop.execute(() -> values.changed(new JobFabricUpdate.Updated(onEthernet(2), new byte[0])));
        loop.run();
        assertThat(calls)
                .containsExactly(
                        "event " + PmixStatus.PMIX_FABRIC_UPDATE_PENDING + " of 5",
                        "registerResources [mlx5_0, eth0]",
                        "registerJob [mlx5_0, eth0]",
                        "event " + PmixStatus.PMIX_FABRIC_UPDATED + " of 5");
    }

    private static JobMap onEthernet(int position) {
        JobMap map = job(1, 1);
        JobPod pod = map.pods().getFirst();
        JobDevice own = new JobDevice(
                "ipv4://a",
                "eth0",
                4,
                List.of(),
                1,
                0,
                "0",
                null,
                new int[] {position},
                new int[0],
                0,
                0,
                null,
                0,
                true);
        JobPod with = new JobPod(
                pod.name(),
                pod.host(),
                0,
                0,
                1,
                pod.address(),
                1,
                "0",
                List.of(pod.devices().getFirst(), own));
        JobFabric ethernet = new JobFabric(
                "eth",
                null,
                "eth",
                5,
                position,
                List.of(new JobFabric.Plane("0", 1, new int[] {4}, "4")),
                List.of(),
                "",
                1,
                new short[1],
                Map.of());
        return new JobMap(map.nspace(), 0, map.key(), map.apps(), List.of(with), map.fabric(), List.of(ethernet));
    }

    @Test
    void valuesAreReplacedAlsoWhereTheLibraryNeverSaysThatProcessesHaveHeardOfTheUpdate() {
        answers = false;
        FabricValues values = new FabricValues(loop, pmix, job(1, 2), 0, PodValues.UNKNOWN, map -> {});
        loop.execute(() -> values.changed(new JobFabricUpdate.Updated(job(2, 1), new byte[0])));
        loop.run();
        assertThat(calls)
                .containsExactly(
                        "event " + PmixStatus.PMIX_FABRIC_UPDATE_PENDING,
                        "registerResources [mlx5_0]",
                        "registerJob [mlx5_0]",
                        "event " + PmixStatus.PMIX_FABRIC_UPDATED);
    }

    @Test
    void ranksAreToldOfAnotherWayAndNotThatOneHasBecomeKnown() {
        List<JobMap> renewed = new ArrayList<>();
        FabricValues values = new FabricValues(loop, pmix, job(1, 1), 0, PodValues.UNKNOWN, renewed::add);
        loop.execute(() -> values.changed(new JobFabricUpdate.Updated(job(1, 1, "01"), new byte[0])));
        // A server that does not know them.
        loop.execute(() -> values.changed(new JobFabricUpdate.Updated(job(1, 1), new byte[0])));
        loop.execute(() -> values.changed(new JobFabricUpdate.Updated(job(1, 1, "02"), new byte[0])));
        loop.run();
        assertThat(calls)
                .containsExactly(
                        "event " + PmixStatus.PMIX_FABRIC_UPDATE_PENDING,
                        "registerResources [mlx5_0]",
                        "registerJob [mlx5_0]",
                        "event " + PmixStatus.PMIX_FABRIC_UPDATED + " by other routes");
        assertThat(renewed).extracting(JobMap::knownRoutes).containsExactly("3:01", "3:01", "3:02");
    }

    @Test
    void ranksAreToldOnceThatALinkOfTheirPodIsImpairedAndOnceThatItIsOver() {
        FabricValues values = new FabricValues(loop, pmix, job(1, 2), 0, PodValues.UNKNOWN, map -> {});
        values.changed(impaired());
        values.changed(impaired("fab://1 40 symbol errors", "other pod fab://0 hot"));
        values.changed(impaired("fab://1 50 symbol errors", "fab://1 hot"));
        values.changed(impaired("fab://0 hot"));
        values.changed(impaired());
        values.changed(impaired());
        assertThat(calls)
                .containsExactly(
                        "-3001 of fab://1 to 1 from 0: 40 symbol errors",
                        "-3002 of fab://1 to 1 from 0: is over: 50 symbol errors",
                        "-3001 of fab://0 to 1 from 0: hot",
                        "-3002 of fab://0 to 1 from 0: is over: hot");
    }

    /** @param devices id and what is said, before that "other pod " for one of another */
    private static JobFabricUpdate impaired(String... devices) {
        return new JobFabricUpdate.Impaired(Stream.of(devices)
                .map(device -> {
                    String[] parts = device.replace("other pod ", "").split(" ", 2);
                    return new JobFabricUpdate.ImpairedDevice(device.startsWith("other") ? 1 : 0, parts[0], parts[1]);
                })
                .toList());
    }

    private static JobMap job(long generation, int devices) {
        return job(generation, devices, null);
    }

    private static JobMap job(long generation, int devices, @Nullable String routes) {
        List<JobDevice> all = IntStream.range(0, devices)
                .mapToObj(i -> new JobDevice(
                        "fab://" + i,
                        "mlx5_" + i,
                        8,
                        List.of(),
                        i,
                        "plane-0",
                        null,
                        new int[0],
                        new int[0],
                        0,
                        0,
                        null))
                .toList();
        JobFabric fabric = new JobFabric(
                "fabric",
                null,
                "fabric",
                3,
                generation,
                List.of(new JobFabric.Plane("plane-0", 0, new int[0], "")),
                List.of(),
                "",
                devices,
                new short[devices * devices],
                Map.of(),
                routes,
                JobFabric.Levels.NONE,
                null);
        JobPod pod = new JobPod("job-0", "host-0", 0, 0, 1, new byte[4], 1, "0", all);
        return new JobMap("default.job-0123abcd-0", 0, new byte[32], List.of(APP), List.of(pod), fabric);
    }
}
