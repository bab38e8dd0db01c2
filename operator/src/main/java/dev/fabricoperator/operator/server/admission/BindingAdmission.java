/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpec;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.crds.Purpose;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import io.fabric8.kubernetes.client.KubernetesClient;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Judges bindings of pods to nodes. Nothing is kept in memory for it: a pod of {@code launch: env} costs a read of itself and a list of its node's devices;
 * any other pod of a namespace that allows injection costs the read.
 */
@ApplicationScoped
public class BindingAdmission {
    private static final Logger LOG = Logger.getLogger(BindingAdmission.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final KubernetesClient client;
    private final AdmissionSettings settings;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    BindingAdmission(KubernetesClient client, AdmissionSettings settings) {
        this.client = client;
        this.settings = settings;
    }

    void stop() {
        threads.shutdownNow();
    }

    /** Fails open: a pod whose node is not known in time keeps the values that leave the choice to its libraries. */
    AdmissionDecision decide(AdmissionReview review) {
        String pod = review.object().at("/metadata/name").asText();
        String node = review.object().at("/target/name").asText();
        try {
            return CompletableFuture.supplyAsync(() -> decide(review, pod, node), threads)
                    .get(2 * settings.ownerWait().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOG.warnf("devices of node %s are not known in time for pod %s/%s", node, review.namespace(), pod);
        } catch (ExecutionException e) {
            LOG.warnf("devices of node %s for pod %s/%s: %s", node, review.namespace(), pod, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return AdmissionDecision.ALLOWED;
    }

    private AdmissionDecision decide(AdmissionReview review, String name, String node) {
        JsonNode pod = pod(review.namespace(), name);
        return pod != null
                        && pod.at("/metadata/labels")
                                .path(LaunchApi.LAUNCH)
                                .asText()
                                .equals(LaunchApi.ENV)
                ? EnvironmentInjection.bind(review.object(), pod, devices(node))
                : AdmissionDecision.ALLOWED;
    }

    private @Nullable JsonNode pod(String namespace, String name) {
        try {
            String text = client.raw("/api/v1/namespaces/" + namespace + "/pods/" + name);
            return text == null ? null : JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the API server answers in JSON", e);
        }
    }

    private List<DeviceVariable.NodeDevice> devices(String node) {
        List<FabricDevice> found = client.resources(FabricDevice.class)
                .withField("spec.nodeName", node)
                .list()
                .getItems();
        return usable(found, client.resources(Fabric.class).list().getItems());
    }

    /** Those that are up and may carry a job's traffic: none of the management network, none of a fabric for storage. */
    static List<DeviceVariable.NodeDevice> usable(List<FabricDevice> devices, List<Fabric> fabrics) {
        Set<String> others = new HashSet<>();
        for (Fabric fabric : fabrics) {
            Purpose purpose = fabric.getSpec() == null ? null : fabric.getSpec().purpose();
            if (purpose == Purpose.Storage || purpose == Purpose.Management) {
                others.add(fabric.getMetadata().getName());
            }
        }
        List<DeviceVariable.NodeDevice> usable = new ArrayList<>();
        for (FabricDevice device : devices) {
            FabricDeviceSpec spec = device.getSpec();
            FabricDeviceStatus status = device.getStatus();
            boolean elsewhere = status != null && status.fabric() != null && others.contains(status.fabric());
            if (spec.state() == PortState.Active
                    && spec.role() != Role.Management
                    && spec.function() != Function.Virtual
                    && !elsewhere) {
                usable.add(new DeviceVariable.NodeDevice(
                        spec, status == null ? null : status.plane(), status == null ? null : status.index()));
            }
        }
        return usable;
    }
}
