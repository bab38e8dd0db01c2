/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.protocol.pmix.PmixType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Two pods with a device on each of the planes "a" and "b"; devices 0 and 2 are on "a". */
class FabricDifferenceTest {
    private static final short[] COSTS = {0, 9, 4, 9, 9, 0, 9, 4, 4, 9, 0, 9, 9, 4, 9, 0};

    private int column = 1;
    private @Nullable String routes;
    private String state = "up";
    private int address = 1;
    private short[] costs = COSTS;
    private boolean lastDevice = true;
    private int devices = 4;

    private long generation = 1;

    private JobMap map() {
        List<JobPod> pods = new ArrayList<>();
        for (int pod = 0; pod < 2; pod++) {
            List<JobDevice> devices = new ArrayList<>();
            for (int plane = 0; plane < 2; plane++) {
                boolean last = pod == 1 && plane == 1;
                if (!last || lastDevice) {
                    devices.add(device(2 * pod + plane, plane == 0 ? "a" : "b", last));
                }
            }
            pods.add(new JobPod("pod-" + pod, "host", 0, pod, 1, new byte[4], 7471, "", devices));
        }
        List<JobFabric.Plane> planes = List.of(
                new JobFabric.Plane("a", 1, new int[] {2}, "2"), new JobFabric.Plane("b", 1, new int[] {2}, "2"));
        JobFabric fabric = new JobFabric(
                "ib",
                null,
                "ib",
                3,
                generation,
                planes,
                List.of(),
                "",
                devices,
                costs,
                Map.of(),
                routes,
                JobFabric.Levels.NONE,
                null);
        return new JobMap("n", 0, new byte[32], List.of(new JobApp(0, "job", 2)), pods, fabric);
    }

    /** @param last what changes here is the last device's */
    private JobDevice device(int index, String plane, boolean last) {
        return new JobDevice(
                "fab://" + index,
                "mlx5_" + index % 2,
                8,
                List.of(new DeviceAttribute("pmix.fabdev.fmwr", PmixType.STRING, last ? state : "up")),
                index,
                plane,
                "leaf",
                new int[] {0, last ? column : index},
                new int[0],
                10,
                10,
                new EndpointTemplate(
                        EndpointTemplate.Format.FI_SOCKADDR_IB, new byte[] {(byte) (last ? address : 1)}, 0, 1));
    }

    @Test
    void anotherWayIsTheDifferenceWhereTheWayBeforeWasKnown() {
        JobMap unknown = map();
        routes = "01";
        JobMap known = map();
        assertThat(FabricDifference.atMostLearnsRoutes(unknown, known)).isTrue();
        assertThat(FabricDifference.atMostLearnsRoutes(known, known)).isTrue();
        assertThat(unknown.keepingRoutesOf(known).knownRoutes()).isEqualTo("3:01");
        assertThat(FabricDifference.of(unknown, known).routesChanged()).isFalse();
        assertThat(FabricDifference.of(known, unknown).routesChanged()).isFalse();
        generation = 2;
        assertThat(FabricDifference.atMostLearnsRoutes(known, map()))
                .as("changed where the job is not")
                .isTrue();
        routes = "02";
        FabricDifference difference = FabricDifference.of(known, map());
        assertThat(difference.routesChanged()).isTrue();
        assertThat(difference.isNews()).isTrue();
        assertThat(difference.planes()).isEmpty();
        assertThat(FabricDifference.atMostLearnsRoutes(known, map())).isFalse();
        assertThat(map().keepingRoutesOf(known).knownRoutes()).isEqualTo("3:02");
        assertThat(FabricDifference.isOnlyGeneration(known, map())).isFalse();
        assertThat(FabricDifference.of(map(), map()).isNews()).isFalse();
    }

    private void assertDifference(JobMap before, boolean coordinates, boolean endpoints, String... planes) {
        FabricDifference difference = FabricDifference.of(before, map());
        assertThat(difference.index()).isEqualTo(3);
        assertThat(difference.planes()).containsExactly(planes);
        assertThat(difference.coordinatesChanged()).isEqualTo(coordinates);
        assertThat(difference.endpointsChanged()).isEqualTo(endpoints);
    }

    @Test
    void ofTheSameValuesThereIsNone() {
        assertDifference(map(), false, false);
    }

