/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fabricoperator.fabric.traffic.LinkLoads.End;
import dev.fabricoperator.fabric.traffic.LinkLoads.Flow;
import dev.fabricoperator.fabric.traffic.LinkLoads.Load;
import dev.fabricoperator.fabric.traffic.LinkLoads.Way;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Devices 0 to 9 are at one switch, 10 to 19 at another; a device's port has its number. */
class LinkLoadsTest {
    private final List<List<Integer>> asked = new ArrayList<>();

    private LinkLoads<String> loads(long mostWays, boolean known, Flow... flows) {
        return LinkLoads.of(List.of(flows), device -> device / 10 * 10, mostWays, (from, to) -> {
            asked.add(List.of(from, to));
            if (to >= 20) {
                return new Way<>(List.of(), false, 1);
            }
            return new Way<>(
                    from / 10 == to / 10 ? List.of("to " + to) : List.of("up " + from / 10, "to " + to), known, 1);
        });
    }

    @Test
    void whatDevicesOfOneSwitchSendToAnotherDeviceIsOneWayAndItsSum() {
        LinkLoads<String> loads =
                loads(10, true, new Flow(0, 10, 3, true), new Flow(1, 10, 4, true), new Flow(1, 2, 5, true));

        assertThat(asked).containsExactly(List.of(0, 10), List.of(1, 2));
        assertThat(loads.loads())
                .containsEntry("up 0", new Load(7, true))
                .containsEntry("to 10", new Load(7, true))
                .containsEntry("to 2", new Load(5, true))
                .hasSize(3);
        assertThat(loads.leftOut()).isZero();
    }

    @Test
    void aLinkIsMeasuredOnlyWhereAllOfItIs() {
        assertThat(loads(10, true, new Flow(0, 10, 3, true), new Flow(1, 11, 4, false))
                        .loads())
                .containsEntry("up 0", new Load(7, false))
                .containsEntry("to 10", new Load(3, true));
        assertThat(loads(10, false, new Flow(0, 10, 3, true)).loads()).containsEntry("to 10", new Load(3, false));

        LinkLoads<String> counted = loads(10, false, new Flow(0, 10, 3, true));
        counted.counted("to 10", 4);
        assertThat(counted.loads()).containsEntry("to 10", new Load(4, true));
    }

    @Test
    void ofTooManyWaysThoseOfTheLargestFlowsAreFollowed() {
        LinkLoads<String> loads =
                loads(1, true, new Flow(0, 10, 3, true), new Flow(10, 1, 4, true), new Flow(0, 20, 1, true));

        assertThat(loads.loads()).containsOnlyKeys("up 1", "to 1");
        assertThat(loads.leftOut()).isEqualTo(4);
        assertThat(loads.effort()).isEqualTo(1);
    }

    @Test
    void whatHasNoWayIsOnNoLink() {
        LinkLoads<String> loads = loads(10, true, new Flow(0, 20, 3, true));

        assertThat(loads.loads()).isEmpty();
        assertThat(loads.leftOut()).isEqualTo(3);
    }

    @Test
    void sumsAreSharedOutByWhatOtherHostsReceive() {
        List<Flow> flows = LinkLoads.shareOut(
                List.of(new End(0, 0, 90, 50), new End(1, 0, 0, 50), new End(2, 1, 0, 60), new End(3, 2, 10, 30)),
                (from, to) -> true);

        assertThat(flows)
                .containsExactlyInAnyOrder(
                        new Flow(0, 2, 60, false),
                        new Flow(0, 3, 30, false),
                        new Flow(3, 0, 10 * 50 / 160.0, false),
                        new Flow(3, 1, 10 * 50 / 160.0, false),
                        new Flow(3, 2, 10 * 60 / 160.0, false));
        assertThat(flows.stream().mapToDouble(Flow::bytesPerSecond).sum()).isCloseTo(100, within(1e-9));
        assertThat(LinkLoads.shareOut(List.of(new End(0, 0, 90, 50)), (from, to) -> true))
                .isEmpty();
    }

    @Test
    void whatAPortSendsGoesOnlyToThoseThatItReaches() {
        // Two hosts with a device in each of eight planes that no cable joins.
        List<End> ends = new ArrayList<>();
        for (int device = 0; device < 16; device++) {
            ends.add(new End(device, device / 8, 100, 100));
        }

        List<Flow> flows = LinkLoads.shareOut(ends, (from, to) -> from % 8 == to % 8);
        assertThat(flows).hasSize(16).allSatisfy(flow -> {
            assertThat(flow.to() % 8).isEqualTo(flow.from() % 8);
            assertThat(flow.bytesPerSecond()).isEqualTo(100);
        });
    }

    @Test
    void aWayThatTakesMuchToFindTakesTheRoomOfMany() {
        LinkLoads<String> loads = LinkLoads.of(
                List.of(new Flow(0, 10, 3, true), new Flow(0, 11, 2, true), new Flow(0, 12, 1, true)),
                device -> device,
                500,
                (from, to) -> new Way<>(List.of("to " + to), true, 400));

        assertThat(loads.loads()).containsOnlyKeys("to 10", "to 11");
        assertThat(loads.leftOut()).isEqualTo(1);
        assertThat(loads.effort()).isEqualTo(800);
    }
}
