/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The store of one informer, which keeps facts instead of objects.
 *
 * <p>A FabricDevice of 3 to 5 kB leaves some 400 bytes here; managedFields, annotations, GIDs, distances and accelerators
 * go. What the informer gets back is an object shaped from the facts: with its name and resource version, which is all
 * that the informer itself reads, and whatever else a shape of its own puts there.
 *
 * <p>Listeners hear of a change before any event handler does, and also of what a new list after a lost watch (410)
 * brought or took.
 *
 * @param <R> the kind of object
 * @param <F> what is kept of it
 */
public final class FactStore<R extends HasMetadata, F extends Fact> implements ItemStore<R> {
    private static final Logger LOG = Logger.getLogger(FactStore.class);
    private static final Duration STEP = Duration.ofMillis(20);

    private final ConcurrentSkipListMap<String, F> facts = new ConcurrentSkipListMap<>();
    private final Predicate<R> isKnown;
    private final Function<R, F> reduce;
    private final BiFunction<String, F, R> shape;
    private volatile Listener<F> listener = (before, after) -> {};

    /** Hears of changes, on the informer's thread. */
    @FunctionalInterface
    public interface Listener<F> {
        /**
         * @param before {@code null} for a new object
         * @param after {@code null} for one that is gone
         */
        void changed(@Nullable F before, @Nullable F after);
    }

    /** @param empty makes an object, which gets the names and versions that the informer needs */
    public FactStore(Function<R, F> reduce, Supplier<R> empty) {
        this(all -> true, reduce, empty);
    }

    /**
     * @param isKnown for the others, which a later release may have written, there is nothing here, and a line in the log
     * @param empty makes an object, which gets the names and versions that the informer needs
     */
    public FactStore(Predicate<R> isKnown, Function<R, F> reduce, Supplier<R> empty) {
        this.isKnown = isKnown;
        this.reduce = reduce;
        this.shape = (key, fact) -> {
            int slash = key.indexOf('/');
            R object = empty.get();
            object.setMetadata(new ObjectMetaBuilder()
                    .withNamespace(slash < 0 ? null : key.substring(0, slash))
                    .withName(fact.name())
                    .withUid(fact.uid())
                    .withResourceVersion(fact.resourceVersion())
                    .build());
            return object;
        };
    }

    /** @param shape makes the object that the informer gives to others */
    public FactStore(Function<R, F> reduce, Function<F, R> shape) {
        this.isKnown = all -> true;
        this.reduce = reduce;
        this.shape = (key, fact) -> shape.apply(fact);
    }

    /** The one listener; set before the informer starts. */
    public void listen(Listener<F> onChange) {
        listener = onChange;
    }

    /** All facts, by key: those of cluster-scoped objects ascend by name, which makes sorting them cheap. */
    public List<F> facts() {
        return new ArrayList<>(facts.values());
    }

    /** The facts of a cluster-scoped object. */
    public @Nullable F fact(String name) {
        return facts.get(name);
    }

    /** Waits until stores show what was written. Gives up after {@code limit}: somebody may have changed or deleted it at once. */
    public static void await(BooleanSupplier shown, Duration limit) throws InterruptedException {
        long begun = System.nanoTime();
        while (!shown.getAsBoolean() && System.nanoTime() - begun < limit.toNanos()) {
            Thread.sleep(STEP);
        }
    }

    @Override
    public String getKey(R object) {
        return Cache.metaNamespaceKeyFunc(object);
    }

    @Override
    @SuppressWarnings("NullAway") // fabric8 says null where there was nothing
    public R put(String key, R object) {
        if (!isKnown.test(object)) {
            LOG.warnf(
                    "%s %s has a value that this release does not know, and is taken for none",
                    object.getKind(), object.getMetadata().getName());
            return remove(key);
        }
        F after = reduce.apply(object);
        F before = facts.put(key, after);
        if (before == null || !Objects.equals(before.resourceVersion(), after.resourceVersion())) {
            listener.changed(before, after);
        }
        return before == null ? null : shape.apply(key, before);
    }

    @Override
    @SuppressWarnings("NullAway") // fabric8 says null where there was nothing
    public R remove(String key) {
        F before = facts.remove(key);
        if (before == null) {
            return null;
        }
        listener.changed(before, null);
        return shape.apply(key, before);
    }

    @Override
    public Stream<String> keySet() {
        return facts.keySet().stream();
    }

    @Override
    public Stream<R> values() {
        return facts.entrySet().stream().map(entry -> shape.apply(entry.getKey(), entry.getValue()));
    }

    @Override
    public int size() {
        return facts.size();
    }

    @Override
    @SuppressWarnings("NullAway") // fabric8 says null where there is nothing
    public R get(String key) {
        F fact = facts.get(key);
        return fact == null ? null : shape.apply(key, fact);
    }
}
