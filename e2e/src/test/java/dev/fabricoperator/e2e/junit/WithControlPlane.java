/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.junit;

import dev.fabricoperator.e2e.cluster.Component;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;

/**
 * Gives the tests of a class a real API server.
 *
 * By default one control plane serves all classes of the JVM, which take turns on it, and each class has a namespace of its own in it; cluster-scoped objects
 * are shared, so delete them. With {@code own = true} the class has a control plane to itself and may stop it, restart it, or fill it; it runs beside other classes.
 *
 * Parameters of test and lifecycle methods are filled by type: {@code Cluster}, {@code ControlPlane} (aborts the test on an existing cluster),
 * {@code KubernetesClient} (administrator), and {@code @ClassNamespace String}.
 *
 * With {@code -Dfabric.e2e.context=NAME} the shared cluster is the one that the kubeconfig's context names, and classes with {@code own = true} are aborted.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ControlPlaneExtension.class)
@ResourceLock(providers = WithControlPlane.InTurn.class)
public @interface WithControlPlane {
    /** A control plane for this class alone. */
    boolean own() default false;

    /** What the class needs beside etcd and the API server. */
    Component[] needs() default {};

    /** Whether the API server answers watches from memory; only for a control plane of its own. */
    boolean watchCache() default true;

    /** After how long without heartbeat a node is NotReady; only for a control plane of its own. */
    int nodeGraceSeconds() default 50;

    /** Only one class at a time has the shared control plane, since devices, fabrics and the operator's lease are there once. */
    final class InTurn implements ResourceLocksProvider {
        @Override
        public Set<Lock> provideForClass(Class<?> test) {
            return test.getAnnotation(WithControlPlane.class).own()
                    ? Set.of()
                    : Set.of(new Lock("shared control plane"));
        }
    }
}
