/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.DeviceSelector;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricDeviceStatusBuilder;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.crds.FabricSwitchStatus;
import dev.fabricoperator.crds.FabricSwitchStatusBuilder;
import dev.fabricoperator.crds.PortRef;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cost.Weights;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.model.ModelOptions;
import dev.fabricoperator.fabric.numbering.Numbering;
import dev.fabricoperator.fabric.topology.Vertex;
import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.SourceNames;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.operator.model.ClusterModel.DevicePlan;
import dev.fabricoperator.operator.model.ClusterModel.MissingFabrics;
import dev.fabricoperator.operator.model.ClusterModel.SwitchPlan;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.view.mapping.Damping;
import dev.fabricoperator.view.mapping.Drains;
import dev.fabricoperator.view.mapping.EndClaims;
import dev.fabricoperator.view.mapping.FabricAssembly;
import dev.fabricoperator.view.mapping.FabricMapper;
import dev.fabricoperator.view.mapping.FabricMember;
import dev.fabricoperator.view.mapping.StatusNumbering;
import dev.fabricoperator.view.mapping.SwitchMerge;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * From an inventory to a model.
 *
 * <p>The result depends on the inventory, on the model before (what this process has decided and the objects need not
 * show yet) and on the clock for transition times; nothing is read or written. After a restart there is no model before:
 * then the statuses in the inventory are the history.
 *
 * <p>Cost: everything but the topologies is a few passes over the inventory; a topology is computed again only if its
 * switches, cables or members changed, and then only the costs that the change touches.
 */
public final class Modeler {
    private final Inventory inventory;
    private final @Nullable ClusterModel before;
    private final Conditions conditions;
    private final SwitchMerge<SwitchFacts> map;
    private final FlapDamping.History flapHistory;
    private final Flaps flaps;
    private final EndClaims claims;
    private final ConnectedParts parts;
    private final Drains drains;
    /** Known once it is decided which device belongs to which Fabric. */
    private final Map<String, Membership.LeftOut> leftOut = new HashMap<>();

    private final DeviceConditions deviceConditions;
    /** By Fabric, what asking about it alone has met: defects of this program. */
    private final Map<String, RuntimeException> defects = new TreeMap<>();

    /** By Fabric, the sources that its spec names. */
    private final Map<String, Set<String>> sourcesOf = new HashMap<>();

    private Modeler(Inventory inventory, @Nullable ClusterModel before, Conditions conditions, FlapDamping damping) {
        this.inventory = inventory;
        this.before = before;
        this.conditions = conditions;
        Set<PortPeer> dampedBefore = new HashSet<>();
        for (FabricFacts fabric : inventory.fabrics()) {
            try {
                sourcesOf.put(
                        fabric.name(),
                        fabric.spec().sources().stream().map(SourceNames::of).collect(Collectors.toSet()));
                if (before == null && fabric.status() != null) {
                    dampedBefore.addAll(FabricAssembly.damped(fabric.status()));
                }
            } catch (RuntimeException e) {
                defects.put(fabric.name(), e);
            }
        }
        // The rest is of all Fabrics together: any device may claim any cable, and any cable joins two parts.
        // A defect there cannot be laid to one Fabric, and what was published before stays.
        SwitchMerge<SwitchFacts> merged = SwitchMerge.merge(inventory.switches());
        this.flapHistory = damping.next(
                before == null ? null : before.flapHistory(),
                merged.switches(),
                inventory.portChanges(),
                dampedBefore,
                inventory.time());
        this.flaps = flapHistory.flaps();
        this.map = new SwitchMerge<>(
                FabricMember.withHostEnds(
                        Damping.without(flaps.ports(merged.switches().keySet()), merged.switches()),
                        inventory.devices()),
                merged.objects(),
                merged.contradictions());
        this.claims = new EndClaims(inventory.devices());
        this.parts = new ConnectedParts(map, claims, sourcesOf);
        this.drains = Drains.of(inventory.switches());
        this.deviceConditions = new DeviceConditions(inventory.fleet(), claims, leftOut);
    }

    public static ClusterModel model(
            Inventory inventory,
            FabricNumbers numbers,
            @Nullable ClusterModel before,
            Conditions conditions,
            FlapDamping damping) {
        return new Modeler(inventory, before, conditions, damping).model(numbers.above(inventory.fabrics()));
    }

