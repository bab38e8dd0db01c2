/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.SourceStatus;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.crds.TopologySource;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingLoss;
import dev.fabricoperator.fabric.cabling.HeapBudget;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.SourceNames;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.operator.cluster.UploadPart;
import dev.fabricoperator.operator.controller.integration.node.NodeLabelSettings;
import dev.fabricoperator.operator.controller.source.StoredSources.Stored;
import dev.fabricoperator.operator.model.RefreshRequests;
import dev.fabricoperator.operator.model.SourceProblem;
import dev.fabricoperator.operator.model.SourceState;
import dev.fabricoperator.operator.model.SourceStateBuilder;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.model.condition.Reason;
import io.fabric8.kubernetes.client.KubernetesClientException;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Every topology source and how it stands.
 *
 * <p>A source is read when what it consists of has changed, when its time has come, or on request. Only a good reading that is
 * believed ({@link LossWatch}) touches FabricSwitch objects; after any other the last good ones stay and the source has a
 * problem. A source that nobody provides or names any more was removed on purpose, and its switches go too, after a grace in
 * which it may be written anew.
 *
 * <p>Of sources of one type that one Fabric names, and whose texts may say parts of each other, the first has the switches of all.
 */
@ApplicationScoped
public class TopologySources {
    private static final Logger LOG = Logger.getLogger(TopologySources.class);
    private static final Duration REMOVAL_GRACE = Duration.ofSeconds(10);
    private static final int MAXIMUM_WARNINGS = 16;
    private static final int MAXIMUM_REFUSAL = 1024;
    /** Codes by which an object is refused for what it says: the next time it says the same. */
    private static final Set<Integer> REFUSALS =
            Set.of(HttpURLConnection.HTTP_BAD_REQUEST, HttpURLConnection.HTTP_ENTITY_TOO_LARGE, 422);

    private final FactStores stores;
    private final StoredSources stored;
    private final UfmSources ufm;
    private final LossWatch losses;
    private final LiveReports live = new LiveReports();
    private final SwitchPublisher publisher;
    private final NodeLabelSettings labels;
    private final Clock clock;

    private final ReentrantLock oneAtATime = new ReentrantLock();
    private final SortedMap<String, SourceState> states = new TreeMap<>();
    private final Map<String, Instant> goneSince = new HashMap<>();
    /** By the first of those that are read together, all of them as they were when they were believed. */
    private final Map<String, List<String>> membersOf = new HashMap<>();

    private volatile List<SourceState> published = List.of();
    private volatile boolean applying;
    private volatile Runnable onChange = () -> {};

    public TopologySources(
            FactStores stores,
            StoredSources stored,
            UfmSources ufm,
            LossWatch losses,
            SwitchPublisher publisher,
            NodeLabelSettings labels,
            Clock clock) {
        this.labels = labels;
        this.stores = stores;
        this.stored = stored;
        this.ufm = ufm;
        this.losses = losses;
        this.publisher = publisher;
        this.clock = clock;
    }

    /** Calls {@code changed} whenever the state of a source changes. */
    public void listen(Runnable changed) {
        onChange = changed;
    }

    /** Calls {@code wanted} whenever {@link #refresh} has something to do before its usual time. */
    public void listenForWork(Runnable wanted) {
        stores.listenForSources(wanted);
        ufm.listen(wanted);
    }

    public List<SourceState> states() {
        return published;
    }

    /** Whether switches of a source are being written right now, so that what is there is half of something. */
    public boolean isApplying() {
        return applying;
    }

