/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.crds.Purpose;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.operator.cluster.ApiReader;
import dev.fabricoperator.operator.cluster.ApiReader.ObjectPath;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.operator.server.served.ServedModels;
import io.fabric8.kubernetes.client.KubernetesClient;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;

/**
 * Decides about bindings of pods to nodes. The devices of the node are those that the process knows; only the pod is read, which is in no binding, and
 * only where its node has a device that a job could use.
 */
@ApplicationScoped
public class BindingAdmission {
    private static final Logger LOG = Logger.getLogger(BindingAdmission.class);
    /** Pods that are read at one time. */
    private static final int READS = 32;

    private static final Duration INDEX_KEPT = Duration.ofSeconds(1);

    private final ApiReader reader;
    private final ServedModels known;
    private final AdmissionSettings settings;
    private final Clock clock;
    private volatile NodeIndex index = new NodeIndex(Instant.MIN, Map.of());

    /** The usable devices of each node, sorted out anew once in a while: O(devices of the cluster). */
    private record NodeIndex(Instant until, Map<String, List<DeviceVariable.NodeDevice>> byNode) {}

    BindingAdmission(KubernetesClient client, ServedModels known, AdmissionSettings settings, Clock clock) {
        this.reader = new ApiReader(client, READS);
        this.known = known;
        this.settings = settings;
        this.clock = clock;
    }

    /** Fails open: a pod that is not known in time keeps the values that leave the choice to its libraries. */
    AdmissionDecision decide(AdmissionReview review) {
        String node = review.object().at("/target/name").asText();
        List<DeviceVariable.NodeDevice> devices = devices(node);
        ObjectPath path = ObjectPath.of(
                "v1",
                "pods",
                review.namespace(),
                review.object().at("/metadata/name").asText());
        if (devices.isEmpty() || path == null) {
            return AdmissionDecision.ALLOWED;
        }
        try {
            JsonNode pod = reader.get(path, settings.ownerWait().multipliedBy(2));
            if (pod != null
                    && pod.at("/metadata/labels")
                            .path(LaunchApi.LAUNCH)
                            .asText()
                            .equals(LaunchApi.ENV)) {
                return EnvironmentInjection.bind(review.object(), pod, devices);
            }
        } catch (IOException | TimeoutException e) {
            LOG.warnf("%s gets no devices of node %s: %s", path.path(), node, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return AdmissionDecision.ALLOWED;
    }

    private List<DeviceVariable.NodeDevice> devices(String node) {
        Instant now = clock.instant();
        NodeIndex current = index;
        if (current.until().isBefore(now)) {
            current = new NodeIndex(now.plus(INDEX_KEPT), usable(known.devices(), known.fabricFacts()));
            index = current;
        }
        return current.byNode().getOrDefault(node, List.of());
    }

    /** By node, those that are up and may carry a job's traffic: none of the management network, none of a fabric for storage. */
    static Map<String, List<DeviceVariable.NodeDevice>> usable(List<ServedDevice> devices, List<FabricFacts> fabrics) {
        Set<String> others = new HashSet<>();
        for (FabricFacts fabric : fabrics) {
            Purpose purpose = fabric.spec().purpose();
            if (purpose == Purpose.Storage || purpose == Purpose.Management) {
                others.add(fabric.name());
            }
        }
        Map<String, List<DeviceVariable.NodeDevice>> usable = new HashMap<>();
        for (ServedDevice served : devices) {
            Device device = served.device();
            FabricDeviceStatus status = served.status();
            boolean elsewhere = status != null && status.fabric() != null && others.contains(status.fabric());
            if (device.state() == PortState.Active
                    && device.role() != Role.Management
                    && device.function() != Function.Virtual
                    && !elsewhere) {
                usable.computeIfAbsent(served.nodeName(), node -> new ArrayList<>())
                        .add(new DeviceVariable.NodeDevice(
                                device,
                                status == null ? null : status.plane(),
                                status == null ? null : status.index()));
            }
        }
        return usable;
    }
}
