/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.query;

import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ServiceAccountTokens;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** ServiceAccounts that ask. */
public final class Users {
    private static final String NAMESPACE = "default";
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final Duration PAUSE = Duration.ofMillis(50);
    private final Cluster cluster;

    public Users(Cluster cluster) {
        this.cluster = cluster;
    }

    /** A new one that may nothing; the token is valid for two hours. */
    public String stranger(String name) {
        cluster.admin()
                .resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withNamespace(NAMESPACE)
                        .endMetadata()
                        .build())
                .create();
        return ServiceAccountTokens.ofAccount(cluster.admin(), NAMESPACE, name);
    }

    /** A new one with the ClusterRole {@code fabric-query-viewer}. */
    public String viewer(String name) {
        return bound(name, "fabric-query-viewer", "cost");
    }

    /** A new one with the ClusterRole {@code fabric-traffic-viewer}. */
    public String trafficViewer(String name) {
        return bound(name, "fabric-traffic-viewer", "hotspots");
    }

    private String bound(String name, String role, String subresource) {
        String token = stranger(name);
        cluster.admin()
                .resource(new ClusterRoleBindingBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", role)
                        .addNewSubject("", "ServiceAccount", name, NAMESPACE)
                        .build())
                .create();
        awaitAllowed(name, subresource);
        return token;
    }

    /** The API server takes up a binding a moment after it was created. */
    private void awaitAllowed(String name, String subresource) {
        SubjectAccessReview question = new SubjectAccessReviewBuilder()
                .withNewSpec()
                .withUser(userName(name))
                .withNewResourceAttributes()
                .withGroup("query.fabric-operator.dev")
                .withResource("fabrics")
                .withSubresource(subresource)
                .withVerb("get")
                .endResourceAttributes()
                .endSpec()
                .build();
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!cluster.admin()
                .authorization()
                .v1()
                .subjectAccessReview()
                .create(question)
                .getStatus()
                .getAllowed()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(userName(name) + " may not ask after " + LIMIT.toSeconds() + " s");
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    /** As the user of that name is called by the API server. */
    public static String userName(String name) {
        return "system:serviceaccount:" + NAMESPACE + ":" + name;
    }

    public void delete(String name) {
        cluster.admin().serviceAccounts().inNamespace(NAMESPACE).withName(name).delete();
    }
}