    /**
     * Looks at every upload and at every source that a Fabric names, and reads those that changed.
     *
     * @throws KubernetesClientException if the API server could not be asked; nothing is lost, call again
     */
    public void refresh() throws InterruptedException {
        Map<String, List<UploadPart>> uploads = new TreeMap<>();
        List<UploadPart> reports = new ArrayList<>();
        for (UploadPart part : stores.uploads().facts()) {
            if (part.type().equals(FabricApi.ORIGIN_LIVE)) {
                reports.add(part);
            } else {
                uploads.computeIfAbsent(part.upload(), u -> new ArrayList<>()).add(part);
            }
        }
        oneAtATime.lock();
        try {
            List<FabricFacts> fabrics = stores.fabrics().facts();
            Map<String, TopologySource> named = named(fabrics);
            Map<String, List<String>> requests = RefreshRequests.bySource(fabrics, this::sourcesOf);
            List<KubernetesClientException> failed = new ArrayList<>();
            SortedMap<String, Stored> lying = new TreeMap<>();
            uploads.forEach((name, parts) -> lying.put(name, new Stored(name, named.get(name), parts)));
            named.forEach((name, source) -> {
                if (isLying(source)) {
                    lying.putIfAbsent(name, new Stored(name, source, List.of()));
                }
            });
            for (List<Stored> together : together(fabrics, lying)) {
                lookAt(together.stream().map(Stored::name).toList(), () -> readStored(together, requests), failed);
            }
            for (Map.Entry<String, TopologySource> source : named.entrySet()) {
                String name = source.getKey();
                if (!lying.containsKey(name)) {
                    lookAt(List.of(name), () -> readNamed(name, source.getValue(), notYet(name, requests)), failed);
                }
            }
            // What has never swept says nothing: the program may not be installed.
            reports.removeIf(report -> !report.report().containsKey(FabricApi.REPORT_SWEPT));
            for (UploadPart report : reports) {
                lookAt(
                        List.of(report.upload()),
                        () -> become(live.state(report, stores.now(), clock.instant())),
                        failed);
            }
            TreeSet<String> alive = new TreeSet<>(uploads.keySet());
            alive.addAll(named.keySet());
            Set<String> sweeps = reports.stream().map(UploadPart::upload).collect(Collectors.toSet());
            live.keep(sweeps);
            alive.addAll(sweeps);
            forget(alive, failed);
            if (!failed.isEmpty()) {
                throw failed.getFirst();
            }
        } finally {
            oneAtATime.unlock();
        }
    }

    private interface Look {
        void run() throws InterruptedException;
    }

    /**
     * What the API server does not answer about one source is read anew next time, and keeps no other source waiting; nor does a defect
     * in what looks at it, which is a problem of the source until the next look goes well.
     */
    private void lookAt(List<String> names, Look look, List<KubernetesClientException> failed)
            throws InterruptedException {
        try {
            look.run();
        } catch (KubernetesClientException e) {
            stored.forget(names.getFirst());
            failed.add(e);
        } catch (RuntimeException | StackOverflowError e) {
            stored.forget(names.getFirst());
            for (String name : names) {
                defect(name, e);
            }
        }
    }

    private void defect(String name, Throwable e) {
        SourceState last = states.get(name);
        SourceProblem problem = SourceText.defect(name, e);
        if (last == null || !problem.equals(last.problem())) {
            LOG.errorf(e, "source %s cannot be looked at", name);
        }
        become(SourceStateBuilder.builder(last == null ? unread(name) : last)
                .problem(problem)
                .build());
    }

    private void readNamed(String name, TopologySource source, List<String> wanted) throws InterruptedException {
        if (source.type() == SourceType.NodeLabels) {
            take(
                    name,
                    NodeLabelReading.of(source.nodeLabels(), stores, switchesOf(List.of(name)), labels.topograph()),
                    wanted);
        } else if (source.type() == SourceType.ufm) {
            UfmSources.Answer answer = ufm.poll(name, source, wanted);
            take(name, answer == null ? null : answer.reading(), answer == null ? List.of() : answer.refreshes());
        } else {
            Cabling cabling = NeighborCabling.of(name, stores.devices().facts(), switchesOf(List.of(name)));
            take(name, new Reading.Success(SourceType.lldp, "LLDP", cabling, Reading.Evidence.Agents), wanted);
        }
    }

    /** Whether it is a text somewhere, and nobody who is asked. */
    private static boolean isLying(TopologySource source) {
        return source.type() != SourceType.ufm && (source.configMapRef() != null || source.url() != null);
    }

