/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import static dev.fabricoperator.e2e.job.direct.FaultCase.PMIXD;
import static dev.fabricoperator.e2e.job.direct.FaultCase.RANKS;
import static dev.fabricoperator.e2e.job.direct.FaultCase.annotated;
import static dev.fabricoperator.e2e.job.direct.FaultCase.held;
import static dev.fabricoperator.e2e.job.direct.FaultCase.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.e2e.cluster.ServiceAccountTokens;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.junit.OnRealNodes;
import dev.fabricoperator.e2e.node.RealNode;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What others in the pod, in the cluster and on the way do to a launch. */
@OnRealNodes
@ExtendWith(LaunchClusterExtension.class)
class NeighbourFaultsTest {
    private final FaultCase faults;

    NeighbourFaultsTest(FaultCase faults) {
        this.faults = faults;
    }

    /** Sends garbage of many lengths to whatever listens on the pod's address or its loopback before ranks do, until they have ended. */
    private static Container garbage() {
        return new ContainerBuilder()
                .withName("garbage")
                .withImage(ProofImages.PLAIN)
                .withImagePullPolicy("Never")
                .withCommand("bash", "-c", """
                        # Java's sockets stand in tcp6; the last eight digits are the IPv4 address.
                        until grep -q ':1D2F 0*:0000 0A' /proc/net/tcp6; do sleep 0.1; done
                        sleep 2
                        cat /proc/net/tcp /proc/net/tcp6 | while read -r _ local remote state _; do
                          [ "$state" = 0A ] || continue
                          a=${local%:*}; a=${a: -8}; port=$((16#${local#*:}))
                          address=$((16#${a:6:2})).$((16#${a:4:2})).$((16#${a:2:2})).$((16#${a:0:2}))
                          [ $port = 7471 ] || [ $address = 127.0.0.1 ] || continue
                          for n in $(seq 12); do
                            timeout 5 bash -c "head -c $((n * n * 7)) /dev/urandom > /dev/tcp/$address/$port" && echo "sent to $address:$port"
                          done
                          echo QUIT > /dev/tcp/$address/$port
                        done 2> /dev/null
                        echo done""")
                .build();
    }

    @Test
    void garbageFromAnotherContainerOfThePodDisturbsNoRank() {
        faults.create(held(job("garbage", 2, "mpi-proof", "1"))
                .editSpec()
                .editTemplate()
                .editSpec()
                .addToContainers(garbage())
                .endSpec()
                .endTemplate()
                .endSpec());
        Pod first = faults.pod("garbage", 0);
        faults.open(first);
        faults.awaitLog(first, "garbage", "done");
        faults.open(faults.pod("garbage", 1));

        faults.awaitEnd("garbage", "Complete");
        assertThat(faults.log(first, "garbage")).contains(":7471", "sent to 127.0.0.1:");
        assertThat(faults.log(first, PMIXD))
                .contains("does not speak the protocol of pmixd")
                .contains("refused a connection to the PMIx port");
        assertThat(faults.log(first, RANKS)).contains("ring ok, collectives ok, 2 ranks on 2 nodes");
        assertThat(faults.fabricJob("garbage").attempt()).isZero();
    }

    @Test
    void aPodThatPresentsAnotherPodsTokenIsToldWhoseItIsAndNobodyElseNotices() {
        faults.create(job("stolen", 2, "mpi-steady", "1000", "0"));
        Pod victim = faults.pod("stolen", 1);
        Pod witness = faults.pod("stolen", 0);
        faults.awaitLog(witness, RANKS, "steady: attempt 0 rank 0 of 2 begins");

        Pod thief = faults.admin.resource(thief(faults.now(victim))).create();

        faults.awaitLog(
                thief, RANKS, "the token is that of pod " + victim.getMetadata().getName());
        faults.remove(thief);
        faults.endSteady(witness);
        faults.awaitEnd("stolen", "Complete");
        assertThat(faults.log(witness, RANKS)).contains("steady: attempt 0, all sums ok");
        assertThat(faults.fabricJob("stolen").attempt()).isZero();
    }