    @Test
    void aDeviceThatStandsElsewhereChangesItsPlane() {
        JobMap before = map();
        column = 7;
        assertDifference(before, true, false, "b");
    }

    @Test
    void aDeviceThatIsDescribedAnewChangesItsPlaneAndNoCoordinates() {
        JobMap before = map();
        state = "down";
        assertDifference(before, false, false, "b");
    }

    @Test
    void anotherAddressIsAnotherEndpoint() {
        JobMap before = map();
        address = 2;
        assertDifference(before, false, true);
    }

    @Test
    void costsChangeThePlaneOfTheDeviceThatTheyAreFrom() {
        JobMap before = map();
        costs = COSTS.clone();
        costs[2] = 5;
        assertDifference(before, false, false, "a");
    }

    @Test
    void aDeviceThatIsGoneChangesItsPlane() {
        JobMap before = map();
        lastDevice = false;
        assertDifference(before, false, false, "b");
    }

    @Test
    void whereTheMapsHoldOtherNumbersOfCostsAllPlanesMayHaveChanged() {
        JobMap before = map();
        costs = new short[0];
        assertDifference(before, false, false, "a", "b");
    }

    /** The other fabric's plane has the name of one of the default's. */
    @Test
    void whatChangesInAnotherFabricIsToldOfThatOne() {
        JobMap before = withEthernet(1);
        JobMap after = withEthernet(2);

        assertThat(FabricDifference.isOnlyGeneration(before, after)).isFalse();
        assertThat(FabricDifference.all(before, before)).hasSize(1);
        assertThat(FabricDifference.all(before, after))
                .satisfiesExactly(
                        first -> {
                            assertThat(first.index()).isEqualTo(3);
                            assertThat(first.planes()).isEmpty();
                            assertThat(first.coordinatesChanged()).isFalse();
                        },
                        other -> {
                            assertThat(other.index()).isEqualTo(5);
                            assertThat(other.planes()).containsExactly("a");
                            assertThat(other.coordinatesChanged()).isTrue();
                        });
        assertThat(FabricDifference.all(before, map()))
                .as("a fabric that the job has left")
                .extracting(FabricDifference::index)
                .containsExactly(3, 5);
    }

    private JobMap withEthernet(int position) {
        JobMap map = map();
        JobFabric fabric = new JobFabric(
                "eth",
                null,
                "eth",
                5,
                position,
                List.of(new JobFabric.Plane("a", 1, new int[] {9}, "9")),
                List.of(),
                "",
                1,
                new short[1],
                Map.of());
        JobDevice device = new JobDevice(
                "ipv4://a",
                "eth0",
                4,
                List.of(),
                1,
                0,
                "a",
                null,
                new int[] {position},
                new int[0],
                10,
                10,
                null,
                0,
                true);
        List<JobPod> pods = map.pods().stream()
                .map(pod -> new JobPod(
                        pod.name(),
                        pod.host(),
                        pod.app(),
                        pod.firstRank(),
                        pod.rankCount(),
                        pod.address(),
                        pod.port(),
                        pod.cpuset(),
                        Stream.concat(pod.devices().stream(), Stream.of(device)).toList()))
                .toList();
        return new JobMap("n", 0, map.key(), map.apps(), pods, map.fabric(), List.of(fabric));
    }

    /** As a pod may push it, or another pod of the job hand it on: the number is checked nowhere. */
    @Test
    void aNumberOfDevicesThatNoFabricHasTakesNoMemory() {
        JobMap before = map();
        devices = Integer.MAX_VALUE;
        costs = new short[0];
        column = 7;
        assertDifference(before, true, false, "a", "b");
    }

    @Test
    void anotherAttemptIsNotOneJob() {
        JobMap map = map();
        assertThat(FabricDifference.isOfOneJob(map, map())).isTrue();
        JobMap next = new JobMap("n", 1, map.key(), map.apps(), map.pods(), map.fabric());
        assertThat(FabricDifference.isOfOneJob(map, next)).isFalse();
        JobMap other = new JobMap("n", 0, new byte[] {1}, map.apps(), map.pods(), map.fabric());
        assertThat(FabricDifference.isOfOneJob(map, other)).isFalse();
        JobMap fewer = new JobMap("n", 0, map.key(), map.apps(), map.pods().subList(0, 1), map.fabric());
        assertThat(FabricDifference.isOfOneJob(map, fewer)).isFalse();
    }
}