    private ClusterModel model(FabricNumbers given) {
        Membership.Result membership;
        int known;
        do {
            // Once more where a defect came to light: what joined that Fabric before may belong to another.
            known = defects.size();
            membership = Membership.decide(inventory, parts, this::presentFabric, given, defects);
        } while (defects.size() > known);
        leftOut.putAll(membership.leftOut());
        Map<String, String> fabricOf = membership.fabricOf();
        PartOwners owners = new PartOwners(inventory, parts, map, fabricOf);
        Map<String, List<DeviceFacts>> members = new HashMap<>();
        for (DeviceFacts device : inventory.devices()) {
            String fabric = fabricOf.get(device.name());
            if (fabric != null) {
                members.computeIfAbsent(fabric, f -> new ArrayList<>()).add(device);
            }
        }
        FabricNumbers numbers = given;
        SortedMap<String, FabricState> fabrics = new TreeMap<>();
        SortedMap<String, FailedFabric> failed = new TreeMap<>();
        Map<String, Findings> findings = new TreeMap<>();
        Map<String, DevicePlan> devices = HashMap.newHashMap(inventory.devices().size());
        Map<String, SwitchPlan> switches = new HashMap<>();
        for (FabricFacts fabric : inOrderOfIndex()) {
            Integer index = presentIndex(fabric, given);
            try {
                RuntimeException defect = defects.get(fabric.name());
                if (defect != null) {
                    throw defect;
                }
                FabricState state = state(
                        fabric,
                        index == null ? numbers.nextIndex() : index,
                        members.getOrDefault(fabric.name(), List.of()),
                        owners);
                Findings found = new FabricConditions(
                                state, inventory, sourcesOf, owners, map, claims, drains, flaps, fabricOf)
                        .findings();
                Map<String, DevicePlan> ofDevices = devicePlans(state);
                switches.putAll(switchPlans(state, owners));
                devices.putAll(ofDevices);
                findings.put(fabric.name(), found);
                fabrics.put(fabric.name(), state);
            } catch (RuntimeException e) {
                // A defect that what is told of this Fabric has hit; the others have nothing to do with it.
                failed.put(fabric.name(), new FailedFabric(fabric, stateBefore(fabric), e));
                continue;
            }
            if (index == null) {
                numbers = numbers.withIndexGiven(fabric.uid());
            }
        }
        if (!numbers.equals(given)) {
            numbers = numbers.withoutShown(inventory.fabrics());
        }
        FabricDeviceStatus none = FabricDeviceStatusBuilder.builder().build();
        for (DeviceFacts device : inventory.devices()) {
            if (!devices.containsKey(device.name())) {
                String fabric = fabricOf.get(device.name());
                FabricDeviceStatus kept = fabric != null && failed.containsKey(fabric) ? presentStatus(device) : null;
                devices.put(device.name(), kept == null ? plan(device, none) : new DevicePlan(device, kept));
            }
        }
        for (SwitchFacts object : inventory.switches()) {
            if (!switches.containsKey(object.name())) {
                String owner = owners.ownerOf(object.cabling().id());
                FabricSwitchStatus kept = owner != null && failed.containsKey(owner) ? presentStatus(object) : null;
                switches.put(
                        object.name(),
                        new SwitchPlan(
                                object,
                                kept == null
                                        ? FabricSwitchStatusBuilder.builder().build()
                                        : kept));
            }
        }
        return new ClusterModel(
                inventory,
                fabrics,
                failed,
                membership.deviceDefects(),
                devices,
                switches,
                findings,
                flapHistory,
                numbers,
                new MissingFabrics(membership.created(), numbers.withNumbersOf(membership.numbers())));
    }

    /** Fabrics that have no index yet come in the order in which they should get one. */
    private List<FabricFacts> inOrderOfIndex() {
        return inventory.fabrics().stream()
                .filter(f -> !f.deleting())
                .sorted(Comparator.comparing(
                                (FabricFacts f) -> f.spec().priority(),
                                Comparator.nullsFirst(Comparator.reverseOrder()))
                        .thenComparing(Modeler::familyOrder)
                        .thenComparingInt(f -> f.name().length())
                        .thenComparing(FabricFacts::name))
                .toList();
    }

    private static int familyOrder(FabricFacts fabric) {
        DeviceSelector selector = fabric.spec().selector();
        return selector == null
                ? -1
                : selector.families().stream().mapToInt(Enum::ordinal).min().orElse(-1);
    }

