/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.CertificateSettings;
import dev.fabricoperator.operator.cluster.GuardedLoops;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.cluster.KeyPairPem;
import dev.fabricoperator.operator.cluster.ServingSecret;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.vertx.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.X509KeyManager;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The certificate of the cluster's serving Secret, which the controller or cert-manager keeps, or of files.
 *
 * <p>The Secret is watched by its name rather than mounted: a volume would show it up to a minute after it is there.
 */
@ApplicationScoped
public class ClusterCertificate implements ServingIdentity {
    private static final Logger LOG = Logger.getLogger(ClusterCertificate.class);

    private final Vertx vertx;
    private final KubernetesClient client;
    private final Settings operator;
    private final CertificateSettings settings;
    private final GuardedLoops loops;
    private final Informers informers;
    private final List<ServingCertificate> certificates = new CopyOnWriteArrayList<>();
    private volatile @Nullable Secret secret;
    private @Nullable X509KeyManager shared;

    ClusterCertificate(
            Vertx vertx,
            KubernetesClient client,
            Settings operator,
            CertificateSettings settings,
            GuardedLoops loops,
            Informers informers) {
        this.vertx = vertx;
        this.client = client;
        this.operator = operator;
        this.settings = settings;
        this.loops = loops;
        this.informers = informers;
    }

    /** Starts to watch; returns at once. */
    public void start() {
        SharedIndexInformer<Secret> made = informers.make(
                client.secrets().inNamespace(operator.namespace()).withName(settings.servingSecret()));
        made.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(Secret added) {
                take(added);
            }

            @Override
            public void onUpdate(Secret before, Secret after) {
                take(after);
            }

            @Override
            public void onDelete(Secret deleted, boolean unknown) {
                LOG.warn("the serving Secret is deleted, and the last certificate stays");
            }
        });
        made.start();
        loops.start("certificate-files", () -> {
            Thread.sleep(settings.interval());
            refresh();
        });
    }

    private void take(Secret next) {
        secret = next;
        refresh();
    }

    @Override
    public void refresh() {
        certificates.forEach(ServingCertificate::refresh);
    }

    @Override
    public synchronized X509KeyManager keyManager() {
        X509KeyManager there = shared;
        if (there == null) {
            there = keyManager(settings.directory());
            shared = there;
        }
        return there;
    }

    @Override
    public X509KeyManager keyManager(Path directory) {
        ServingCertificate made = new ServingCertificate(
                vertx, directory, () -> pair(settings.directory().equals(directory)));
        certificates.add(made);
        return made.keyManager();
    }

    private @Nullable KeyPairPem pair(boolean looked) {
        KeyPairPem mounted = looked ? null : ServingCertificate.mounted(settings.directory());
        return mounted != null ? mounted : ServingSecret.pair(secret);
    }

    @Override
    public @Nullable String authorityPem() {
        Path file = settings.directory().resolve(ServingSecret.AUTHORITY);
        if (Files.exists(file)) {
            try {
                return Files.readString(file);
            } catch (IOException e) {
                LOG.warnf("%s cannot be read: %s", file, e.getMessage());
            }
        }
        return ServingSecret.text(secret, ServingSecret.AUTHORITY);
    }
}
