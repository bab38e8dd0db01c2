/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FactStoreTest {
    private final FactStore<Node, NodeFacts> store = new FactStore<>(NodeFacts::of, Node::new);

    @Test
    void theInformerGetsBackNamesAndVersions() {
        store.put("n1", node("n1", "5"));
        assertThat(store.get("n1").getMetadata().getName()).isEqualTo("n1");
        assertThat(store.get("n1").getMetadata().getResourceVersion()).isEqualTo("5");
        assertThat(store.put("n1", node("n1", "6")).getMetadata().getResourceVersion())
                .isEqualTo("5");
        assertThat(store.values()).hasSize(1);
        assertThat(store.remove("n1").getMetadata().getName()).isEqualTo("n1");
        assertThat(store.get("n1")).isNull();
        assertThat(store.remove("n1")).isNull();
    }

    @Test
    void aDuplicatedEventIsNoChange() {
        List<String> heard = new ArrayList<>();
        store.listen((before, after) -> heard.add((before == null ? "" : before.resourceVersion()) + ">"
                + (after == null ? "" : after.resourceVersion())));
        store.put("n1", node("n1", "5"));
        store.put("n1", node("n1", "5"));
        store.put("n1", node("n1", "6"));
        store.remove("n1");
        store.remove("n1");
        assertThat(heard).containsExactly(">5", "5>6", "6>");
    }

    @Test
    void whatThisReleaseDoesNotKnowAnyMoreIsNoObject() {
        List<String> heard = new ArrayList<>();
        FactStore<Node, NodeFacts> known =
                new FactStore<>(node -> !node.getMetadata().getResourceVersion().equals("6"), NodeFacts::of, Node::new);
        known.listen((before, after) -> heard.add(after == null ? "gone" : after.resourceVersion()));
        known.put("n1", node("n1", "5"));
        known.put("n1", node("n1", "6"));
        known.put("n1", node("n1", "6"));
        assertThat(known.facts()).isEmpty();
        known.put("n1", node("n1", "7"));
        assertThat(heard).containsExactly("5", "gone", "7");
    }

    private static Node node(String name, String version) {
        return new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .withResourceVersion(version)
                .endMetadata()
                .build();
    }
}
