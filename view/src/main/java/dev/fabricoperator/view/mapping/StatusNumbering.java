/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import dev.fabricoperator.crds.CoordinateStatus;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitchStatus;
import dev.fabricoperator.crds.ViewName;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.numbering.Numbering;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The {@link Numbering} of a fabric as statuses keep it: what {@link FabricMapper} wrote, read back. */
public final class StatusNumbering {
    private StatusNumbering() {}

    /**
     * @param status of the Fabric; {@code null}: nobody has seen it before
     * @param planeNames {@code spec.planes}
     * @param members devices of the fabric; those whose status names another are new to it
     * @param switches of the fabric and others
     */
    public static Numbering of(
            String fabric,
            @Nullable FabricStatus status,
            List<String> planeNames,
            Collection<? extends FabricMember> members,
            Collection<? extends SwitchStatement> switches,
            EndClaims claims) {
        if (status == null || status.kind() == null) {
            return Numbering.NONE;
        }
        Map<PortPeer, Numbering.OfDevice> devices = HashMap.newHashMap(members.size());
        for (FabricMember member : members) {
            FabricDeviceStatus place = member.status();
            if (place != null && fabric.equals(place.fabric()) && place.plane() != null) {
                devices.put(
                        new PortPeer(claims.endId(member), member.port()),
                        new Numbering.OfDevice(
                                planeId(place.plane(), planeNames),
                                place.group(),
                                CoordinateStatus.values(place.coordinates(), ViewName.logical)));
            }
        }
        Map<String, Numbering.OfSwitch> placed = new HashMap<>();
        for (SwitchStatement object : switches) {
            FabricSwitchStatus place = object.status();
            if (place != null && fabric.equals(place.fabric())) {
                placed.put(
                        object.switchId(),
                        new Numbering.OfSwitch(
                                place.group(), CoordinateStatus.values(place.coordinates(), ViewName.logical)));
            }
        }
        return new Numbering(status.kind().name(), placed, devices);
    }

    /** The id that a model gave to a plane, for the name that a person gave to it. */
    private static String planeId(String name, List<String> planeNames) {
        int number = planeNames.indexOf(name);
        return number < 0 ? name : Integer.toString(number);
    }
}
