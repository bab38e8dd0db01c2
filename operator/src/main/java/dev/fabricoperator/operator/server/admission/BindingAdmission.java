/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.cluster.ApiReader;
import dev.fabricoperator.operator.cluster.ApiReader.ObjectPath;
import dev.fabricoperator.operator.launch.LaunchRequest;
import dev.fabricoperator.operator.server.served.ServedModels;
import io.fabric8.kubernetes.client.KubernetesClient;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jboss.logging.Logger;

/**
 * Decides about bindings of pods to nodes. The devices of the node are those that the process knows; only the pod is read, which is in no binding, and
 * only where something is known of its node's devices.
 */
@ApplicationScoped
public class BindingAdmission {
    private static final Logger LOG = Logger.getLogger(BindingAdmission.class);
    /** Pods that are read at one time. */
    private static final int READS = 32;
    /** Less than the webhook's own time. */
    private static final Duration READ_WAIT = Duration.ofSeconds(2);

    private final ApiReader reader;
    private final ServedModels known;

    BindingAdmission(KubernetesClient client, ServedModels known) {
        this.reader = new ApiReader(client, READS);
        this.known = known;
    }

    /** Fails open: a pod that is not known in time keeps the values that leave the choice to its libraries. */
    AdmissionStep decide(AdmissionReview review) {
        String node = review.object().at("/target/name").asText();
        DeviceVariable.Node usable = usable(node, List.of());
        Map<String, String> place = PodPlace.labels(known.devicesOf(node), known.fabricFacts());
        ObjectPath path = ObjectPath.of(
                "v1",
                "pods",
                review.namespace(),
                review.object().at("/metadata/name").asText());
        return usable.isEmpty() || path == null
                ? changed(review, place, binding -> {})
                : (AdmissionStep.Question) () -> pod(path, node, place);
    }

    private static AdmissionDecision changed(
            AdmissionReview review, Map<String, String> place, Consumer<ObjectNode> more) {
        ObjectNode binding = review.object().deepCopy();
        place.forEach((key, value) -> binding.withObject("/metadata/labels").put(key, value));
        more.accept(binding);
        return AdmissionDecision.between(review.object(), binding, List.of());
    }

    private DeviceVariable.Node usable(String node, List<String> fabrics) {
        return UsableDevices.of(known.devicesOf(node), known.fabricFacts(), known.jobTraffic(), fabrics);
    }

    private Function<AdmissionReview, AdmissionStep> pod(ObjectPath path, String node, Map<String, String> place) {
        try {
            JsonNode pod = reader.get(path, READ_WAIT);
            if (pod != null
                    && pod.at("/metadata/labels")
                            .path(LaunchApi.LAUNCH)
                            .asText()
                            .equals(LaunchApi.ENV)) {
                List<String> named = LaunchRequest.fabrics(LaunchRequest.annotations(pod));
                DeviceVariable.Node usable = usable(node, named);
                return review -> changed(
                        review,
                        place,
                        binding -> EnvironmentInjection.bind(
                                binding,
                                pod,
                                usable,
                                () -> PodPlace.document(
                                        pod.at("/metadata/name").asText(),
                                        known.devicesOf(node),
                                        known.fabricFacts(),
                                        named)));
            }
        } catch (IOException | TimeoutException | LaunchRequest.InvalidAnnotationException e) {
            LOG.warnf("%s gets no devices of node %s: %s", path.path(), node, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return review -> changed(review, place, binding -> {});
    }
}
