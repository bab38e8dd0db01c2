/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.DeviceSelector;
import dev.fabricoperator.crds.DeviceSelectorBuilder;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.fabric.topology.PlaneParts;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.model.ClusterModel.NewFabric;
import dev.fabricoperator.view.mapping.ObjectNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which device belongs to which Fabric.
 *
 * <p>For each device the first of these that answers:
 *
 * <ol>
 *   <li>The Fabric that it is in, while that exists and does not exclude it. A Fabric that the operator made gives way to a
 *       person's selector.
 *   <li>A person's Fabric whose selector selects it; highest priority, then lowest index.
 *   <li>Connectedness: the Fabric of most devices that its cable leads to; else that of the other planes of its network
 *       ({@link PlaneParts}); else one that names the source of those cables.
 *   <li>For a device that no source shows cabled: a Fabric that the operator made for its subnet (InfiniBand) or family,
 *       vendor and subnet (others), rather the one of its node's other devices.
 *   <li>A Fabric without devices that waits for such: made for them by the operator, or left open by a person.
 *   <li>A new one: for each network, a connected part or planes, that holds such devices, largest first, then for each subnet, or family, vendor
 *       and subnet.
 * </ol>
 *
 * Devices beyond {@link NodeLimits} are in none.
 *
 * Time O(d * p + s * f) for d devices, p Fabrics of persons, f Fabrics, and s kinds of devices (family, vendor and subnet) that are in none yet.
 */
final class Membership {
    private static final Comparator<DeviceFacts> ORDER = Comparator.comparing(DeviceFacts::hostname)
            .thenComparing(DeviceFacts::endId)
            .thenComparingInt(DeviceFacts::port)
            .thenComparing(DeviceFacts::name);

    private static final int MAXIMUM_CRITERIA = 16;

    private final Inventory inventory;
    private final ConnectedParts parts;
    private final Candidates candidates;
    private final Map<String, FabricFacts> fabrics = new LinkedHashMap<>();
    private final List<FabricFacts> ofPersons;
    /** Those that no device is in, in the same order: there may be as many Fabrics as there are subnets. */
    private final Map<String, FabricFacts> vacant = new LinkedHashMap<>();

    private final Map<String, String> fabricOf = new HashMap<>();
    private final List<NewFabric> created = new ArrayList<>();
    private final Map<String, RuntimeException> defects;
    private final Map<String, RuntimeException> deviceDefects = new TreeMap<>();
    private final Map<String, LeftOut> leftOut = new HashMap<>();
    /** Fabrics that the operator made for devices of one node alone, by label of the node; {@code null} until it is asked. */
    private @Nullable Map<String, Integer> madeForOneNode;

    private int madeByOperator;
    private FabricNumbers numbers;

    /** Why a device that would be in a Fabric is in none. */
    enum LeftOut {
        /** Its node has more devices than count. */
        DeviceOfNode,
        /** It needs a Fabric of its own, and its node has had as many as one node gets. */
        FabricOfNode,
        /** The same, and there are as many Fabrics as are made without a person. */
        Fabric
    }

    /**
     * What came out.
     *
     * @param fabricOf name of the Fabric by device, of Fabrics that exist
     * @param created Fabrics that the other devices need
     * @param numbers free ones when the created Fabrics have their names
     * @param deviceDefects by device that is in no Fabric, what deciding about it has met
     * @param leftOut by device, why it is in no Fabric
     */
    record Result(
            Map<String, String> fabricOf,
            List<NewFabric> created,
            FabricNumbers numbers,
            Map<String, RuntimeException> deviceDefects,
            Map<String, LeftOut> leftOut) {}

    private Membership(
            Inventory inventory, ConnectedParts parts, FabricNumbers numbers, Map<String, RuntimeException> defects) {
        this.inventory = inventory;
        this.parts = parts;
        this.numbers = numbers;
        this.defects = defects;
        this.candidates = new Candidates(inventory.devices(), inventory.fleet().nodes());
        inventory.fabrics().stream()
                .filter(f -> !f.deleting())
                .sorted(Comparator.comparingInt((FabricFacts f) -> -f.priority())
                        .thenComparingInt(Membership::index)
                        .thenComparingInt(f -> f.name().length())
                        .thenComparing(FabricFacts::name))
                .forEach(f -> fabrics.put(f.name(), f));
        madeByOperator = (int)
                inventory.fabrics().stream().filter(FabricFacts::autoCreated).count();
        vacant.putAll(fabrics);
        ofPersons = fabrics.values().stream().filter(f -> !f.autoCreated()).toList();
    }

