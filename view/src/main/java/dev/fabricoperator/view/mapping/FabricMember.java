/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpec;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.Purpose;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.fabric.topology.HostEnds;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** A FabricDevice object, or what a program keeps of one: as much as its place in a fabric depends on. */
public interface FabricMember {
    /** Of the object. */
    String name();

    /** RFC 3339; settles who of two claimants was first. */
    String createdAt();

    String nodeName();

    String hostname();

    String osName();

    int port();

    /** How a cable names the device: its node GUID, else {@code host/osName}. */
    String endId();

    /** How others than agents may name the device. */
    HostNames names();

    /** What its label {@value FabricApi#LABEL_PURPOSE} says of whether its node is where it is. */
    Vertex.Use use();

    /** As it stands in the object, {@code null} before the first write. */
    @Nullable
    FabricDeviceStatus status();

    /** Whether this release knows its type and its family: a later one may have written others, which are read as {@code null}. */
    static boolean isKnown(FabricDevice device) {
        return device.getSpec().type() != null && device.getSpec().family() != null;
    }

    /**
     * What sources that know hosts go by, see {@link HostEnds}.
     *
     * @param netdev its network interface
     * @param fabricPort whether it is physical and not its administrator's
     */
    record HostNames(@Nullable String netdev, @Nullable String macAddress, Family family, boolean fabricPort) {

        public static HostNames of(FabricDeviceSpec spec) {
            boolean physical = spec.function() == null || spec.function() == Function.Physical;
            return new HostNames(
                    spec.netdev() == null ? null : spec.netdev().intern(),
                    spec.macAddress(),
                    spec.family(),
                    physical && spec.role() != Role.Management);
        }
    }

    /**
     * The switches with the cables that a host's name stands for led to its devices; the same ones where there is none.
     *
     * @param switches by id
     * @param devices all of the cluster
     */
    static SortedMap<String, Switch> withHostEnds(
            SortedMap<String, Switch> switches, Collection<? extends FabricMember> devices) {
        if (!HostEnds.areIn(switches.values())) {
            return switches;
        }
        List<HostEnds.HostDevice> known = new ArrayList<>(devices.size());
        for (FabricMember device : devices) {
            HostNames names = device.names();
            known.add(new HostEnds.HostDevice(
                    EndClaims.end(device),
                    device.hostname(),
                    device.nodeName(),
                    device.osName(),
                    names.netdev(),
                    names.macAddress(),
                    names.family(),
                    names.fabricPort()));
        }
        return HostEnds.found(switches, known);
    }

    /** What Kubernetes calls hosts, by their own names. */
    static Map<String, String> nodesByHost(Collection<? extends FabricMember> devices) {
        Map<String, String> nodes = new HashMap<>();
        for (FabricMember device : devices) {
            // An object that lacks a required field is kept as it came.
            if (device.hostname() != null && device.nodeName() != null) {
                nodes.putIfAbsent(device.hostname(), device.nodeName());
            }
        }
        return nodes;
    }

    /** A whole object as a member. */
    static FabricMember of(FabricDevice device) {
        return new WholeDevice(device);
    }

    /** How cables name the device of an object. */
    static String endId(@Nullable String nodeGuid, String hostname, String osName) {
        return nodeGuid != null ? nodeGuid : hostname + "/" + osName;
    }

    /** @param object with the little that nothing else than the object itself says */
    record WholeDevice(FabricDevice object) implements FabricMember {
        @Override
        public String name() {
            return object.getMetadata().getName();
        }

        @Override
        public String createdAt() {
            return Objects.requireNonNullElse(object.getMetadata().getCreationTimestamp(), "");
        }

        @Override
        public String nodeName() {
            return Objects.requireNonNullElse(object.getSpec().nodeName(), "");
        }

        @Override
        public String hostname() {
            String hostname = object.getSpec().hostname();
            // What is empty is not written: read again, it would be another.
            return hostname == null || hostname.isEmpty() ? nodeName() : hostname;
        }

        @Override
        public String osName() {
            return object.getSpec().osName();
        }

        @Override
        public int port() {
            return object.getSpec().port();
        }

        @Override
        public String endId() {
            return FabricMember.endId(object.getSpec().nodeGuid(), hostname(), osName());
        }

        @Override
        public HostNames names() {
            return HostNames.of(object.getSpec());
        }

        @Override
        public Vertex.Use use() {
            Map<String, String> labels = object.getMetadata().getLabels();
            String purpose = labels == null ? null : labels.get(FabricApi.LABEL_PURPOSE);
            if (purpose != null && !purpose.isEmpty()) {
                return purpose.equalsIgnoreCase(Purpose.Compute.name()) ? Vertex.Use.Compute : Vertex.Use.Other;
            }
            return Vertex.Use.Unsaid;
        }

        @Override
        public @Nullable FabricDeviceStatus status() {
            return object.getStatus();
        }
    }
}
