/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.testdata;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.AdapterPort;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What every topology source must yield: sorted, unique ids, ports in order, cables to nodes that are described. */
public final class CablingContract {
    private CablingContract() {}

    public static void assertHolds(Cabling cabling) {
        List<String> switches = cabling.switches().stream().map(Switch::id).toList();
        List<String> adapters = cabling.adapters().stream().map(Adapter::id).toList();
        assertThat(switches).isSorted().doesNotHaveDuplicates().allMatch(CablingContract::isId);
        assertThat(adapters).isSorted().doesNotHaveDuplicates().doesNotContainAnyElementsOf(switches);
        Set<String> known = new TreeSet<>(switches);
        known.addAll(adapters);
        for (Switch node : cabling.switches()) {
            assertThat(node.source()).isEqualTo(cabling.source());
            List<Integer> numbers = new ArrayList<>();
            for (SwitchPort port : node.ports()) {
                numbers.add(port.number());
                assertPort(port.peer(), known, port.lid(), port.speedBitsPerSecond(), port.width());
            }
            assertThat(numbers).isSorted().doesNotHaveDuplicates().allMatch(n -> n > 0);
        }
        for (Adapter node : cabling.adapters()) {
            List<Integer> numbers = new ArrayList<>();
            for (AdapterPort port : node.ports()) {
                numbers.add(port.number());
                assertPort(port.peer(), known, port.lid(), port.speedBitsPerSecond(), port.width());
            }
            assertThat(numbers).isSorted().doesNotHaveDuplicates();
            assertThat(node.hostname()).isNotEqualTo("");
        }
    }

    private static boolean isId(String id) {
        return !id.isBlank() && id.equals(id.strip());
    }

    private static void assertPort(
            @Nullable PortPeer peer,
            Set<String> known,
            @Nullable Integer lid,
            @Nullable Long speed,
            @Nullable Integer width) {
        boolean holds = (peer == null || known.contains(peer.id()))
                && (lid == null || lid > 0 && lid <= 0xbfff)
                && (speed == null || speed > 0)
                && (width == null || width > 0);
        if (!holds) {
            throw new AssertionError("the contract is broken at " + peer);
        }
    }
}
