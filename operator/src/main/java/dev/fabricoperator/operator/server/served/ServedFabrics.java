/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.served;

import dev.fabricoperator.crds.CostMatrixStatus;
import dev.fabricoperator.crds.FabricChange;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.lft.ForwardingTables;
import dev.fabricoperator.fabric.coordinate.Coordinate;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.model.DevicePosition;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.query.FabricQuery;
import dev.fabricoperator.fabric.route.PortAddress;
import dev.fabricoperator.fabric.route.Routes;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.view.mapping.AssembledFabric;
import dev.fabricoperator.view.mapping.FabricAssembly;
import dev.fabricoperator.view.mapping.FabricMember;
import dev.fabricoperator.view.mapping.SwitchMerge;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The generation of each Fabric that is served.
 *
 * <p>A generation is served when the model that follows from the objects has the digest that the Fabric's status gives. Until
 * then, while objects arrive one after the other, the one before stays. {@link #refresh} does all of that, on one thread; everything
 * else may be called from any.
 */
public final class ServedFabrics {
    private static final Logger LOG = Logger.getLogger(ServedFabrics.class);

    private final Map<String, ServedFabric> served = new ConcurrentHashMap<>();
    private final Set<String> known = ConcurrentHashMap.newKeySet();
    private final Set<String> pending = new HashSet<>();
    /** Fabrics whose update has been told while their condition still says that it goes on. */
    private final Set<String> finishing = new HashSet<>();

    /** What the objects of a fabric give, and its status does not say. */
    private final Map<String, EarlyModel> earlyModels = new HashMap<>();

    /** By Fabric, what was logged last. */
    private final Map<String, String> defects = new HashMap<>();

    private final FabricUpdates updates = new FabricUpdates();
    private final int generationsKept;
    private volatile boolean complete;

    private record EarlyModel(AssembledFabric parts, FabricModel model) {}

    private final FetchedTables tables;

    public ServedFabrics(int generationsKept) {
        this(generationsKept, new FetchedTables(Duration.ofMinutes(1)));
    }

    /** @param tables from which routes follow; the caller fetches them */
    ServedFabrics(int generationsKept, FetchedTables tables) {
        this.generationsKept = generationsKept;
        this.tables = tables;
    }

    /** {@code null} where there is no such Fabric, or nothing of it can be served yet: {@link #isKnown}. */
    public @Nullable ServedFabric get(String fabric) {
        return served.get(fabric);
    }

    /** All of which something can be served. */
    public Collection<ServedFabric> all() {
        return List.copyOf(served.values());
    }

    /** The fabric of accelerators that NVLink joins, {@code null} where none is served. */
    public @Nullable ServedFabric nvlink(List<FabricFacts> fabrics) {
        return fabrics.stream()
                .map(fabric -> served.get(fabric.name()))
                .filter(fabric -> fabric != null && fabric.isNvlink())
                .findFirst()
                .orElse(null);
    }

    /** Whether the Fabric exists, or may exist: before the first refresh everything may. */
    public boolean isKnown(String fabric) {
        return !complete || known.contains(fabric);
    }

    public FabricUpdates updates() {
        return updates;
    }

    /** Whether another generation of it is on its way. */
    public boolean isPending(String fabric) {
        synchronized (pending) {
            return pending.contains(fabric);
        }
    }

    /**
     * Takes over what all objects say now.
     *
     * <p>Cost: O(devices + ports) for the cluster; a model, of which only the costs that the change touches are computed, for each
     * fabric whose cabling or members are not those of the refresh before; names anew where a device has changed.
     *
     * @return Fabrics whose objects do not give the digest of their status: some are still to come
     */
    public List<String> refresh(List<ServedDevice> devices, List<SwitchFacts> switches, List<FabricFacts> fabrics) {
        Set<String> names = new HashSet<>();
        fabrics.forEach(fabric -> names.add(fabric.name()));
        known.addAll(names);
        known.retainAll(names);
        complete = true;
        List.copyOf(served.keySet()).stream()
                .filter(name -> !names.contains(name))
                .forEach(this::removed);
        fabrics.forEach(this::announce);
        List<FabricFacts> due =
                fabrics.stream().filter(ServedFabrics::hasMatrix).toList();
        if (due.isEmpty()) {
            return List.of();
        }
        Set<PortPeer> damped = new HashSet<>();
        Map<String, RuntimeException> unread = new HashMap<>();
        for (FabricFacts fabric : fabrics) {
            try {
                if (fabric.status() != null) {
                    damped.addAll(FabricAssembly.damped(fabric.status()));
                }
            } catch (RuntimeException e) {
                unread.put(fabric.name(), e);
            }
        }
        // Of all Fabrics together: two devices may claim one cable, and a switch or cable may join what was apart. A
        // defect
        // here cannot be laid to one Fabric; all keep their last generation then, and the caller tries again.
        FabricAssembly assembly =
                new FabricAssembly(devices, SwitchMerge.merge(switches).switches(), switches, damped);
        return due.stream()
                .filter(fabric -> !serveOrKeep(fabric, assembly, unread.get(fabric.name())))
                .map(FabricFacts::name)
                .toList();
    }

    /** What is told of one Fabric may hit a defect: then its last generation stays, and the others go on. */
    private boolean serveOrKeep(FabricFacts fabric, FabricAssembly assembly, @Nullable RuntimeException unread) {
        try {
            if (unread != null) {
                throw unread;
            }
            boolean done = serve(fabric, assembly);
            defects.remove(fabric.name());
            return done;
        } catch (RuntimeException e) {
            if (!e.toString().equals(defects.put(fabric.name(), e.toString()))) {
                LOG.errorf(e, "Fabric %s cannot be served anew, and its last generation stays", fabric.name());
            }
            return false;
        }
    }

    private static boolean hasMatrix(FabricFacts fabric) {
        FabricStatus status = fabric.status();
        return status != null && status.generation() != null && status.costMatrix() != null;
    }

    /** Whether what is served now is what the Fabric's status says. */
    private boolean serve(FabricFacts fabric, FabricAssembly assembly) {
        FabricStatus status = Objects.requireNonNull(fabric.status());
        CostMatrixStatus matrix = Objects.requireNonNull(status.costMatrix());
        long generation = Objects.requireNonNull(status.generation());
        ServedFabric last = lastOf(fabric);
        AssembledFabric parts = assembly.fabric(fabric.name(), fabric.spec().planes(), status);
        boolean sameModel = last != null && last.generation() == generation && isOfTheSame(last.parts(), parts);
        FabricModel model = last != null && sameModel ? last.model() : modelOf(parts, last, matrix.digest());
        if (model == null || !model.cost().digest().equals(matrix.digest())) {
            return last != null && last.generation() == generation;
        }
        earlyModels.remove(fabric.name());
        ServedFabric next = new ServedFabric(
                fabric,
                generation,
                parts,
                model.exempting(fabric.spec().exemptHosts()),
                query(
                        parts,
                        model,
                        last != null && sameModel ? last.query() : null,
                        last == null ? null : last.query().routes(),
                        tables.of(status)),
                last != null && isSame(last.parts().members(), parts.members()) ? last.directory() : directory(parts),
                changes(last, status));
        served.put(fabric.name(), next);
        if (last == null || last.generation() != generation) {
            announceUpdate(last, next);
        } else if (!isOneObject(last.query().routes(), next.query().routes())) {
            // Packets take another way; jobs look whether theirs do.
            updates.wake();
        }
        return true;
    }

    /**
     * @param last of the same model, {@code null} where that is another
     * @param before of any model: its tables count while others are fetched
     */
    private static FabricQuery query(
            AssembledFabric parts,
            FabricModel model,
            @Nullable FabricQuery last,
            @Nullable Routes before,
            FetchedTables.Answer answer) {
        ForwardingTables tables = switch (answer) {
            case FetchedTables.Answer.None none -> null;
            case FetchedTables.Answer.Awaited awaited -> before == null ? null : before.tables();
            case FetchedTables.Answer.Known known -> known.tables();
        };
        IntFunction<PortAddress> addresses = slot -> address(parts.members().get(slot));
        Routes lastRoutes = last == null ? null : last.routes();
        boolean same = tables == null || lastRoutes == null
                ? tables == null && lastRoutes == null
                : isOneObject(lastRoutes.tables(), tables) && lastRoutes.hasAddresses(addresses);
        if (last != null && same) {
            return last;
        }
        return new FabricQuery(
                model,
                tables == null ? null : Routes.of(model.topology(), tables, addresses, Routes.lids(parts.switches())));
    }

    private static PortAddress address(@Nullable FabricMember member) {
        Device device = member instanceof ServedDevice served ? served.device() : null;
        return device == null ? new PortAddress(null, null) : new PortAddress(device.portGuid(), device.lid());
    }

    /**
     * The model of what the objects say, if it has the digest; else {@code null}. One that came too early, while objects
     * arrive one after the other, is kept: the next refresh may find the same.
     */
    private @Nullable FabricModel modelOf(AssembledFabric parts, @Nullable ServedFabric last, String digest) {
        EarlyModel kept = earlyModels.get(parts.name());
        if (kept != null && isOfTheSame(kept.parts(), parts)) {
            // Costs follow from switches, vertices and weights; places follow from the memory too.
            boolean sameCosts = kept.model().cost().digest().equals(digest);
            if (!sameCosts || kept.parts().options().equals(parts.options())) {
                return sameCosts ? kept.model() : null;
            }
        }
        FabricModel model = parts.model(last == null ? null : last.model());
        if (model.cost().digest().equals(digest)) {
            return model;
        }
        earlyModels.put(parts.name(), new EarlyModel(parts, model));
        return null;
    }

    private static boolean isOfTheSame(AssembledFabric one, AssembledFabric other) {
        return one.switches().equals(other.switches())
                && one.vertices().equals(other.vertices())
                && one.options().weights().equals(other.options().weights());
    }

    /** Whether there are the very same objects in the same slots, in one walk and without a look into them. */
    private static boolean isSame(SortedMap<Integer, FabricMember> one, SortedMap<Integer, FabricMember> other) {
        Iterator<Map.Entry<Integer, FabricMember>> others = other.entrySet().iterator();
        for (Map.Entry<Integer, FabricMember> mine : one.entrySet()) {
            Map.Entry<Integer, FabricMember> theirs = others.hasNext() ? others.next() : null;
            if (theirs == null
                    || !mine.getKey().equals(theirs.getKey())
                    || !isOneObject(mine.getValue(), theirs.getValue())) {
                return false;
            }
        }
        return !others.hasNext();
    }

    @SuppressWarnings("ReferenceEquality") // the store gives out one object as long as nothing has changed
    private static boolean isOneObject(@Nullable Object one, @Nullable Object other) {
        return one == other;
    }

    private static DeviceDirectory directory(AssembledFabric parts) {
        SortedMap<Integer, ServedDevice> bySlot = new TreeMap<>();
        parts.members().forEach((slot, member) -> bySlot.put(slot, (ServedDevice) member));
        return new DeviceDirectory(bySlot);
    }

    /** A Fabric that was deleted and made anew has nothing to do with the one before. */
    private @Nullable ServedFabric lastOf(FabricFacts fabric) {
        ServedFabric last = served.get(fabric.name());
        if (last != null && !last.facts().uid().equals(fabric.uid())) {
            removed(fabric.name());
            return null;
        }
        return last;
    }

    /** The status keeps the newest few; those that this process saw before stay for a while longer. */
    private List<FabricChange> changes(@Nullable ServedFabric last, FabricStatus status) {
        TreeMap<Long, FabricChange> kept = new TreeMap<>();
        if (last != null) {
            last.changes().forEach(change -> kept.put(change.generation(), change));
        }
        status.changes().forEach(change -> kept.put(change.generation(), change));
        while (kept.size() > generationsKept) {
            kept.pollFirstEntry();
        }
        return List.copyOf(kept.values());
    }

    private void announce(FabricFacts fabric) {
        ServedFabric last = served.get(fabric.name());
        FabricStatus status = fabric.status();
        if (last == null || status == null || !last.facts().uid().equals(fabric.uid())) {
            return;
        }
        boolean newer = status.generation() != null && status.generation() > last.generation();
        boolean updating = Conditions.isTrue(status.conditions(), ConditionType.Updating);
        if (!updating) {
            finishing.remove(fabric.name());
        }
        if (newer || (updating && !finishing.contains(fabric.name()))) {
            announcePending(last);
        } else if (!updating && leavePending(fabric.name())) {
            // It was announced, and then nothing came of it.
            publish(last, FabricUpdate.Phase.Updated, false);
        }
    }

    private void announcePending(ServedFabric last) {
        boolean first;
        synchronized (pending) {
            first = pending.add(last.name());
        }
        if (first) {
            publish(last, FabricUpdate.Phase.Pending, false);
        }
    }

    private boolean leavePending(String fabric) {
        synchronized (pending) {
            return pending.remove(fabric);
        }
    }

    private void announceUpdate(@Nullable ServedFabric last, ServedFabric next) {
        if (last != null) {
            announcePending(last);
        }
        leavePending(next.name());
        FabricStatus status = next.facts().status();
        if (status != null && Conditions.isTrue(status.conditions(), ConditionType.Updating)) {
            finishing.add(next.name());
        }
        publish(next, FabricUpdate.Phase.Updated, last != null && coordinatesChanged(last, next));
    }

    private void removed(String fabric) {
        ServedFabric last = served.remove(fabric);
        earlyModels.remove(fabric);
        defects.remove(fabric);
        leavePending(fabric);
        finishing.remove(fabric);
        if (last != null) {
            publish(last, FabricUpdate.Phase.Gone, false);
        }
    }

    private void publish(ServedFabric of, FabricUpdate.Phase phase, boolean coordinatesChanged) {
        FabricStatus status = of.facts().status();
        Integer index = status == null ? null : status.index();
        updates.publish(new FabricUpdate(
                of.name(), phase, of.generation(), of.cost().digest(), index == null ? 0 : index, coordinatesChanged));
    }

    private static boolean coordinatesChanged(ServedFabric last, ServedFabric next) {
        return next.directory().devices().entrySet().stream().anyMatch(e -> {
            ServedDevice before = last.directory().at(e.getKey());
            return before != null
                    && before.uid().equals(e.getValue().uid())
                    && !coordinates(last.model(), e.getKey()).equals(coordinates(next.model(), e.getKey()));
        });
    }

    private static List<Coordinate> coordinates(FabricModel model, int slot) {
        DevicePosition place = model.device(slot);
        return place == null ? List.of() : place.coordinates();
    }
}
