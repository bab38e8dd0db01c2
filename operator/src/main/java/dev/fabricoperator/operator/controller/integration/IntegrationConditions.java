/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The conditions that one integration gives to Fabrics. */
public final class IntegrationConditions {
    private volatile @Nullable SortedMap<String, ConditionDraft> drafts;
    private volatile Consumer<Set<String>> onChange = fabrics -> {};

    void listen(Consumer<Set<String>> changed) {
        onChange = changed;
    }

    /** By Fabric; {@code null} before the first look. */
    @Nullable
    SortedMap<String, ConditionDraft> drafts() {
        return drafts;
    }

    /** What a Fabric was given last. */
    public @Nullable ConditionDraft last(String fabric) {
        SortedMap<String, ConditionDraft> last = drafts;
        return last == null ? null : last.get(fabric);
    }

    /** @param next not changed any more */
    public void set(ClusterModel model, SortedMap<String, ConditionDraft> next) {
        SortedMap<String, ConditionDraft> before = drafts;
        drafts = next;
        Set<String> changed = new HashSet<>(next.keySet());
        if (before == null) {
            // Whoever led before may have said something of Fabrics of which there is nothing to be said now.
            changed.addAll(model.fabrics().keySet());
        } else {
            changed.addAll(before.keySet());
            changed.removeIf(fabric -> Objects.equals(before.get(fabric), next.get(fabric)));
        }
        if (!changed.isEmpty()) {
            onChange.accept(changed);
        }
    }
}