    /** A pod by hand that looks as the webhook would have made it, with a token that was made for another pod. */
    private Pod thief(Pod victim) {
        String token = ServiceAccountTokens.ofPod(faults.admin, victim, LaunchApi.TOKEN_AUDIENCE);
        faults.admin
                .resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName("loot")
                        .withNamespace(faults.namespace)
                        .endMetadata()
                        .withStringData(Map.of("token", token))
                        .build())
                .serverSideApply();
        Pod pod = new PodBuilder(victim)
                .withNewMetadata()
                .withName("thief")
                .withNamespace(faults.namespace)
                .withAnnotations(Map.of("fabric-operator.dev/launch", "direct"))
                .endMetadata()
                .withStatus(null)
                .editSpec()
                .withNodeName(null)
                .addToVolumes(new VolumeBuilder()
                        .withName("loot")
                        .withNewSecret()
                        .withSecretName("loot")
                        .endSecret()
                        .build())
                .endSpec()
                .build();
        Container pmixd = pod.getSpec().getContainers().getFirst();
        String prefix = FaultCase.hasSecondContainer(pod) ? "" : "PMIXD_";
        pod.getSpec()
                .getContainers()
                .set(
                        0,
                        new ContainerBuilder(pmixd)
                                .addNewEnv()
                                .withName(prefix + "FABRIC_TOKEN_FILE")
                                .withValue("/loot/token")
                                .endEnv()
                                .addToVolumeMounts(new VolumeMountBuilder()
                                        .withName("loot")
                                        .withMountPath("/loot")
                                        .build())
                                .build());
        return pod;
    }

    @Test
    void podsThatCannotReachEachOtherNameTheNetworkPolicyAndGoOnWhenTheWayIsFree() {
        // As a policy that denies by default: nothing that is routed into the node gets to pmixd's port, and nobody is
        // told.
        String[] rule = {"ip", "rule", "add", "priority", "10", "ipproto", "tcp", "dport", "7471", "blackhole"};
        List<RealNode> nodes = faults.cluster.nodes();
        nodes.forEach(node -> node.inNetwork(rule));
        Pod child;
        try {
            faults.create(job("blocked", 2, "mpi-proof", "1"));
            child = faults.pod("blocked", 1);
            faults.awaitLog(child, PMIXD, "look for a NetworkPolicy");
            assertThat(faults.log(child, PMIXD))
                    .contains("pod 0 (" + faults.pod("blocked", 0).getMetadata().getName())
                    .contains("cannot be reached for")
                    .contains("no answer to its connection requests");
        } finally {
            rule[2] = "delete";
            nodes.forEach(node -> node.inNetwork(rule));
        }
        faults.awaitEnd("blocked", "Complete");
        assertThat(faults.fabricJob("blocked").attempt()).isZero();
    }

    /** Four pods on three nodes: two share a node, its addresses and its loopback interface. */
    @Test
    void podsInTheirNodesNetworkRunAndServeNoProcessOfAnotherPod() {
        String program = "env | grep ^PMIX_; exec mpi-steady 1000 0";
        faults.create(annotated(job("host-network", 4, "sh", "-c", program), "host-network", "true")
                .editSpec()
                .editTemplate()
                .editSpec()
                .withHostNetwork(true)
                .endSpec()
                .endTemplate()
                .endSpec());
        Pod victim = faults.pod("host-network", 0);
        faults.awaitLog(victim, RANKS, "steady: attempt 0 rank 0 of 4 begins");
        List<EnvVar> environment = Pattern.compile("(PMIX_\\w+)=(\\S*)")
                .matcher(faults.log(victim, RANKS))
                .results()
                .map(found -> new EnvVar(found.group(1), found.group(2), null))
                .toList();
        Pod neighbour = faults.admin
                .resource(new PodBuilder()
                        .withNewMetadata()
                        .withName("neighbour")
                        .withNamespace(faults.namespace)
                        .endMetadata()
                        .withNewSpec()
                        .withNodeName(faults.now(victim).getSpec().getNodeName())
                        .withHostNetwork(true)
                        .withRestartPolicy("Never")
                        .addNewContainer()
                        .withName(RANKS)
                        .withImage(ProofImages.PLAIN)
                        .withImagePullPolicy("Never")
                        .withCommand("mpi-proof", "1")
                        .withEnv(environment)
                        .endContainer()
                        .endSpec()
                        .build())
                .create();

        faults.awaitLog(
                victim,
                PMIXD,
                "refused a connection to the PMIx port: a process of another container says that it is rank 0");
        faults.endSteady(victim);
        faults.awaitEnd("host-network", "Complete");
        // It is alone, or has failed.
        assertThat(faults.log(neighbour, RANKS)).doesNotContain("4 ranks");
        assertThat(faults.log(victim, RANKS)).contains("steady: attempt 0, all sums ok");
        assertThat(faults.fabricJob("host-network").attempt()).isZero();
        faults.remove(neighbour);
    }
}
