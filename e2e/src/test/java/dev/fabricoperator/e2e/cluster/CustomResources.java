/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Definitions of custom resources that a test takes away. */
public final class CustomResources {
    private CustomResources() {}

    /** Deletes definitions with their objects, and returns when the API server has forgotten them. */
    public static void delete(KubernetesClient admin, List<String> names) {
        var definitions = admin.apiextensions().v1().customResourceDefinitions();
        names.forEach(name -> definitions.withName(name).delete());
        AtomicInteger looks = new AtomicInteger();
        eventually(() -> {
            List<String> left = all(admin).stream().filter(names::contains).toList();
            for (String name : left) {
                // An API server that was just making the storage of a kind anew tries to delete its objects when the
                // definition changes, or five minutes later.
                definitions
                        .withName(name)
                        .patch(
                                PatchContext.of(PatchType.JSON_MERGE),
                                "{\"metadata\":{\"annotations\":{\"looked-at\":\"" + looks.incrementAndGet() + "\"}}}");
            }
            assertThat(left).isEmpty();
        });
    }

    /** Deletes all that there are. */
    public static void deleteAll(KubernetesClient admin) {
        delete(admin, all(admin));
    }

    private static List<String> all(KubernetesClient admin) {
        return admin.apiextensions().v1().customResourceDefinitions().list().getItems().stream()
                .map(definition -> definition.getMetadata().getName())
                .toList();
    }
}