    /**
     * @param present name of the Fabric that a device is in now, by device
     * @param numbers numbers for new Fabrics
     * @param defects by Fabric, what asking about it has met; more are added. No device joins such a Fabric, and none leaves it
     */
    static Result decide(
            Inventory inventory,
            ConnectedParts parts,
            Function<DeviceFacts, @Nullable String> present,
            FabricNumbers numbers,
            Map<String, RuntimeException> defects) {
        Membership membership = new Membership(inventory, parts, numbers, defects);
        membership.decide(present);
        Set<String> created = membership.created.stream().map(NewFabric::name).collect(Collectors.toSet());
        membership.fabricOf.values().removeAll(created);
        return new Result(
                membership.fabricOf,
                membership.created,
                membership.numbers,
                membership.deviceDefects,
                membership.leftOut);
    }

    /** What a question about a Fabric meets is that Fabric's defect, and the answer is {@code otherwise}. */
    private boolean ask(FabricFacts fabric, boolean otherwise, BooleanSupplier question) {
        if (defects.containsKey(fabric.name())) {
            return otherwise;
        }
        try {
            return question.getAsBoolean();
        } catch (RuntimeException e) {
            defects.put(fabric.name(), e);
            return otherwise;
        }
    }

    private void decide(Function<DeviceFacts, @Nullable String> present) {
        List<DeviceFacts> open = new ArrayList<>();
        NodeLimits limits = new NodeLimits(inventory.devices(), device -> fabrics.containsKey(present.apply(device)));
        for (DeviceFacts device : inventory.devices()) {
            if (limits.isBeyond(device)) {
                leftOut.put(device.name(), LeftOut.DeviceOfNode);
                continue;
            }
            String now = present.apply(device);
            try {
                if (!candidates.mayBelongToAny(device)) {
                    continue;
                }
            } catch (RuntimeException e) {
                // The device's own defect: that of the Fabric that it is in, which it does not leave.
                if (now != null && fabrics.containsKey(now)) {
                    defects.putIfAbsent(now, e);
                    join(device, now);
                } else {
                    deviceDefects.put(device.name(), e);
                }
                continue;
            }
            String fabric = keptOrSelected(device, now);
            if (fabric != null) {
                join(device, fabric);
            } else {
                open.add(device);
            }
        }
        if (!open.isEmpty()) {
            // Who is kept or selected does not depend on the order; who joins others, and what is created, does.
            open.sort(ORDER);
            open = assignCabled(open);
            open = assignUncabled(open);
            createFor(open);
        }
    }

    private void join(DeviceFacts device, String fabric) {
        fabricOf.put(device.name(), fabric);
        vacant.remove(fabric);
    }

    private @Nullable String keptOrSelected(DeviceFacts device, @Nullable String present) {
        FabricFacts in = present == null ? null : fabrics.get(present);
        FabricFacts kept =
                in != null && ask(in, true, () -> mayHold(in, device) && candidates.mayStayIn(device, in)) ? in : null;
        if (kept != null && (!kept.autoCreated() || defects.containsKey(kept.name()))) {
            return kept.name();
        }
        for (FabricFacts fabric : ofPersons) {
            if (ask(
                    fabric,
                    false,
                    () -> candidates.mayBelongTo(device, fabric) && selection(fabric, device) == Selection.Yes)) {
                return fabric.name();
            }
        }
        return kept == null ? null : kept.name();
    }

    /** No Fabric that is made for devices is of two families, however alike their parts of the map are. */
    private record Network(int firstPart, Family family) implements Comparable<Network> {
        @Override
        public int compareTo(Network other) {
            int order = Integer.compare(firstPart, other.firstPart);
            return order != 0 ? order : family.compareTo(other.family);
        }
    }

