/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.LaunchApi;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is asked of a cluster that has much more in it than what a person asks for, and others' objects. */
class SharedClusterTest {
    private static final String NOTHING = list("");

    private static String list(String items) {
        return "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"metadata\":{},\"items\":[" + items + "]}";
    }

    private static String page(String next, String items) {
        return "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"metadata\":{\"continue\":\"" + next + "\"},\"items\":["
                + items + "]}";
    }

    private static String owned(String kind, String uid, String name, String ownerUid, String ownerKind) {
        return """
                {"apiVersion": "v1", "kind": "%s",
                 "metadata": {"name": "%s", "namespace": "lab", "uid": "%s", "ownerReferences":
                  [{"apiVersion": "batch/v1", "kind": "%s", "name": "o", "uid": "%s", "controller": true}]},
                 "spec": {"nodeName": "n1", "containers": [{"name": "main"}]}}
                """.formatted(kind, name, uid, ownerKind, ownerUid);
    }

    private static FabricJob job(String apiVersion, String kind) {
        FabricJob job = new FabricJob();
        job.setMetadata(new ObjectMetaBuilder()
                .withNamespace("lab")
                .withName("ring")
                .addNewOwnerReference()
                .withApiVersion(apiVersion)
                .withKind(kind)
                .withName("ring")
                .withUid("u-1")
                .withController(true)
                .endOwnerReference()
                .build());
        return job;
    }