    /** Those that are read together, in the order in which the first Fabric by name that names one of them has them. */
    private static Collection<List<Stored>> together(List<FabricFacts> fabrics, SortedMap<String, Stored> lying) {
        Map<String, List<Stored>> byName = new LinkedHashMap<>();
        lying.values().forEach(source -> byName.put(source.name(), new ArrayList<>(List.of(source))));
        for (FabricFacts fabric :
                fabrics.stream().sorted(Comparator.comparing(FabricFacts::name)).toList()) {
            Map<SourceType, List<Stored>> ofType = new EnumMap<>(SourceType.class);
            for (TopologySource source : fabric.spec().sources()) {
                Stored one = lying.get(SourceNames.of(source));
                if (one != null && one.isPart()) {
                    List<Stored> own = Objects.requireNonNull(byName.get(one.name()));
                    List<Stored> first = ofType.computeIfAbsent(one.type(), t -> own);
                    if (first != own) {
                        first.addAll(own);
                        own.forEach(each -> byName.put(each.name(), first));
                    }
                }
            }
        }
        Set<List<Stored>> all = Collections.newSetFromMap(new IdentityHashMap<>());
        return byName.values().stream().filter(all::add).toList();
    }

    private void readStored(List<Stored> together, Map<String, List<String>> requests) throws InterruptedException {
        String first = together.getFirst().name();
        List<String> names = together.stream().map(Stored::name).toList();
        // Asked for any of them, all are read.
        List<String> asked = names.stream()
                .flatMap(name -> notYet(name, requests).stream())
                .distinct()
                .toList();
        // Of whoever stood first until now.
        List<String> before = names.stream()
                .flatMap(name -> membersOf.getOrDefault(name, List.of()).stream())
                .toList();
        if (before.isEmpty() && together.getFirst().isPart()) {
            before = membersOfBefore(together.getFirst());
        }
        take(names, stored.read(together, !asked.isEmpty()), asked, !names.containsAll(before));
        SourceState state = states.get(first);
        if (state == null) {
            return;
        }
        List<String> followers = names.subList(1, names.size());
        Set<String> withSwitches = Set.of();
        if (state.problem() == null) {
            names.forEach(membersOf::remove);
            membersOf.put(first, names);
            withSwitches = stores.switches().facts().stream()
                    .map(SwitchFacts::source)
                    .filter(new HashSet<>(followers)::contains)
                    .collect(Collectors.toSet());
        }
        for (String name : followers) {
            if (withSwitches.contains(name)) {
                publisher.publish(name, state.type(), List.of());
            }
            follow(name, state, notYet(name, requests));
        }
    }

    /** What a process before this one has read together with a source, as statuses of Fabrics show it: it was read well, and has no switches of its own. */
    private List<String> membersOfBefore(Stored first) {
        return stores.fabrics().facts().stream()
                .map(FabricFacts::status)
                .filter(Objects::nonNull)
                .map(FabricStatus::sources)
                .filter(said -> said.stream().anyMatch(source -> source.name().equals(first.name())))
                .flatMap(List::stream)
                .filter(source -> first.type().name().equals(source.type())
                        && Objects.equals(source.switches(), 0)
                        && Reason.SourceRead.name().equals(source.state()))
                .map(SourceStatus::name)
                .toList();
    }

    /** Lets a source stand as that which has its switches. */
    private void follow(String name, SourceState first, List<String> done) {
        losses.forget(name);
        // When it stands for itself again, or for others, it has no switches and must be read.
        stored.forget(name);
        become(SourceStateBuilder.builder(first)
                .name(name)
                .since(null)
                .warnings(List.of())
                .switches(0)
                .links(0)
                .refreshes(refreshes(states.get(name), done))
                .build());
    }

    /** Sources that Fabrics name, by their label. */
    private static Map<String, TopologySource> named(List<FabricFacts> fabrics) {
        Map<String, TopologySource> named = new TreeMap<>();
        for (FabricFacts fabric : fabrics) {
            for (TopologySource source : fabric.spec().sources()) {
                named.put(SourceNames.of(source), source);
            }
        }
        return named;
    }