    /**
     * Devices of one connected part go together, and to the Fabric of the other planes of their network where none is in that part; except
     * to a Fabric that excludes them.
     */
    private List<DeviceFacts> assignCabled(List<DeviceFacts> open) {
        Map<Network, List<DeviceFacts>> byNetwork = new TreeMap<>();
        List<DeviceFacts> rest = new ArrayList<>();
        for (DeviceFacts device : open) {
            Integer part = parts.partOf(device);
            if (part == null) {
                rest.add(device);
            } else {
                byNetwork
                        .computeIfAbsent(
                                new Network(parts.firstOfNetwork(part), device.family()), p -> new ArrayList<>())
                        .add(device);
            }
        }
        if (byNetwork.isEmpty()) {
            return rest;
        }
        Map<Integer, Map<String, Integer>> members = membersByPart();
        Map<Integer, Map<String, Integer>> ofNetworks = new HashMap<>();
        members.forEach((part, counts) -> counts.forEach((fabric, count) -> ofNetworks
                .computeIfAbsent(parts.firstOfNetwork(part), n -> new HashMap<>())
                .merge(fabric, count, Integer::sum)));
        byNetwork.forEach((network, devices) -> {
            Map<Integer, List<String>> preferred = new HashMap<>();
            List<DeviceFacts> left = new ArrayList<>();
            for (DeviceFacts device : devices) {
                Integer part = Objects.requireNonNull(parts.partOf(device));
                String fabric = firstThatMayHold(
                        device,
                        preferred.computeIfAbsent(
                                part,
                                p -> preferred(
                                        p,
                                        members.getOrDefault(p, Map.of()),
                                        ofNetworks.getOrDefault(network.firstPart(), Map.of()))));
                if (fabric != null) {
                    join(device, fabric);
                } else if (candidates.deservesFabric(device, true)) {
                    left.add(device);
                }
            }
            if (!left.isEmpty()) {
                place(left, left.getFirst().family(), subnetsOfAll(left));
            }
        });
        return rest;
    }

    /**
     * Fabrics for the devices of a part, best first.
     *
     * @param members by Fabric, how many devices of it the part holds
     * @param ofNetwork the same of all planes of its network
     */
    private List<String> preferred(int part, Map<String, Integer> members, Map<String, Integer> ofNetwork) {
        List<String> order = new ArrayList<>(fabrics.keySet());
        List<String> preferred = new ArrayList<>();
        for (Map<String, Integer> counts : List.of(members, ofNetwork)) {
            counts.entrySet().stream()
                    .sorted(Comparator.comparingInt((Map.Entry<String, Integer> e) -> -e.getValue())
                            .thenComparingInt(e -> order.indexOf(e.getKey())))
                    .forEach(e -> preferred.add(e.getKey()));
        }
        fabrics.values().stream()
                .filter(f -> !f.autoCreated() && parts.namesSourceOf(f, part))
                .forEach(f -> preferred.add(f.name()));
        return preferred;
    }

    /** By connected part, how many devices of each Fabric it holds. */
    private Map<Integer, Map<String, Integer>> membersByPart() {
        Map<Integer, Map<String, Integer>> members = new HashMap<>();
        for (DeviceFacts device : inventory.devices()) {
            Integer part = parts.partOf(device);
            String fabric = fabricOf.get(device.name());
            if (part != null && fabric != null) {
                members.computeIfAbsent(part, p -> new HashMap<>()).merge(fabric, 1, Integer::sum);
            }
        }
        return members;
    }

    private List<DeviceFacts> assignUncabled(List<DeviceFacts> open) {
        Map<String, List<String>> ofNode = new HashMap<>();
        for (DeviceFacts device : inventory.devices()) {
            String fabric = fabricOf.get(device.name());
            if (fabric != null) {
                ofNode.computeIfAbsent(device.nodeName(), n -> new ArrayList<>())
                        .add(fabric);
            }
        }
        Set<String> made = new LinkedHashSet<>();
        boolean byLabels = false;
        for (FabricFacts fabric : inOrderOfIndex()) {
            DeviceSelector selector = fabric.spec().selector();
            if (fabric.autoCreated() && selector != null) {
                made.add(fabric.name());
                byLabels |= selector.matchLabels() != null;
            }
        }
        boolean withLabels = byLabels;
        Map<SelectedBy, Optional<String>> first = new HashMap<>();
        List<DeviceFacts> rest = new ArrayList<>();
        for (DeviceFacts device : open) {
            if (!candidates.deservesFabric(device, false)) {
                continue;
            }
            String fabric = ofNode.getOrDefault(device.nodeName(), List.of()).stream()
                    .filter(name -> made.contains(name) && selects(name, device))
                    .findFirst()
                    .or(() -> first.computeIfAbsent(
                            SelectedBy.of(device, withLabels),
                            kind -> made.stream()
                                    .filter(name -> selects(name, device))
                                    .findFirst()))
                    .orElse(null);
            if (fabric != null) {
                join(device, fabric);
            } else {
                rest.add(device);
            }
        }
        return rest;
    }

