/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.ApiReader;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.LaunchRequest;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.PodOwnerKind;
import dev.fabricoperator.operator.server.http.ServingIdentity;
import dev.fabricoperator.operator.server.served.ServedModels;
import io.fabric8.kubernetes.client.KubernetesClient;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Decides about pods that are to be made, with what this server knows of their surroundings. */
@ApplicationScoped
public class PodAdmission {
    private static final Logger LOG = Logger.getLogger(PodAdmission.class);
    /** Jobs that are read at one time. */
    private static final int READS = 32;
    /** A server that has just begun shall not decide otherwise than one that has run for long. */
    private static final Duration VERSIONS_WAIT = Duration.ofSeconds(10);

    private static final String FORCED = "the operator's setting FABRIC_OPERATOR_ADMISSION_POD_SHAPE says so";

    private final AdmissionSettings settings;
    private final ServingIdentity identity;
    private final Injection injection;
    private final OwnerJobs owners;
    private final NamespaceBounds bounds;
    private final JobServiceAddresses addresses;
    private final ClusterVersions versions;
    private final ClusterId clusterId;
    private final Supplier<List<FabricFacts>> fabrics;

    @Inject
    PodAdmission(
            AdmissionSettings settings,
            Settings operator,
            ServingIdentity identity,
            KubernetesClient client,
            SteadyClock clock,
            Informers informers,
            ServedModels known) {
        this(settings, operator, identity, client, clock, informers, known::fabricFacts);
    }

    /** @param fabrics all of the cluster, as they are now */
    PodAdmission(
            AdmissionSettings settings,
            Settings operator,
            ServingIdentity identity,
            KubernetesClient client,
            SteadyClock clock,
            Informers informers,
            Supplier<List<FabricFacts>> fabrics) {
        this.fabrics = fabrics;
        this.settings = settings;
        this.identity = identity;
        this.injection = new Injection(settings);
        this.owners = new OwnerJobs(new ApiReader(client, READS), clock, settings.ownerWait());
        this.bounds = new NamespaceBounds(client, informers);
        this.addresses = new JobServiceAddresses(client, informers, operator.namespace());
        this.versions = new ClusterVersions(client, informers, clock);
        this.clusterId = new ClusterId(client, informers);
    }

    void start() {
        bounds.start();
        addresses.start();
        clusterId.start();
        if (settings.podShape() == AdmissionSettings.PodShapeChoice.AUTO) {
            versions.start(VERSIONS_WAIT);
        }
    }

    /** @param requiresPmix whether the pod's namespace has the label of that name, which the API server knows: it asks so */
    AdmissionStep decide(AdmissionReview review, boolean requiresPmix) {
        boolean direct = LaunchRequest.isDirect(LaunchRequest.annotations(review.object()));
        // What the launcher of an MPIJob asks for is what the MPIJob says.
        OwnerRef owner = direct || MpiJobInjection.role(review.object()) == MpiJobInjection.Role.LAUNCHER
                ? OwnerRef.controller(review.object())
                : null;
        String namespace = review.namespace();
        return owner == null || PodOwnerKind.of(owner) == null
                ? decision(review, null, requiresPmix)
                : (AdmissionStep.Question) () -> owned(namespace, owner, direct, requiresPmix);
    }

    private Function<AdmissionReview, AdmissionStep> owned(
            String namespace, OwnerRef owner, boolean direct, boolean requiresPmix) {
        try {
            DirectJob job = owners.of(namespace, owner);
            return review -> decision(review, job, requiresPmix);
        } catch (IOException e) {
            if (!direct) {
                // Its own annotations may say so too, and it may be of no launch at all.
                String unread = "what the MPIJob of this launcher asks for is not known: " + e.getMessage()
                        + "; it starts as its own annotations say. Where ranks do not start, delete the pod, and its Job makes it again";
                LOG.warnf("a launcher of %s in namespace %s: %s", owner.words(), namespace, unread);
                return review -> decision(review, null, requiresPmix).withOwnerUnread(unread);
            }
            // The size of its PMIx server follows from the Job, and must be that of the job's other pods.
            LOG.infof("a pod of namespace %s is denied: %s", namespace, e.getMessage());
            AdmissionDecision denied = new AdmissionDecision.Denied(
                    "what this pod's Job asks for is not known: " + e.getMessage() + "; its controller makes it again");
            return review -> denied;
        }
    }

    private AdmissionDecision decision(AdmissionReview review, @Nullable DirectJob job, boolean requiresPmix) {
        return injection.of(
                review.object(),
                new Injection.Surroundings(
                        review.namespace(),
                        jobService(),
                        job,
                        bounds.of(review.namespace()),
                        requiresPmix,
                        fabrics.get(),
                        imageVolumes()));
    }

    private ImageVolumeSupport imageVolumes() {
        return switch (settings.podShape()) {
            case AUTO -> versions.imageVolumes();
            case IMAGE_VOLUME -> new ImageVolumeSupport(true, FORCED);
            case SECOND_CONTAINER -> new ImageVolumeSupport(false, FORCED);
        };
    }

    private @Nullable JobService jobService() {
        String authority = identity.authorityPem();
        return authority == null
                ? null
                : new JobService(settings.jobService().orElseGet(addresses::urls), authority, clusterId.known());
    }
}
