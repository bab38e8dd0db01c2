/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.junit;

import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptionsBuilder;
import dev.fabricoperator.e2e.cluster.ExistingCluster;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestWatcher;
import org.opentest4j.TestAbortedException;

/** See {@link WithControlPlane}. */
final class ControlPlaneExtension implements BeforeAllCallback, ParameterResolver, TestWatcher {
    private static final Namespace KEYS = Namespace.create(ControlPlaneExtension.class);

    /** A cluster in JUnit's store, which closes it at the end of the class or of the JVM's tests. */
    private record Held(Cluster cluster) implements AutoCloseable {
        @Override
        public void close() {
            cluster.close();
        }
    }

    /** What a class uses. Not closeable: JUnit closes whatever is, at the end of the class that put it into its store. */
    private record Used(Cluster cluster) {}

    @Override
    public void beforeAll(ExtensionContext context) {
        WithControlPlane wanted = annotation(context);
        Held held = wanted.own() ? own(context, wanted) : shared(context);
        if (!wanted.own() && held.cluster() instanceof ControlPlane controlPlane) {
            Arrays.stream(wanted.needs()).sorted().forEach(controlPlane::ensure);
        }
        String namespace = namespaceFor(context.getRequiredTestClass());
        held.cluster()
                .admin()
                .namespaces()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(namespace)
                        .endMetadata()
                        .build())
                .create();
        context.getStore(KEYS).put(Used.class, new Used(held.cluster()));
        context.getStore(KEYS).put(ClassNamespace.class, namespace);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Cluster.class
                || type == ControlPlane.class
                || type == KubernetesClient.class
                || (type == String.class && parameter.isAnnotated(ClassNamespace.class));
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        if (type == String.class) {
            return context.getStore(KEYS).get(ClassNamespace.class, String.class);
        }
        Cluster cluster = cluster(context);
        if (type == KubernetesClient.class) {
            return cluster.admin();
        }
        if (type == ControlPlane.class && !(cluster instanceof ControlPlane)) {
            throw new TestAbortedException("needs a control plane of its own, not an existing cluster");
        }
        return cluster;
    }

    @Override
    public void testFailed(ExtensionContext context, Throwable cause) {
        if (cluster(context) instanceof ControlPlane controlPlane) {
            System.err.println(context.getDisplayName() + " failed; logs of its control plane: "
                    + controlPlane.keep().resolve("log"));
        }
    }

    private static Held own(ExtensionContext context, WithControlPlane wanted) {
        if (ExistingCluster.contextAskedFor().isPresent()) {
            throw new TestAbortedException("needs a control plane of its own, not an existing cluster");
        }
        Set<Component> components = Stream.concat(
                        Stream.of(Component.ETCD, Component.API_SERVER), Arrays.stream(wanted.needs()))
                .collect(Collectors.toSet());
        ControlPlaneOptions options = ControlPlaneOptionsBuilder.builder(ControlPlaneOptions.API_ONLY)
                .components(components)
                .watchCache(wanted.watchCache())
                .nodeGraceSeconds(wanted.nodeGraceSeconds())
                .build();
        Held held = new Held(ControlPlane.start(options));
        context.getStore(KEYS).put(Held.class, held);
        return held;
    }

    private static Held shared(ExtensionContext context) {
        return context.getRoot()
                .getStore(KEYS)
                .getOrComputeIfAbsent(
                        Held.class,
                        key -> new Held(ExistingCluster.contextAskedFor()
                                .<Cluster>map(ExistingCluster::ofContext)
                                .orElseGet(() -> ControlPlane.start(ControlPlaneOptions.API_ONLY))),
                        Held.class);
    }

    private static Cluster cluster(ExtensionContext context) {
        return context.getStore(KEYS).get(Used.class, Used.class).cluster();
    }

    private static WithControlPlane annotation(ExtensionContext context) {
        for (Class<?> type = context.getRequiredTestClass(); type != null; type = type.getEnclosingClass()) {
            WithControlPlane found = type.getAnnotation(WithControlPlane.class);
            if (found != null) {
                return found;
            }
        }
        throw new IllegalStateException(context.getRequiredTestClass() + " has no @WithControlPlane");
    }

    private static String namespaceFor(Class<?> test) {
        String name = test.getSimpleName().replaceAll("([a-z])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
        return name.substring(0, Math.min(name.length(), 50)) + "-"
                + UUID.randomUUID().toString().substring(0, 5);
    }
}