    /**
     * All that Fabrics of the operator ask of a device: they would be asked about each of thousands of devices, and there may be as
     * many as there are subnets.
     *
     * @param node empty where no Fabric asks for a node's labels
     */
    private record SelectedBy(
            Family family,
            DeviceType type,
            Role role,
            @Nullable String vendor,
            List<String> subnets,
            String node) {
        static SelectedBy of(DeviceFacts device, boolean byLabels) {
            return new SelectedBy(
                    device.family(),
                    device.type(),
                    device.role(),
                    device.vendor(),
                    device.subnets(),
                    byLabels ? device.nodeName() : "");
        }
    }

    private List<FabricFacts> inOrderOfIndex() {
        return fabrics.values().stream()
                .sorted(Comparator.comparingInt(Membership::index).thenComparing(FabricFacts::name))
                .toList();
    }

    private void createFor(List<DeviceFacts> open) {
        Map<String, List<DeviceFacts>> groups = new TreeMap<>();
        for (DeviceFacts device : open) {
            groups.computeIfAbsent(group(device), g -> new ArrayList<>()).add(device);
        }
        groups.values().stream()
                .sorted(Comparator.comparing(
                                (List<DeviceFacts> g) -> g.getFirst().family())
                        .thenComparing(g -> -g.size())
                        .thenComparing(g -> g.getFirst().name()))
                .forEach(g -> place(g, g.getFirst().family(), subnetsOfAll(g)));
    }

    private static String group(DeviceFacts device) {
        String subnet = String.join(",", device.subnets());
        return isSubnetManaged(device.family())
                ? device.family() + " " + subnet
                : device.family() + " " + device.vendor() + " " + subnet;
    }

    private static boolean isSubnetManaged(Family family) {
        return family == Family.InfiniBand || family == Family.OmniPath;
    }

    /** Into a Fabric that waits for such devices, else into a new one, unless there are too many. */
    private void place(List<DeviceFacts> devices, Family family, List<String> subnets) {
        String waiting = vacant.values().stream()
                .filter(f -> ask(
                        f,
                        false,
                        () -> waitsFor(f, devices) && devices.stream().allMatch(d -> candidates.mayBelongTo(d, f))))
                .map(FabricFacts::name)
                .findFirst()
                .orElse(null);
        LeftOut why = waiting == null ? whyNone(devices) : null;
        if (why != null) {
            devices.forEach(device -> leftOut.put(device.name(), why));
            return;
        }
        String name = waiting == null ? create(devices, family, subnets) : waiting;
        devices.forEach(device -> join(device, name));
    }

    /** Why these get no Fabric of their own, {@code null} where they do; it is counted then. */
    private @Nullable LeftOut whyNone(List<DeviceFacts> devices) {
        String node = onlyNode(devices);
        if (madeByOperator >= NodeLimits.FABRICS - (node == null ? 0 : NodeLimits.SHARED_FABRICS)) {
            return LeftOut.Fabric;
        }
        if (node != null) {
            if (madeForOneNode == null) {
                madeForOneNode = madeForOneNode();
            }
            if (madeForOneNode.getOrDefault(node, 0) >= NodeLimits.FABRICS_OF_NODE) {
                return LeftOut.FabricOfNode;
            }
            madeForOneNode.merge(node, 1, Integer::sum);
        }
        madeByOperator++;
        return null;
    }

    /** Label of the node that has all of them, {@code null} where several have. */
    private static @Nullable String onlyNode(List<DeviceFacts> devices) {
        String node = devices.getFirst().nodeName();
        return devices.stream().allMatch(device -> device.nodeName().equals(node)) ? ObjectNames.label(node) : null;
    }

