/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.Optional;

/** A cluster that runs already, chosen by a context of the user's kubeconfig. It is used, never stopped. */
public final class ExistingCluster implements Cluster {
    private final KubernetesClient admin;
    private final Path kubeconfig;

    private ExistingCluster(KubernetesClient admin, Path kubeconfig) {
        this.admin = admin;
        this.kubeconfig = kubeconfig;
    }

    /** The context asked for by system property {@code fabric.e2e.context} or environment FABRIC_E2E_CONTEXT. */
    public static Optional<String> contextAskedFor() {
        return Optional.ofNullable(System.getProperty("fabric.e2e.context"))
                .or(() -> Optional.ofNullable(System.getenv("FABRIC_E2E_CONTEXT")))
                .filter(context -> !context.isBlank());
    }

    /** @throws IllegalArgumentException when the kubeconfig has no such context */
    public static ExistingCluster ofContext(String context) {
        Config config = Config.autoConfigure(context);
        if (config.getCurrentContext() == null
                || !context.equals(config.getCurrentContext().getName())) {
            throw new IllegalArgumentException("the kubeconfig has no context \"" + context + "\"");
        }
        return new ExistingCluster(
                new KubernetesClientBuilder().withConfig(config).build(), copyWithContext(context));
    }

    // A file of our own, so that programs under test need not be told the context and the user's file is never written.
    private static Path copyWithContext(String context) {
        try {
            Path file = Files.createTempFile(
                    "fabric-operator-",
                    ".kubeconfig",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            file.toFile().deleteOnExit();
            Process view = new ProcessBuilder(
                            Assets.find().kubectl().toString(),
                            "config",
                            "view",
                            "--raw",
                            "--minify",
                            "--flatten",
                            "--context",
                            context)
                    .redirectOutput(file.toFile())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            if (view.waitFor() != 0) {
                throw new IllegalArgumentException("kubectl config view fails for context \"" + context + "\"");
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot copy the kubeconfig", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while reading the kubeconfig", e);
        }
    }

    @Override
    public KubernetesClient admin() {
        return admin;
    }

    @Override
    public String server() {
        return admin.getMasterUrl().toString();
    }

    @Override
    public String authorityPem() {
        Config config = admin.getConfiguration();
        try {
            return config.getCaCertFile() != null
                    ? Files.readString(Path.of(config.getCaCertFile()))
                    : new String(Base64.getDecoder().decode(config.getCaCertData()), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + config.getCaCertFile(), e);
        }
    }

    @Override
    public Path kubeconfig() {
        return kubeconfig;
    }

    @Override
    public Path kubectl() {
        return Assets.find().kubectl();
    }

    @Override
    public void close() {
        admin.close();
    }
}
