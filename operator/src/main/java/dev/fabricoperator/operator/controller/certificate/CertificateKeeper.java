/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.certificate;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.crds.ServerSideApply;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.CertificateSettings;
import dev.fabricoperator.operator.cluster.GuardedLoop;
import dev.fabricoperator.operator.cluster.GuardedLoops;
import dev.fabricoperator.operator.cluster.KeyPairPem;
import dev.fabricoperator.operator.cluster.ServingSecret;
import dev.fabricoperator.operator.controller.WaitingJobs;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import jakarta.enterprise.context.ApplicationScoped;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps, while this controller leads, the authority, the serving certificate and everybody who must know of them as they should be.
 *
 * <p>A serving Secret that the operator has not made, as one of cert-manager, stays as it is, and its authority is the one that is made known.
 */
@ApplicationScoped
public class CertificateKeeper {
    private static final Logger LOG = Logger.getLogger(CertificateKeeper.class);
    private static final String MADE_BY = "app.kubernetes.io/managed-by";
    private static final String OPERATOR = "fabric-operator";
    private static final String NEXT = "next-";
    private static final String PREVIOUS = "previous-";
    private static final PatchContext APPLY = ServerSideApply.by(FabricApi.OPERATOR_FIELD_MANAGER + "-certificates");

    private final KubernetesClient client;
    private final Settings operator;
    private final CertificateSettings settings;
    private final Clock clock;
    private final TrustWriter trust;
    private final GuardedLoops loops;
    private final WaitingJobs waiting;
    private @Nullable GuardedLoop loop;

    CertificateKeeper(
            KubernetesClient client,
            Settings operator,
            CertificateSettings settings,
            GuardedLoops loops,
            WaitingJobs waiting,
            Clock clock) {
        this.client = client;
        this.operator = operator;
        this.settings = settings;
        this.loops = loops;
        this.waiting = waiting;
        this.clock = clock;
        this.trust = new TrustWriter(client, APPLY, operator.namespace());
    }

    /** Starts to renew what is due; returns at once. */
    public synchronized void start() {
        if (loop == null) {
            loop = loops.start("certificates", () -> {
                String bundle = keep(clock.instant());
                if (bundle != null && trust.tell(bundle)) {
                    waiting.wakeSoon();
                }
                Thread.sleep(settings.interval());
            });
        }
    }

    /** Renews what is due, and returns whom to trust; {@code null} where a Secret of somebody else does not say. */
    private @Nullable String keep(Instant now) {
        Secret serving = secret(settings.servingSecret());
        if (serving != null && !OPERATOR.equals(label(serving))) {
            return ServingSecret.text(serving, ServingSecret.AUTHORITY);
        }
        Secret kept = secret(settings.authoritySecret());
        Authorities before = kept == null ? null : authorities(kept);
        Authorities after = before == null
                ? Authorities.first(now, settings.authorityValidity())
                : before.at(now, settings.authorityValidity(), settings.handover());
        if (!after.equals(before)) {
            write(settings.authoritySecret(), kept, "Opaque", data(after));
            LOG.infof("%s signs", after.current());
        }
        String bundle = after.bundlePem();
        KeyPairPem current = ServingSecret.pair(serving);
        KeyPairPem pair = current != null && ServingPlan.stillDoes(current, after.current(), names(), now)
                ? current
                : after.current().issue(names(), now, settings.servingValidity());
        boolean renewed = !pair.equals(current);
        if (renewed || !bundle.equals(ServingSecret.text(serving, ServingSecret.AUTHORITY))) {
            write(
                    settings.servingSecret(),
                    serving,
                    "kubernetes.io/tls",
                    Map.of(
                            ServingSecret.CERTIFICATE,
                            pair.certificate(),
                            ServingSecret.KEY,
                            pair.key(),
                            ServingSecret.AUTHORITY,
                            bundle));
            LOG.infof("serving certificate %s", renewed ? "renewed" : "with another bundle of authorities");
        }
        return bundle;
    }

    private List<String> names() {
        List<String> names = new ArrayList<>();
        for (String service : List.of(LaunchApi.WEBHOOK_SERVICE, LaunchApi.QUERY_SERVICE, LaunchApi.JOB_SERVICE)) {
            String name = service + "." + operator.namespace() + ".svc";
            names.add(name);
            names.add(name + ".cluster.local");
        }
        return names;
    }

    private @Nullable Secret secret(String name) {
        return client.secrets().inNamespace(operator.namespace()).withName(name).get();
    }

    private static @Nullable String label(Secret secret) {
        Map<String, String> labels = secret.getMetadata().getLabels();
        return labels == null ? null : labels.get(MADE_BY);
    }

    private static @Nullable Authorities authorities(Secret secret) {
        try {
            KeyPairPem current = ServingSecret.pair(secret);
            if (current == null) {
                throw new GeneralSecurityException("no certificate with its key");
            }
            String nextCertificate = ServingSecret.text(secret, NEXT + ServingSecret.CERTIFICATE);
            String nextKey = ServingSecret.text(secret, NEXT + ServingSecret.KEY);
            return new Authorities(
                    Authority.read(current),
                    nextCertificate == null || nextKey == null
                            ? null
                            : Authority.read(new KeyPairPem(nextCertificate, nextKey)),
                    ServingSecret.text(secret, PREVIOUS + ServingSecret.CERTIFICATE));
        } catch (GeneralSecurityException e) {
            LOG.errorf(
                    "the authority in Secret %s cannot be read, and another one is made: %s",
                    secret.getMetadata().getName(), e.getMessage());
            return null;
        }
    }

    private static Map<String, String> data(Authorities authorities) {
        Map<String, String> data = new LinkedHashMap<>();
        data.put(ServingSecret.CERTIFICATE, authorities.current().certificatePem());
        data.put(ServingSecret.KEY, authorities.current().keyPem());
        Authority next = authorities.next();
        if (next != null) {
            data.put(NEXT + ServingSecret.CERTIFICATE, next.certificatePem());
            data.put(NEXT + ServingSecret.KEY, next.keyPem());
        }
        String previous = authorities.previousPem();
        if (previous != null) {
            data.put(PREVIOUS + ServingSecret.CERTIFICATE, previous);
        }
        return data;
    }

    /** @param before what was decided upon: where it has changed since, this fails with a conflict and is looked at again */
    private void write(String name, @Nullable Secret before, String type, Map<String, String> texts) {
        Map<String, String> data = new LinkedHashMap<>();
        texts.forEach((key, text) -> data.put(key, ServingSecret.encoded(text)));
        Secret wanted = new SecretBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(operator.namespace())
                .withResourceVersion(
                        before == null ? null : before.getMetadata().getResourceVersion())
                .addToLabels("app.kubernetes.io/name", OPERATOR)
                .addToLabels("app.kubernetes.io/part-of", OPERATOR)
                .addToLabels(MADE_BY, OPERATOR)
                .endMetadata()
                .withType(type)
                .withData(data)
                .build();
        client.resource(wanted).patch(APPLY);
    }
}