    private FabricState state(FabricFacts fabric, int index, List<DeviceFacts> members, PartOwners owners) {
        SortedMap<Integer, DeviceFacts> slots =
                DeviceIndices.assign(members, device -> presentSlot(device, fabric.name()));
        List<Switch> switches = new ArrayList<>();
        TreeSet<String> sources = new TreeSet<>();
        for (String id : owners.switchesOf(fabric.name())) {
            switches.add(Objects.requireNonNull(map.switches().get(id)));
            map.objects().getOrDefault(id, List.of()).forEach(object -> sources.add(object.source()));
        }
        List<Vertex> vertices = FabricAssembly.vertices(slots, claims);
        int uncabled = (int) slots.values().stream()
                .filter(device -> parts.partOf(device) == null)
                .count();
        FabricState last = stateBefore(fabric);
        Weights weights = FabricAssembly.weights(drains, switches);
        boolean sameModel = last != null
                && last.switches().equals(switches)
                && last.vertices().equals(vertices)
                && last.model().options().weights().equals(weights);
        // Statuses of devices bear the names that a person gives to planes.
        boolean unchanged = last != null
                && sameModel
                && last.facts().spec().planes().equals(fabric.spec().planes());
        FabricModel wiring = last != null && sameModel
                ? last.model()
                : FabricModel.of(
                        switches,
                        vertices,
                        new ModelOptions(previous(fabric, last, slots), weights),
                        last == null ? null : last.model());
        FabricModel model = wiring.exempting(fabric.spec().exemptHosts());
        FabricState draft = new FabricState(
                fabric,
                index,
                slots,
                List.copyOf(switches),
                vertices,
                sources,
                owners.managedElsewhere(fabric.name()),
                uncabled,
                model,
                last == null ? 0 : unchanged ? last.generation() : last.generation() + 1,
                last == null ? List.of() : last.changes(),
                damped(owners.switchesOf(fabric.name())),
                impairedPorts(owners.switchesOf(fabric.name())));
        if (last == null) {
            return continued(draft);
        }
        return unchanged
                ? draft
                : draft.withChanges(Changes.with(last.changes(), Changes.between(last, draft, conditions.now())));
    }

    /** What several objects say of one port stands one after the other. */
    private List<ImpairedPort> impairedPorts(Set<String> switches) {
        List<ImpairedPort> ports = new ArrayList<>();
        for (String id : switches) {
            SortedMap<Integer, List<Impairment>> signs = new TreeMap<>();
            for (SwitchFacts object : map.objects().getOrDefault(id, List.of())) {
                object.impairments()
                        .forEach((port, found) -> signs.computeIfAbsent(port, each -> new ArrayList<>())
                                .addAll(found));
            }
            signs.forEach((port, found) -> ports.add(new ImpairedPort(id, port, List.copyOf(found))));
        }
        ports.sort(Comparator.comparing(ImpairedPort::switchId).thenComparing(ImpairedPort::port));
        return ports;
    }

    private List<PortRef> damped(Set<String> switches) {
        return flaps.ports(switches).stream()
                .map(port -> new PortRef(port.id(), port.port()))
                .sorted(Comparator.comparing(PortRef::switchId).thenComparing(PortRef::port))
                .toList();
    }

    /** Places given before: by this process, else as the statuses keep them. */
    private Numbering previous(FabricFacts fabric, @Nullable FabricState last, SortedMap<Integer, DeviceFacts> slots) {
        return last != null
                ? last.model().numbering()
                : StatusNumbering.of(
                        fabric.name(),
                        fabric.status(),
                        fabric.spec().planes(),
                        slots.values(),
                        inventory.switches(),
                        claims);
    }

    /** The generation after a restart: what the status says, and one more if the status tells of anything else. */
    private FabricState continued(FabricState draft) {
        FabricStatus status = draft.facts().status();
        Long generation = status == null ? null : status.generation();
        if (status == null || generation == null) {
            return draft.withGeneration(1);
        }
        FabricStatus now = new FabricSummary(draft).builder(generation).build();
        FabricMapper mapper = mapper(draft);
        boolean sameNumbers = now.equals(decided(status));
        boolean samePlaces = draft.members().entrySet().stream().allMatch(slot -> {
            FabricDeviceStatus then = slot.getValue().status();
            return then != null
                    && mapper.device(slot.getKey())
                            .conditions(then.conditions())
                            .build()
                            .equals(then);
        });
        FabricState kept = draft.withChanges(status.changes());
        return sameNumbers && samePlaces
                ? kept.withGeneration(generation)
                : kept.withGeneration(generation + 1)
                        .withChanges(Changes.with(status.changes(), Changes.unknown(generation + 1, conditions.now())));
    }

    /** The part of a status that a model decides. */
    private static FabricStatus decided(FabricStatus status) {
        return FabricStatusBuilder.builder(status)
                .findings(List.of())
                .findingsTotal(null)
                .exemptHosts(null)
                .unresolved(List.of())
                .changes(List.of())
                .damped(List.of())
                .sources(List.of())
                .refreshed(null)
                .levels(List.of())
                .pendingGeneration(null)
                .conditions(List.of())
                .build();
    }

    private Map<String, DevicePlan> devicePlans(FabricState fabric) {
        Map<String, DevicePlan> plans = HashMap.newHashMap(fabric.members().size());
        FabricMapper mapper = mapper(fabric);
        boolean placesStay = placesStay(fabric);
        fabric.members().forEach((slot, device) -> {
            DevicePlan last = placesStay ? planBefore(device) : null;
            FabricDeviceStatus place =
                    last != null ? last.status() : mapper.device(slot).build();
            plans.put(device.name(), plan(device, place));
        });
        return plans;
    }

