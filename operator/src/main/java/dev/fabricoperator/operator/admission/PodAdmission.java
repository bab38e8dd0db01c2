/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.certificate.ServingIdentity;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Judges pods that are to be made, with what this server knows of their surroundings. */
@ApplicationScoped
public class PodAdmission {
    private static final int JOB_SERVICE_PORT = 9444;

    private final AdmissionSettings settings;
    private final Settings operator;
    private final ServingIdentity identity;
    private final Injection injection;

    PodAdmission(AdmissionSettings settings, Settings operator, ServingIdentity identity) {
        this.settings = settings;
        this.operator = operator;
        this.identity = identity;
        this.injection = new Injection(settings);
    }

    void start() {}

    void stop() {}

    Verdict judge(AdmissionReview review) {
        ObjectNode pod = review.object();
        return injection.of(pod, new Injection.Surroundings(jobService(), null, ContainerBounds.NONE));
    }

    private @Nullable JobService jobService() {
        String authority = identity.authorityPem();
        return authority == null
                ? null
                : new JobService(
                        settings.jobService()
                                .orElseGet(() -> List.of("https://" + LaunchApi.JOB_SERVICE + "." + operator.namespace()
                                        + ".svc:" + JOB_SERVICE_PORT)),
                        authority);
    }
}
