/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.view.mapping.FabricMember;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

class LeanObjectsTest {
    private final KubernetesSerialization serialization = serialization();

    private static KubernetesSerialization serialization() {
        ObjectMapper mapper = new ObjectMapper();
        new LeanObjects().customize(mapper);
        return new KubernetesSerialization(mapper, true);
    }

    @Test
    void aPodOfAWatchKeepsItsNodePhaseAddressesAndConditionsAlone() {
        WatchEvent event = serialization.unmarshal("""
                {"type": "MODIFIED", "object": {"apiVersion": "v1", "kind": "Pod",
                  "metadata": {"name": "ring-0", "labels": {"a": "b"}, "managedFields": [{"manager": "kubelet"}]},
                  "spec": {"nodeName": "n1", "containers": [{"name": "main", "image": "ring"}], "volumes": [{"name": "v"}]},
                  "status": {"phase": "Running", "podIPs": [{"ip": "10.1.0.7"}], "conditions": [{"type": "Ready", "status": "True"}],
                    "containerStatuses": [{"name": "main", "restartCount": 1}]}}}""", WatchEvent.class);

        Pod pod = (Pod) event.getObject();

        assertThat(pod.getMetadata().getLabels()).containsEntry("a", "b");
        assertThat(pod.getMetadata().getManagedFields()).isEmpty();
        assertThat(pod.getSpec().getNodeName()).isEqualTo("n1");
        assertThat(pod.getSpec().getContainers()).isEmpty();
        assertThat(pod.getSpec().getVolumes()).isEmpty();
        assertThat(pod.getSpec().getAdditionalProperties()).isEmpty();
        assertThat(pod.getStatus().getPhase()).isEqualTo("Running");
        assertThat(pod.getStatus().getPodIPs()).extracting("ip").containsExactly("10.1.0.7");
        assertThat(pod.getStatus().getConditions()).extracting("type").containsExactly("Ready");
        assertThat(pod.getStatus().getContainerStatuses()).isEmpty();
    }

    @Test
    void aValueThatOnlyALaterReleaseKnowsIsNone() {
        FabricDevice device = serialization.unmarshal("""
                {"apiVersion": "fabric-operator.dev/v1alpha1", "kind": "FabricDevice", "metadata": {"name": "d"},
                  "spec": {"family": "Photonic", "type": "Network", "osName": "p0"}}""", FabricDevice.class);

        assertThat(device.getSpec().osName()).isEqualTo("p0");
        assertThat(device.getSpec().family()).isNull();
        assertThat(FabricMember.isKnown(device)).isFalse();
    }

    @Test
    void aNodeKeepsNoImages() {
        Node node = serialization.unmarshal("""
                {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": {"zone": "a"}},
                  "status": {"nodeInfo": {"kubeletVersion": "v1.36.3"}, "conditions": [{"type": "Ready", "status": "True"}],
                    "images": [{"names": ["ring"], "sizeBytes": 1}]}}""", Node.class);

        assertThat(node.getStatus().getNodeInfo().getKubeletVersion()).isEqualTo("v1.36.3");
        assertThat(node.getStatus().getConditions()).extracting("status").containsExactly("True");
        assertThat(node.getStatus().getImages()).isEmpty();
        assertThat(node.getStatus().getAdditionalProperties()).isEmpty();
    }
}