    /** Whether every device has the place that the model before gave it. */
    private boolean placesStay(FabricState fabric) {
        FabricState last = stateBefore(fabric.facts());
        return last != null
                && last.model() == fabric.model()
                && last.facts().spec().planes().equals(fabric.facts().spec().planes())
                && last.vertices().equals(fabric.vertices());
    }

    private DevicePlan plan(DeviceFacts device, FabricDeviceStatus place) {
        DevicePlan last = planBefore(device);
        FabricDeviceStatus existing = last != null ? last.status() : device.status();
        List<Condition> now =
                deviceConditions.conditions(device, existing == null ? List.of() : existing.conditions(), conditions);
        FabricDeviceStatus status = now.equals(place.conditions())
                ? place
                : FabricDeviceStatusBuilder.builder(place).conditions(now).build();
        FabricDeviceStatus kept = existing != null && existing.equals(status) ? existing : status;
        // One object for what is and what should be, where they are equal: there are many devices, and whoever compares
        // them again need not look inside.
        FabricDeviceStatus seen = device.status();
        return new DevicePlan(device, seen != null && seen.equals(kept) ? seen : kept);
    }

    /** Of the switches that belong to it. */
    private Map<String, SwitchPlan> switchPlans(FabricState fabric, PartOwners owners) {
        Map<String, SwitchPlan> plans = new HashMap<>();
        FabricMapper mapper = mapper(fabric);
        ImpairedPorts impaired = new ImpairedPorts(fabric);
        for (Switch each : fabric.switches()) {
            FabricSwitchStatusBuilder place =
                    fabric.name().equals(owners.ownerOf(each.id())) ? mapper.fabricSwitch(each.id()) : null;
            if (place != null) {
                FabricSwitchStatus status = place.build();
                ConditionDraft links = impaired.condition(each.id());
                map.objects()
                        .getOrDefault(each.id(), List.of())
                        .forEach(object ->
                                plans.put(object.name(), new SwitchPlan(object, withCondition(object, status, links))));
            }
        }
        return plans;
    }

    /** That links are well is said where it was otherwise. */
    private FabricSwitchStatus withCondition(
            SwitchFacts object, FabricSwitchStatus place, @Nullable ConditionDraft links) {
        FabricSwitchStatus existing = presentStatus(object);
        List<Condition> said = existing == null ? List.of() : existing.conditions();
        if (links == null && said.isEmpty()) {
            return place;
        }
        return FabricSwitchStatusBuilder.builder(place)
                .conditions(conditions.of(
                        List.of(
                                links == null
                                        ? ImpairedPorts.well("its source sees no link that is about to fail")
                                        : links),
                        said,
                        null))
                .build();
    }

    private static FabricMapper mapper(FabricState fabric) {
        return new FabricMapper(
                fabric.name(), fabric.model(), fabric.facts().spec().planes());
    }

    private @Nullable DevicePlan planBefore(DeviceFacts device) {
        DevicePlan plan = before == null ? null : before.devices().get(device.name());
        return plan != null && plan.facts().uid().equals(device.uid()) ? plan : null;
    }

    private @Nullable FabricDeviceStatus presentStatus(DeviceFacts device) {
        DevicePlan plan = planBefore(device);
        return plan != null ? plan.status() : device.status();
    }

    private @Nullable FabricSwitchStatus presentStatus(SwitchFacts object) {
        SwitchPlan plan = before == null ? null : before.switches().get(object.name());
        return plan != null && plan.facts().uid().equals(object.uid()) ? plan.status() : object.status();
    }

    private @Nullable String presentFabric(DeviceFacts device) {
        FabricDeviceStatus status = presentStatus(device);
        return status == null ? null : status.fabric();
    }

    private @Nullable Integer presentSlot(DeviceFacts device, String fabric) {
        FabricDeviceStatus status = presentStatus(device);
        return status != null && fabric.equals(status.fabric()) ? status.index() : null;
    }

    private @Nullable FabricState stateBefore(FabricFacts fabric) {
        FabricState last = before == null ? null : before.last(fabric.name());
        return last != null && last.facts().uid().equals(fabric.uid()) ? last : null;
    }

    /** What an earlier leader has given may have been kept, and not been written into the status. */
    private @Nullable Integer presentIndex(FabricFacts fabric, FabricNumbers given) {
        FabricState last = stateBefore(fabric);
        if (last != null) {
            return last.index();
        }
        FabricStatus status = fabric.status();
        return status != null && status.index() != null
                ? status.index()
                : given.indexOf().get(fabric.uid());
    }
}
