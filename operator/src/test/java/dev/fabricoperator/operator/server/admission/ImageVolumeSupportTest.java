/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.operator.server.admission.ImageVolumeSupport.NodeVersions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ImageVolumeSupportTest {
    private static final NodeVersions NEW = new NodeVersions("new", "v1.36.3", "containerd://2.2.9");

    @ParameterizedTest
    @CsvSource({
        "v1.36.3, v1.36.3, containerd://2.2.9",
        "v1.35.0, v1.35.0, containerd://2.1.0",
        "v1.35.1-gke.1000, v1.35.0-eks-2f4e5a1, cri-o://1.31.0",
        "v1.36.0+k3s1, v1.36.0+k3s1, containerd://2.1.4-k3s1",
        "v1.36.0-rc.1, v1.35.9, cri-o://2.0.0",
    })
    void podsOfClustersThatAreNewEnoughHaveImageVolumes(String apiServer, String kubelet, String runtime) {
        assertThat(ImageVolumeSupport.of(apiServer, List.of(NEW, new NodeVersions("n", kubelet, runtime))))
                .extracting(ImageVolumeSupport::usable)
                .isEqualTo(true);
    }

    @ParameterizedTest
    @CsvSource({
        "v1.34.4, v1.34.4, containerd://2.2.9, 'the API server has version v1.34.4, and image volumes need Kubernetes 1.35'",
        "v1.36.3, v1.34.9, containerd://2.2.9, 'the kubelet of node n has version v1.34.9, and image volumes need Kubernetes 1.35'",
        "v1.36.3, v1.36.3, containerd://1.7.27, 'node n has containerd://1.7.27, and image volumes need containerd 2.1'",
        "v1.36.3, v1.36.3, containerd://2.0.5, 'node n has containerd://2.0.5, and image volumes need containerd 2.1'",
        "v1.36.3, v1.36.3, cri-o://1.30.9, 'node n has cri-o://1.30.9, and image volumes need cri-o 1.31'",
        "v1.36.3, v1.36.3, containerd://, 'node n has containerd://, and image volumes need containerd 2.1'",
        "v1.36.3, v1.36.3, docker://28.0.1, 'node n has the container runtime \"docker\", of which it is not known whether it has image volumes'",
        "rubbish, v1.36.3, containerd://2.2.9, 'the API server has version rubbish, and image volumes need Kubernetes 1.35'",
    })
    void whatIsTooOldOrUnknownIsNamed(String apiServer, String kubelet, String runtime, String sentence) {
        assertThat(ImageVolumeSupport.of(apiServer, List.of(NEW, new NodeVersions("n", kubelet, runtime))))
                .isEqualTo(new ImageVolumeSupport(false, sentence));
    }

    @ParameterizedTest
    @CsvSource({
        "containerd://2.1.0, 2.1.7",
        "containerd://2.1.6, 2.1.7",
        "containerd://2.1.4-k3s1, 2.1.7",
        "containerd://2.2.0, 2.2.2",
        "containerd://2.2.1, 2.2.2",
        "containerd://2.1.7,",
        "containerd://2.2.2,",
        "containerd://2.3.0,",
        "containerd://3.1.0,",
        "cri-o://1.33.0,",
    })
    void podsWithUsersOfTheirOwnHaveImageVolumesWhereContainerdMountsThem(String runtime, @Nullable String from) {
        ImageVolumeSupport found =
                ImageVolumeSupport.of("v1.36.3", List.of(NEW, new NodeVersions("n", "v1.36.3", runtime)));
        assertThat(found.usable()).isTrue();
        ObjectNode pod = JsonNodeFactory.instance.objectNode();
        assertThat(found.of(pod).usable()).isTrue();
        pod.putObject("spec").put("hostUsers", true);
        assertThat(found.of(pod).usable()).isTrue();
        pod.withObject("spec").put("hostUsers", false);
        assertThat(found.of(pod).usable()).isEqualTo(from == null);
        if (from != null) {
            assertThat(found.of(pod).sentence())
                    .startsWith("node n has " + runtime)
                    .endsWith(" containerd " + from);
        }
    }

    @ParameterizedTest
    @CsvSource({"a, b", "b, a"})
    void ofSeveralNodesTheSameOneIsNamedWhateverTheirOrder(String first, String second) {
        assertThat(ImageVolumeSupport.of(
                                "v1.36.3",
                                List.of(
                                        new NodeVersions(first, "v1.36.3", "containerd://1.7.1"),
                                        new NodeVersions(second, "v1.36.3", "containerd://1.7.1")))
                        .sentence())
                .startsWith("node a ");
    }
}