    /** What a Fabric depends on: what it names, and whatever wrote a switch that is in it. */
    private Set<String> sourcesOf(FabricFacts fabric) {
        TreeSet<String> sources = new TreeSet<>(named(List.of(fabric)).keySet());
        for (SwitchFacts facts : stores.switches().facts()) {
            if (facts.status() != null && fabric.name().equals(facts.status().fabric())) {
                sources.add(facts.source());
            }
        }
        sources.retainAll(states.keySet());
        return sources;
    }

    private List<String> notYet(String name, Map<String, List<String>> requests) {
        SourceState state = states.get(name);
        return requests.getOrDefault(name, List.of()).stream()
                .filter(request -> state == null || !state.refreshes().contains(request))
                .toList();
    }

    private void take(String name, @Nullable Reading newest, List<String> done) throws InterruptedException {
        take(List.of(name), newest, done, false);
    }

    /**
     * @param together the sources that are read as one; the first one has the switches
     * @param newest {@code null} for nothing new
     * @param isLessWanted whether somebody has taken away a part of the source, so that it may have less
     */
    private void take(List<String> together, @Nullable Reading newest, List<String> done, boolean isLessWanted)
            throws InterruptedException {
        String name = together.getFirst();
        Reading reading = newest != null ? newest : losses.acceptedByNow(name, stores);
        if (reading == null) {
            return;
        }
        SourceState last = states.get(name);
        List<String> refreshes = refreshes(last, done);
        switch (reading) {
            case Reading.Failure bad ->
                become(SourceStateBuilder.builder(last == null ? unread(name) : last)
                        .type(bad.type().name())
                        .problem(bad.problem())
                        .refreshes(refreshes)
                        .build());
            case Reading.Success good -> {
                List<Switch> before = isLessWanted ? List.of() : switchesOf(together);
                SourceProblem problem = tooMuch(together, good);
                if (problem == null) {
                    problem = losses.decide(name, good, before, stores, !done.isEmpty());
                }
                if (problem == null) {
                    problem = write(name, good, refreshes);
                }
                if (problem != null) {
                    become(SourceStateBuilder.builder(last == null ? unread(name) : last)
                            .type(good.type().name())
                            .problem(problem)
                            .refreshes(refreshes)
                            .build());
                }
            }
        }
    }

    /** Why a reading does not fit beside what all other sources have said; {@code null} where it does. */
    private @Nullable SourceProblem tooMuch(List<String> together, Reading.Success good) {
        Set<String> own = Set.copyOf(together);
        long others = HeapBudget.of(stores.switches().facts().stream()
                .filter(facts -> !own.contains(facts.source()))
                .map(SwitchFacts::cabling)
                .toList());
        return others + HeapBudget.of(good.cabling().switches()) <= HeapBudget.ofProcess()
                ? null
                : new SourceProblem(
                        SourceProblem.Kind.Unreadable,
                        good.file() + ": with what other sources say of switches it takes more than "
                                + HeapBudget.words());
    }

    /**
     * @return why the API server does not take what was read, {@code null} where it does
     * @throws KubernetesClientException if it could not be asked
     */
    private @Nullable SourceProblem write(String name, Reading.Success good, List<String> refreshes)
            throws InterruptedException {
        List<Switch> switches = good.cabling().switches();
        applying = true;
        boolean changed;
        try {
            changed = publisher.publish(name, good.type().name(), switches);
        } catch (KubernetesClientException e) {
            if (!REFUSALS.contains(e.getCode())) {
                throw e;
            }
            return new SourceProblem(
                    SourceProblem.Kind.Unreadable,
                    good.file() + ": the API server does not take all of its switches: "
                            + Conditions.bounded(String.valueOf(e.getMessage()), MAXIMUM_REFUSAL));
        } finally {
            applying = false;
        }
        if (changed) {
            LOG.infof("source %s: %d switches from %s", name, switches.size(), good.file());
        }
        become(new SourceState(
                name,
                good.type().name(),
                true,
                null,
                null,
                warnings(good),
                switches.size(),
                CablingLoss.between(List.of(), switches).cables(),
                null,
                null,
                null,
                refreshes));
        return null;
    }