    /** Also those that its devices have left: else it could have others made for devices that come and go. */
    private Map<String, Integer> madeForOneNode() {
        Map<String, Optional<String>> only = new HashMap<>();
        for (DeviceFacts device : inventory.devices()) {
            FabricFacts fabric = fabrics.get(fabricOf.get(device.name()));
            if (fabric != null && fabric.autoCreated()) {
                only.merge(
                        fabric.name(),
                        Optional.of(ObjectNames.label(device.nodeName())),
                        (one, other) -> one.equals(other) ? one : Optional.empty());
            }
        }
        for (FabricFacts fabric : fabrics.values()) {
            if (fabric.autoCreated() && fabric.madeForNode() != null) {
                only.putIfAbsent(fabric.name(), Optional.of(fabric.madeForNode()));
            }
        }
        Map<String, Integer> counts = new HashMap<>();
        only.values().forEach(node -> node.ifPresent(name -> counts.merge(name, 1, Integer::sum)));
        return counts;
    }

    /**
     * Whether a Fabric that has no device is there for these: made by the operator for such devices (a moment ago, or before
     * they all went away), or left open by a person.
     */
    private boolean waitsFor(FabricFacts fabric, List<DeviceFacts> devices) {
        return fabric.autoCreated()
                ? devices.stream().allMatch(d -> selection(fabric, d) != Selection.No)
                : Selection.isEmpty(fabric.spec().selector())
                        && fabric.spec().sources().isEmpty();
    }

    private String create(List<DeviceFacts> devices, Family family, List<String> subnets) {
        String prefix = family.name().toLowerCase(Locale.ROOT);
        String name = prefix + "-" + numbers.number(prefix, 0);
        numbers = numbers.withNumberGiven(prefix);
        DeviceSelectorBuilder selector =
                DeviceSelectorBuilder.builder().families(List.of(family)).subnetPrefixes(subnets);
        List<String> vendors = devices.stream()
                .flatMap(d -> Optional.ofNullable(d.vendor()).stream())
                .distinct()
                .sorted()
                .toList();
        if (!isSubnetManaged(family)) {
            selector.vendors(vendors);
        }
        NewFabric fabric = new NewFabric(
                name,
                FabricSpecBuilder.builder().selector(bounded(selector.build())).build(),
                onlyNode(devices));
        created.add(fabric);
        fabrics.put(
                name,
                new FabricFacts(
                        name, "", "", 0, true, false, null, "", Set.of(), fabric.spec(), null, fabric.madeForNode()));
        return name;
    }

    /** A selector holds at most 16 of each; a criterion that would not hold all of them is left out. */
    private static DeviceSelector bounded(DeviceSelector selector) {
        return new DeviceSelector(
                selector.vendors().size() > MAXIMUM_CRITERIA ? List.of() : selector.vendors(),
                selector.families(),
                selector.subnetPrefixes().size() > MAXIMUM_CRITERIA ? List.of() : selector.subnetPrefixes(),
                selector.matchLabels());
    }

    private static List<String> subnetsOfAll(List<DeviceFacts> devices) {
        return devices.stream()
                .flatMap(d -> d.subnets().stream())
                .distinct()
                .sorted()
                .toList();
    }

    private @Nullable String firstThatMayHold(DeviceFacts device, List<String> preferred) {
        return preferred.stream()
                .filter(name -> {
                    FabricFacts fabric = fabrics.get(name);
                    return fabric != null
                            && ask(
                                    fabric,
                                    false,
                                    () -> mayHold(fabric, device) && candidates.mayBelongTo(device, fabric));
                })
                .findFirst()
                .orElse(null);
    }

    private boolean selects(String name, DeviceFacts device) {
        FabricFacts fabric = fabrics.get(name);
        return fabric != null
                && ask(
                        fabric,
                        false,
                        () -> selection(fabric, device) != Selection.No && candidates.mayBelongTo(device, fabric));
    }

    /**
     * Whether nothing excludes the device. Vendors and subnets of a Fabric that the operator made are there for devices to
     * join it by; a device that history or a cable puts there does not leave because a subnet manager was given a new
     * prefix.
     */
    private boolean mayHold(FabricFacts fabric, DeviceFacts device) {
        DeviceSelector selector = fabric.spec().selector();
        if (fabric.autoCreated() && selector != null) {
            selector = new DeviceSelector(List.of(), selector.families(), List.of(), selector.matchLabels());
        }
        return Selection.of(selector, device, inventory.fleet().nodes()) != Selection.No;
    }

    private Selection selection(FabricFacts fabric, DeviceFacts device) {
        return Selection.of(fabric.spec().selector(), device, inventory.fleet().nodes());
    }

    private static int index(FabricFacts fabric) {
        Integer index = fabric.status() == null ? null : fabric.status().index();
        return index == null ? Integer.MAX_VALUE : index;
    }
}
