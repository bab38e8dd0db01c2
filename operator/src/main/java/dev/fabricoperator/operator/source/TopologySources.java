/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.source;

import dev.fabricoperator.crds.ObjectRef;
import dev.fabricoperator.crds.TopologySource;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.inventory.FabricFacts;
import dev.fabricoperator.operator.inventory.Stores;
import dev.fabricoperator.operator.inventory.SwitchFacts;
import io.fabric8.kubernetes.client.KubernetesClientException;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Every topology source and how it stands.
 *
 * <p>A source is read when what it consists of has changed. Only a good read touches FabricSwitch objects; after any other
 * the last good ones stay and the source has a problem. An upload whose ConfigMaps are all gone was removed on purpose, and
 * its switches go too, after a grace in which it may be written anew.
 */
@ApplicationScoped
public class TopologySources {
    private static final Logger LOG = Logger.getLogger(TopologySources.class);
    private static final Duration REMOVAL_GRACE = Duration.ofSeconds(10);
    private static final int MAXIMUM_ODDITIES = 16;
    private static final String UPLOAD = "upload";
    private static final String FILE = "file";

    private final Stores stores;
    private final DumpBytes bytes;
    private final SwitchPublisher publisher;
    private final Clock clock;
    private final String namespace;

    private final ReentrantLock oneAtATime = new ReentrantLock();
    private final SortedMap<String, SourceState> states = new TreeMap<>();
    private final Map<String, Object> fingerprints = new HashMap<>();
    private final Map<String, Instant> goneSince = new HashMap<>();
    private volatile List<SourceState> published = List.of();
    private volatile boolean applying;
    private volatile Runnable onChange = () -> {};

    public TopologySources(Stores stores, DumpBytes bytes, SwitchPublisher publisher, Clock clock, Settings settings) {
        this.stores = stores;
        this.bytes = bytes;
        this.publisher = publisher;
        this.clock = clock;
        this.namespace = settings.namespace();
    }

    /** Calls {@code changed} whenever the state of a source changes. */
    public void listen(Runnable changed) {
        onChange = changed;
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
        for (UploadPart part : stores.uploads().facts()) {
            uploads.computeIfAbsent(part.upload(), u -> new ArrayList<>()).add(part);
        }
        oneAtATime.lock();
        try {
            Map<String, TopologySource> named = named();
            for (Map.Entry<String, List<UploadPart>> upload : uploads.entrySet()) {
                readUpload(upload.getKey(), upload.getValue());
            }
            for (Map.Entry<String, TopologySource> source : named.entrySet()) {
                if (!uploads.containsKey(source.getKey())) {
                    readNamed(source.getKey(), source.getValue());
                }
            }
            TreeSet<String> alive = new TreeSet<>(uploads.keySet());
            alive.addAll(named.keySet());
            forget(alive);
        } finally {
            oneAtATime.unlock();
        }
    }

    /** Sources that Fabrics name, by their label. */
    private Map<String, TopologySource> named() {
        Map<String, TopologySource> named = new TreeMap<>();
        for (FabricFacts fabric : stores.fabrics().facts()) {
            for (TopologySource source : fabric.spec().sources()) {
                named.put(SourceNames.of(source), source);
            }
        }
        return named;
    }

    private void readUpload(String name, List<UploadPart> parts) throws InterruptedException {
        UploadPlan plan = UploadPlan.of(name, parts);
        if (Objects.equals(fingerprints.get(name), plan)) {
            return;
        }
        switch (plan) {
            case UploadPlan.Faulty faulty -> failed(name, faulty.problem());
            case UploadPlan.Whole whole ->
                read(name, UPLOAD, whole.file(), whole.digest(), () -> bytes.ofConfigMaps(namespace, whole.slices()));
        }
        fingerprints.put(name, plan);
    }

    private void readNamed(String name, TopologySource source) throws InterruptedException {
        ObjectRef configMap = source.configMapRef();
        if (configMap != null) {
            UploadPart part = bytes.part(namespace, configMap.name());
            if (part == null) {
                fingerprints.remove(name);
                failed(
                        name,
                        new SourceProblem(
                                SourceProblem.Kind.Missing,
                                "there is no ConfigMap or upload " + configMap.name() + " in namespace " + namespace));
            } else {
                readUpload(name, List.of(part));
            }
            return;
        }
        String url = source.url();
        if (url == null) {
            return;
        }
        TopologyFile file;
        try {
            file = bytes.file(url);
        } catch (IOException e) {
            fingerprints.remove(name);
            failed(name, new SourceProblem(SourceProblem.Kind.Missing, url + ": " + e.getMessage()));
            return;
        }
        if (!file.fingerprint().equals(fingerprints.get(name))) {
            read(name, FILE, url, null, file::open);
            fingerprints.put(name, file.fingerprint());
        }
    }

    private void read(String name, String origin, String file, @Nullable String digest, DumpBytes.Opening opening)
            throws InterruptedException {
        Cabling cabling;
        try (InputStream stream = opening.open()) {
            cabling = DumpText.read(file, stream, digest);
        } catch (BadInputException | IOException e) {
            failed(name, DumpText.problem(file, e));
            return;
        }
        applying = true;
        try {
            publisher.publish(name, origin, cabling.switches());
        } finally {
            applying = false;
        }
        LOG.infof("source %s: %d switches from %s", name, cabling.switches().size(), file);
        List<String> oddities = cabling.problems().stream()
                .limit(MAXIMUM_ODDITIES)
                .map(problem -> oddity(file, problem))
                .toList();
        become(new SourceState(name, true, null, oddities));
    }

    private static String oddity(String file, Problem problem) {
        return file + ":" + (problem.line() == null ? "" : problem.line() + ":") + " " + problem.message();
    }

    private void failed(String name, SourceProblem problem) {
        SourceState last = states.get(name);
        become(new SourceState(
                name, last != null && last.readOnce(), problem, last == null ? List.of() : last.oddities()));
    }

    private void become(SourceState state) {
        SourceState last = states.put(state.name(), state);
        if (!state.equals(last)) {
            if (state.problem() != null) {
                LOG.warnf("source %s: %s", state.name(), state.problem().message());
            }
            published = List.copyOf(states.values());
            onChange.run();
        }
    }

    /** Removes what nobody provides any more, also where that happened while no operator ran. */
    private void forget(TreeSet<String> alive) throws InterruptedException {
        TreeSet<String> gone = new TreeSet<>(states.keySet());
        for (SwitchFacts facts : stores.switches().facts()) {
            if (UPLOAD.equals(facts.origin()) || FILE.equals(facts.origin())) {
                gone.add(facts.source());
            }
        }
        gone.removeAll(alive);
        goneSince.keySet().retainAll(gone);
        Instant now = clock.instant();
        for (String name : gone) {
            Instant since = goneSince.computeIfAbsent(name, n -> now);
            if (Duration.between(since, now).compareTo(REMOVAL_GRACE) >= 0) {
                publisher.publish(name, UPLOAD, List.of());
                LOG.infof("source %s is gone, and its switches with it", name);
                states.remove(name);
                fingerprints.remove(name);
                goneSince.remove(name);
                published = List.copyOf(states.values());
                onChange.run();
            }
        }
    }
}