    private static PrintWriter nowhere() {
        return new PrintWriter(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    }

    @Test
    void onlyThePodsOfTheJobAreAskedForPageByPage() throws IOException, Failure {
        String ours = owned("Pod", "p-1", "ring-0", "u-1", "Job");
        String others = owned("Pod", "p-2", "other-0", "u-2", "Job");
        try (ApiServer cluster = new ApiServer(question -> question.contains("continue=more")
                ? list(ours)
                : question.contains("/pods") ? page("more", others) : "")) {
            assertThat(new JobPods(cluster.client(), nowhere()).of(job("batch/v1", "Job")))
                    .containsExactly(new JobPods.Placed("ring-0", "n1", 1));
            assertThat(cluster.asked())
                    .hasSize(2)
                    .allSatisfy(question -> assertThat(question)
                            .startsWith("/api/v1/namespaces/lab/pods?")
                            .contains("batch.kubernetes.io/controller-uid=u-1", "limit=500"));
        }
    }

    @Test
    void aJobWithASelectorOfItsOwnHasItsPodsToo() throws IOException, Failure {
        String ours = owned("Pod", "p-1", "ring-0", "u-1", "Job");
        try (ApiServer cluster = new ApiServer(
                question -> question.contains("!batch.kubernetes.io/controller-uid") ? list(ours) : NOTHING)) {
            assertThat(new JobPods(cluster.client(), nowhere()).of(job("batch/v1", "Job")))
                    .hasSize(1);
        }
    }

    @Test
    void theJobsOfANamespaceAreReadForAJobSetOnlyAndNoOthersThanItsOwn() throws IOException, Failure {
        String pods = owned("Pod", "p-1", "ring-w-0-0", "j-1", "Job") + "," + owned("Pod", "p-2", "old", "j-2", "Job");
        String jobs = owned("Job", "j-1", "ring-w-0", "u-1", "JobSet") + ","
                + owned("Job", "j-2", "ring-old-0", "u-2", "JobSet");
        try (ApiServer cluster = new ApiServer(question -> question.contains("/lab/jobs?") ? list(jobs) : list(pods))) {
            assertThat(new JobPods(cluster.client(), nowhere()).of(job("jobset.x-k8s.io/v1alpha2", "JobSet")))
                    .containsExactly(new JobPods.Placed("ring-w-0-0", "n1", 1));
            assertThat(cluster.asked())
                    .hasSize(2)
                    .allSatisfy(question ->
                            assertThat(question).contains("jobset.sigs.k8s.io/jobset-name=ring", "limit=500"));
        }
        try (ApiServer cluster = new ApiServer(question -> list(pods))) {
            new JobPods(cluster.client(), nowhere()).of(job("batch.volcano.sh/v1alpha1", "Job"));
            assertThat(cluster.asked())
                    .singleElement()
                    .satisfies(question -> assertThat(question)
                            .startsWith("/api/v1/namespaces/lab/pods?")
                            .contains("volcano.sh/job-name=ring"));
        }
    }

    @Test
    void theDevicesOfSomeHundredNodesAreAskedForByNode() throws IOException, Failure {
        List<JobPods.Placed> pods = IntStream.range(0, 200)
                .mapToObj(i -> new JobPods.Placed("ring-" + i, "n" + i, 1))
                .toList();
        try (ApiServer cluster = new ApiServer(question -> NOTHING)) {
            new JobPods(cluster.client(), nowhere()).devices(pods);
            assertThat(cluster.asked())
                    .hasSize(200)
                    .allSatisfy(question -> assertThat(question).contains("fieldSelector=spec.nodeName=n"));
        }
    }

    @Test
    void fabricJobsAreReadPageByPage() throws IOException, Failure {
        String one = "{\"metadata\":{\"namespace\":\"lab\",\"name\":\"a\"}}";
        try (ApiServer cluster =
                        new ApiServer(question -> question.contains("continue=more") ? list(one) : page("more", one));
                FabricJobs jobs = new FabricJobs(cluster.client())) {
            assertThat(jobs.inAllNamespaces()).hasSize(2);
            assertThat(cluster.asked())
                    .allSatisfy(question -> assertThat(question).contains("limit=500"));
        }
    }

    @Test
    void aDeploymentThatATenantLabelsIsNoProgramOfTheOperator() throws IOException, Failure {
        String tenants = """
                {"metadata": {"name": "mine", "namespace": "tenant"}, "spec": {"replicas": 1}}""";
        try (ApiServer cluster = new ApiServer(
                question -> question.contains("/namespaces/fabric-operator/") ? NOTHING : list(tenants))) {
            List<ClusterStatus.Program> programs = ClusterStatus.programs(cluster.client(), "fabric-operator");
            assertThat(programs).isEmpty();
            assertThat(ClusterStatus.of(List.of(), programs, "Served").problems())
                    .extracting(ClusterStatus.Problem::reason)
                    .contains("NotInstalled");
        }
    }

    @Test
    void aVolcanoJobWithoutPodsIsExplainedByItsOwnEvents() throws IOException, Failure {
        String job = """
                {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "ring", "uid": "v-1"}}""";
        String event = """
                {"metadata": {"name": "ring.1"}, "reason": "FailedCreate", "message": "denied",
                 "involvedObject": {"kind": "Job", "name": "ring", "uid": "v-1"}}""";
        try (ApiServer cluster = new ApiServer(question -> question.startsWith("/apis/batch.volcano.sh/v1alpha1/")
                ? job
                : question.contains("involvedObject.uid=v-1") ? list(event) : "")) {
            PodExplanation read = PodExplanation.read(cluster.client(), "lab", "ring");
            assertThat(read.events()).containsExactly("Job ring: FailedCreate: denied");
            assertThat(cluster.asked())
                    .filteredOn(question -> question.contains("/events"))
                    .allSatisfy(question -> assertThat(question).contains("limit=500"));
        }
    }

    @Test
    void aJobSetAndAnMpiJobWithoutPodsAreExplainedAlthoughOtherKindsMayNotBeRead() throws IOException, Failure {
        for (String path : List.of("/apis/jobset.x-k8s.io/v1alpha2/", "/apis/kubeflow.org/v2beta1/")) {
            String owner = """
                    {"apiVersion": "x/v1", "kind": "X", "metadata": {"name": "ring", "uid": "o-1"}}""";
            try (ApiServer cluster = new ApiServer(
                    question -> question.startsWith(path) ? owner : question.contains("/events") ? NOTHING : "")) {
                PodExplanation read = PodExplanation.read(cluster.client(), "lab", "ring");
                assertThat(read.pod()).isNull();
                assertThat(read.next()).contains("-name=ring");
            }
        }
    }

    @Test
    void whatIsInjectedForOpenMpiIsShownAndWhatItsAuthorHasSetIsNot() {
        Pod pod = new PodBuilder()
                .withNewMetadata()
                .withNamespace("lab")
                .withName("pi-launcher")
                .addToLabels("training.kubeflow.org/replica-index", "0")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("main")
                .addNewEnv()
                .withName("OMPI_MCA_orte_default_hostfile")
                .withValue("/etc/mpi/hostfile")
                .endEnv()
                .addNewEnv()
                .withName("PRTE_MCA_prte_default_hostfile")
                .withValue("/etc/mpi/hostfile")
                .endEnv()
                .addNewEnv()
                .withName("PRTE_MCA_plm_ssh_args")
                .withValue("-v")
                .endEnv()
                .addNewEnv()
                .withName("PRTE_MCA_plm_ssh_no_tree_spawn")
                .withValue("1")
                .endEnv()
                .addNewEnv()
                .withName("PRTE_MCA_prte_launch_agent")
                .withValue("`echo " + LaunchApi.IMAGE_VOLUME_LAUNCHER + " --take-environment /f --` prted")
                .endEnv()
                .endContainer()
                .endSpec()
                .build();
        assertThat(PodExplanation.explain(pod, true, List.of()).injected())
                .extracting(PodExplanation.Injected::what, PodExplanation.Injected::from)
                .containsExactly(
                        tuple("PRTE_MCA_prte_default_hostfile", "OMPI_MCA_orte_default_hostfile"),
                        tuple("PRTE_MCA_plm_ssh_no_tree_spawn", "runLauncherAsWorker"),
                        tuple("PRTE_MCA_prte_launch_agent", "variables of SSH sessions"));
    }
}
