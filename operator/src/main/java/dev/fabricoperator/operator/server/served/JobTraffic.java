/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.served;

import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.operator.cluster.FabricFacts;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Which devices libraries are told of, with {@code launch: env} and {@code launch: direct} alike: those that are up and are for computing. What a person says of
 * a device goes first, then what its Fabric is for, its part in the node, and what recognition found.
 */
public final class JobTraffic {
    private final Set<String> otherFabrics;
    private final Predicate<ServedDevice> isCommon;
    private final BiPredicate<ServedDevice, ServedDevice> areApart;

    /**
     * @param fabrics all of the cluster
     * @param isCommon whether a device leads to what all nodes share, such as storage on the fabric of the computing devices
     */
    public JobTraffic(Collection<FabricFacts> fabrics, Predicate<ServedDevice> isCommon) {
        this(fabrics, isCommon, (one, other) -> false);
    }

    /** @param areApart whether nothing leads from the one to the other, as far as that is known */
    public JobTraffic(
            Collection<FabricFacts> fabrics,
            Predicate<ServedDevice> isCommon,
            BiPredicate<ServedDevice, ServedDevice> areApart) {
        this.areApart = areApart;
        this.otherFabrics = fabrics.stream()
                .filter(fabric -> !fabric.isForCompute())
                .map(FabricFacts::name)
                .collect(Collectors.toUnmodifiableSet());
        this.isCommon = isCommon;
    }

    /** Those of a cluster, by the generations that are served now. */
    static JobTraffic of(Collection<FabricFacts> fabrics, ServedFabrics served) {
        return new JobTraffic(
                fabrics, device -> isCommon(device, served), (one, other) -> areApart(one, other, served));
    }

    /**
     * Of one Fabric, both with a known cable, and no way leads from the one to the other. Of two Fabrics, or without a map, nobody knows: what is routed between subnets is in no
     * map.
     */
    private static boolean areApart(ServedDevice one, ServedDevice other, ServedFabrics served) {
        FabricDeviceStatus from = one.status();
        FabricDeviceStatus to = other.status();
        if (from == null
                || to == null
                || from.fabric() == null
                || !from.fabric().equals(to.fabric())) {
            return false;
        }
        ServedFabric fabric = served.get(from.fabric());
        Integer here = from.index();
        Integer there = to.index();
        return fabric != null
                && here != null
                && there != null
                && fabric.model().isUsed(here)
                && fabric.model().isUsed(there)
                && fabric.cost().edgeSwitchOf(here) >= 0
                && fabric.cost().edgeSwitchOf(there) >= 0
                && fabric.cost().cost(here, there) == CostMatrix.UNREACHABLE;
    }

    /** Whether each of these devices of a node reaches each other one, as far as that is known. O(devices squared). */
    public boolean meet(List<ServedDevice> devices) {
        return devices.stream().noneMatch(one -> devices.stream().anyMatch(other -> areApart.test(one, other)));
    }

    private static boolean isCommon(ServedDevice device, ServedFabrics served) {
        FabricDeviceStatus status = device.status();
        ServedFabric fabric = status == null || status.fabric() == null ? null : served.get(status.fabric());
        Integer slot = status == null ? null : status.index();
        return fabric != null
                && slot != null
                && fabric.model().isUsed(slot)
                && !fabric.model()
                        .classification()
                        .tellsPlace(fabric.model().topology().endOfSlot(slot));
    }

    /** O(1). */
    public boolean isOn(ServedDevice served) {
        Device device = served.device();
        String fabric = served.status() == null ? null : served.status().fabric();
        return device.state() == PortState.Active
                // Software is in a Fabric only where a person's selector says so, and is no way for MPI by itself.
                && (device.function() != Function.Software || fabric != null)
                && switch (served.use()) {
                    case Compute -> true;
                    case Other -> false;
                    case Unsaid ->
                        device.role() != Role.Management
                                && (fabric == null || !otherFabrics.contains(fabric))
                                && !isCommon.test(served);
                };
    }
}
