/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.crds.CounterSource;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.fabric.Sha256;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.view.answer.PortTrafficAnswer;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** Exporters that Fabrics name. Each is asked every {@link #EVERY} by one of the replicas, of which the others have it when somebody asks them. */
@ApplicationScoped
public class CounterSources {
    public static final Duration EVERY = Duration.ofSeconds(10);
    private static final Duration LIMIT = Duration.ofSeconds(8);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final SteadyClock steady;
    private final Clock clock;
    private final MetricsWay way;
    private final FetchedPorts fetched;
    private final Map<Key, Exporter> exporters = new ConcurrentHashMap<>();
    private volatile Others others = new Alone();

    private record Key(String fabric, CounterSource source) {}

    /** The other replicas. */
    public interface Others {
        /** The one whose the exporter is, {@code null} for this one. */
        @Nullable
        String otherFor(String exporter);

        /** What it has of a Fabric's exporter, as {@link CounterSources#document} makes it. */
        byte[] ask(String other, String fabric, String id) throws IOException, InterruptedException;
    }

    private static final class Alone implements Others {
        @Override
        public @Nullable String otherFor(String exporter) {
            return null;
        }

        @Override
        public byte[] ask(String other, String fabric, String id) {
            throw new IllegalStateException("there is no other replica");
        }
    }

    @Inject
    CounterSources(Settings settings, SteadyClock steady, Clock clock) {
        this(
                new MetricsWay(settings.counters().hosts().orElse(List.of()), LIMIT, MetricsWay.MOST_BYTES),
                steady,
                clock);
    }

    CounterSources(MetricsWay way, SteadyClock steady, Clock clock) {
        this.way = way;
        this.steady = steady;
        this.clock = clock;
        this.fetched = new FetchedPorts(steady);
    }

    /** Until this is called each replica asks all exporters. */
    public void share(Others replicas) {
        others = replicas;
    }

    private static String name(ServedFabric fabric, CounterSource source) {
        return "exporter " + fabric.name() + " " + id(source);
    }

    /** By which replicas know an entry of {@code spec.counters}: several may have one url, and ask for other counters there. */
    static String id(CounterSource source) {
        return HexFormat.of().formatHex(Sha256.of(source.toString()));
    }

    /** Asks those that are this replica's, all at one time, and waits for them. */
    public void look(Collection<ServedFabric> fabrics) throws InterruptedException {
        Set<Key> mine = new HashSet<>();
        List<Callable<Void>> looks = new ArrayList<>();
        for (ServedFabric fabric : fabrics) {
            List<Switch> switches = fabric.parts().switches();
            for (CounterSource source : fabric.facts().spec().counters()) {
                Key key = new Key(fabric.name(), source);
                if (others.otherFor(name(fabric, source)) == null && mine.add(key)) {
                    Exporter exporter = exporters.computeIfAbsent(key, any -> new Exporter(source, steady, clock));
                    looks.add(() -> {
                        exporter.look(switches, way);
                        return null;
                    });
                }
            }
        }
        exporters.keySet().retainAll(mine);
        if (looks.isEmpty()) {
            return;
        }
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            threads.invokeAll(looks);
        }
    }

    /** What is known of a fabric's ports, one for each of its exporters. */
    List<PortTrafficAnswer> of(ServedFabric fabric) throws InterruptedException {
        List<PortTrafficAnswer> all = new ArrayList<>();
        for (CounterSource source : fabric.facts().spec().counters()) {
            String other = others.otherFor(name(fabric, source));
            all.add(other == null ? here(fabric.name(), source) : there(other, fabric.name(), source));
        }
        return all;
    }

    private PortTrafficAnswer here(String fabric, CounterSource source) {
        Exporter exporter = exporters.get(new Key(fabric, source));
        return exporter == null ? problem(source.url() + " has not been asked yet") : exporter.answer();
    }

    private PortTrafficAnswer there(String other, String fabric, CounterSource source) throws InterruptedException {
        try {
            return fetched.from(
                    other + " " + fabric + " " + source.url() + " " + id(source),
                    () -> others.ask(other, fabric, id(source)));
        } catch (IOException e) {
            return problem("replica " + other + " does not tell what " + source.url() + " says: " + e.getMessage());
        }
    }

    private static PortTrafficAnswer problem(String sentence) {
        return new PortTrafficAnswer(null, null, sentence, List.of(), List.of(), null, null);
    }

    /**
     * For another replica: JSON, compressed; {@code null} where this one does not ask that exporter.
     *
     * @param id of the entry of {@code spec.counters}
     */
    public byte @Nullable [] document(String fabric, String id) throws IOException {
        Exporter exporter = exporters.entrySet().stream()
                .filter(each -> each.getKey().fabric().equals(fabric)
                        && id(each.getKey().source()).equals(id))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
        if (exporter == null) {
            return null;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(bytes)) {
            JSON.writeValue(gzip, exporter.answer());
        }
        return bytes.toByteArray();
    }

    @PreDestroy
    void stop() {
        way.close();
    }
}
