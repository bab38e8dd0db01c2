/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jboss.logging.Logger;

/** Decides about a pod some hundred times before the first real one comes: the first runs of Java code are slow, and a webhook has two seconds. */
final class WarmUp {
    private static final Logger LOG = Logger.getLogger(WarmUp.class);
    private static final int ROUNDS = 300;
    private static final Duration MOST = Duration.ofSeconds(2);
    private static final byte[] REVIEW = """
            {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "warm-up", "namespace": "warm-up", "object": {
              "apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "warm-up-", "annotations": {
                "fabric-operator.dev/launch": "direct", "fabric-operator.dev/ranks-per-pod": "4", "batch.kubernetes.io/job-completion-index": "0"},
                "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "warm-up", "uid": "warm-up", "controller": true}]},
              "spec": {"restartPolicy": "Never", "containers": [{"name": "app", "image": "app", "command": ["app"], "args": ["-v"],
                "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "2Gi"}}}]}}}}
            """.getBytes(StandardCharsets.UTF_8);

    private WarmUp() {}

    static void run(AdmissionSettings settings) {
        Injection injection = new Injection(settings);
        Injection.Surroundings around = new Injection.Surroundings(
                "warm-up",
                new JobService(List.of("https://warm-up.example:443"), "warm-up", null),
                null,
                ContainerBounds.NONE,
                false,
                List.of(),
                new ImageVolumeSupport(
                        settings.podShape() != AdmissionSettings.PodShapeChoice.SECOND_CONTAINER, "warm-up"));
        long start = System.nanoTime();
        try {
            for (int round = 0; round < ROUNDS && System.nanoTime() - start < MOST.toNanos(); round++) {
                AdmissionReview review = AdmissionReview.read(REVIEW);
                review.answer(injection.of(review.object(), around));
            }
        } catch (IOException e) {
            throw new IllegalStateException("the pod of the warm-up is one", e);
        }
        LOG.debugf("warm after %d ms", (System.nanoTime() - start) / 1_000_000);
    }
}