    /** What a reading tolerated and the model of its switches does not show. */
    static List<String> warnings(Reading.Success good) {
        return good.cabling().problems().stream()
                .filter(problem -> !problem.wiring())
                .limit(MAXIMUM_WARNINGS)
                .map(problem -> warning(good.file(), problem))
                .toList();
    }

    /** What sources have said, as their objects show. */
    private List<Switch> switchesOf(List<String> sources) {
        Set<String> names = Set.copyOf(sources);
        return stores.switches().facts().stream()
                .filter(facts -> names.contains(facts.source()))
                .map(SwitchFacts::cabling)
                .toList();
    }

    private static SourceState unread(String name) {
        return new SourceState(name, "", false, null, null, List.of(), null, null, null, null, null, List.of());
    }

    /** One request of each Fabric is enough. */
    private static List<String> refreshes(@Nullable SourceState last, List<String> done) {
        if (done.isEmpty()) {
            return last == null ? List.of() : last.refreshes();
        }
        Map<String, String> byFabric = new TreeMap<>();
        if (last != null) {
            last.refreshes().forEach(request -> byFabric.put(request.split(" ", 2)[0], request));
        }
        done.forEach(request -> byFabric.put(request.split(" ", 2)[0], request));
        return List.copyOf(byFabric.values());
    }

    private static String warning(String file, Problem problem) {
        return file + ":" + (problem.line() == null ? "" : problem.line() + ":") + " " + problem.message();
    }

    private void become(SourceState now) {
        SourceState last = states.get(now.name());
        Instant since = last != null && Objects.equals(kind(last), kind(now)) ? last.since() : null;
        SourceState state = SourceStateBuilder.builder(now)
                .since(since != null ? since : clock.instant().truncatedTo(ChronoUnit.SECONDS))
                .build();
        if (!state.equals(last)) {
            states.put(now.name(), state);
            if (state.problem() != null && (last == null || !state.problem().equals(last.problem()))) {
                LOG.warnf("source %s: %s", state.name(), state.problem().message());
            }
            tell();
        }
    }

    private static SourceProblem.@Nullable Kind kind(SourceState state) {
        return state.problem() == null ? null : state.problem().kind();
    }

    private void tell() {
        published = List.copyOf(states.values());
        onChange.run();
    }

    /** Removes what nobody provides any more, also where that happened while no operator ran. */
    private void forget(TreeSet<String> alive, List<KubernetesClientException> failed) throws InterruptedException {
        TreeSet<String> gone = new TreeSet<>(states.keySet());
        Map<String, String> origins = new HashMap<>();
        for (SwitchFacts facts : stores.switches().facts()) {
            // What a live sweep wrote is its own to remove.
            if (facts.origin() != null && !facts.origin().equals(FabricApi.ORIGIN_LIVE)) {
                gone.add(facts.source());
                origins.put(facts.source(), facts.origin());
            }
        }
        gone.removeAll(alive);
        goneSince.keySet().retainAll(gone);
        Instant now = stores.now();
        for (String name : gone) {
            Instant since = goneSince.computeIfAbsent(name, n -> now);
            if (Duration.between(since, now).compareTo(REMOVAL_GRACE) >= 0) {
                lookAt(List.of(name), () -> remove(name, origins.get(name)), failed);
            }
        }
    }

    private void remove(String name, @Nullable String origin) throws InterruptedException {
        if (origin != null) {
            publisher.publish(name, origin, List.of());
            LOG.infof("source %s is gone, and its switches with it", name);
        }
        states.remove(name);
        membersOf.remove(name);
        stored.forget(name);
        ufm.forget(name);
        losses.forget(name);
        goneSince.remove(name);
        tell();
    }
}
