/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.topology.Components;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The connected parts of all switches, by number, the largest first, and which device is in which. */
public final class SwitchParts {
    private final List<Components.Part> parts;
    private final Map<PortPeer, Integer> partOfEnd = new HashMap<>();
    private final Map<String, Integer> partOfSwitch = new HashMap<>();
    private final EndClaims claims;

    /** @param switches merged, one per id */
    public SwitchParts(Collection<Switch> switches, EndClaims claims) {
        this.claims = claims;
        this.parts = Components.parts(switches);
        for (int number = 0; number < parts.size(); number++) {
            for (PortPeer end : parts.get(number).ends()) {
                partOfEnd.put(end, number);
            }
            for (String id : parts.get(number).switches()) {
                partOfSwitch.put(id, number);
            }
        }
    }

    public int count() {
        return parts.size();
    }

    public Components.Part part(int number) {
        return parts.get(number);
    }

    /** The part that a cable ties the device to, {@code null} where no source shows one. */
    public @Nullable Integer partOf(FabricMember device) {
        return claims.holds(device) ? partOfEnd.get(EndClaims.end(device)) : null;
    }

    /** {@code null} for an id that is no switch. */
    public @Nullable Integer partOfSwitch(String id) {
        return partOfSwitch.get(id);
    }
}
