/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeaderWorkerSetsTest {
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final OwnerRef SET =
            new OwnerRef("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "ring", "0123abcd-set");
    private static final OwnerRef LEADERS = new OwnerRef("apps/v1", "StatefulSet", "ring", "leaders-uid");
    private static final OwnerRef LEADER = new OwnerRef("v1", "Pod", "ring-1", "leader-uid");
    private static final OwnerRef WORKERS = new OwnerRef("apps/v1", "StatefulSet", "ring-1", "workers-uid");
    private static final String DIRECT = "{metadata: {annotations: {fabric-operator.dev/launch: direct}}}";
    private static final String DIRECT_4 =
            "{metadata: {annotations: {fabric-operator.dev/launch: direct, fabric-operator.dev/ranks-per-pod: '4'}}}";

    private static JsonNode controlledBy(@Nullable OwnerRef owner) {
        return owner == null
                ? YAML.createObjectNode()
                : YAML.valueToTree(Map.of("metadata", Map.of("ownerReferences", new Object[] {
                    Map.of(
                            "apiVersion", owner.apiVersion(),
                            "kind", owner.kind(),
                            "name", owner.name(),
                            "uid", owner.uid(),
                            "controller", true)
                })));
    }

    private static @Nullable PodOwner owner(OwnerRef statefulSet, OwnerRef above, Map<OwnerRef, JsonNode> others)
            throws Exception {
        return StatefulSets.KIND.podOwner(statefulSet, controlledBy(above), others::get);
    }

    private static @Nullable PodSlot slot(@Nullable PodOwner owner, String pod) {
        return Objects.requireNonNull(owner)
                .places()
                .slot(PodFact.of(new PodBuilder()
                        .withNewMetadata()
                        .withNamespace("space")
                        .withName(pod)
                        .withUid("pod-uid")
                        .addToLabels("leaderworkerset.sigs.k8s.io/group-index", "7")
                        .addToLabels("leaderworkerset.sigs.k8s.io/worker-index", "7")
                        .endMetadata()
                        .build()));
    }

    private static PodSlot place(int group, int index) {
        return new PodSlot(new JobKey("space", SET.uid() + "/" + group), SET.ofGroup(group), null, 0, index);
    }

    @ParameterizedTest
    @CsvSource({"ring-0,0", "ring-12,12", "ring-01,-1", "ring-1-1,-1", "ring,-1", "other-1,-1"})
    void aLeaderIsTheFirstPodOfTheGroupInItsNameWhateverItsLabelsSay(String pod, int group) throws Exception {
        assertThat(slot(owner(LEADERS, SET, Map.of()), pod)).isEqualTo(group < 0 ? null : place(group, 0));
    }

    @ParameterizedTest
    @CsvSource({"ring-0,0", "ring-12,12", "ring-12-lws,12", "ring,-1", "ring-lws,-1"})
    void aFabricJobIsOfTheGroupInItsName(String object, int group) {
        assertThat(OwnerRef.ofJobObject(new ObjectMetaBuilder()
                        .withName(object)
                        .addNewOwnerReference()
                        .withApiVersion(SET.apiVersion())
                        .withKind(SET.kind())
                        .withName(SET.name())
                        .withUid(SET.uid())
                        .withController(true)
                        .endOwnerReference()
                        .build()))
                .isEqualTo(group < 0 ? SET : SET.ofGroup(group));
    }

    @ParameterizedTest
    @CsvSource({"ring-1-1,1", "ring-1-12,12", "ring-1-0,-1", "ring-1,-1", "ring-2-1,-1", "ring-1-01,-1"})
    void aWorkerBelongsToTheGroupOfTheLeaderThatControlsItsStatefulSet(String pod, int index) throws Exception {
        var others = Map.of(LEADER, controlledBy(LEADERS), LEADERS, controlledBy(SET));
        assertThat(slot(owner(WORKERS, LEADER, others), pod)).isEqualTo(index < 0 ? null : place(1, index));
    }

    @Test
    void whatNoLeaderWorkerSetHasMadeStandsForItselfAndIsRefused() throws Exception {
        OwnerRef imitation = new OwnerRef("apps/v1", "StatefulSet", "ring-2", "imitation-uid");
        OwnerRef plain = new OwnerRef("apps/v1", "StatefulSet", "plain", "plain-uid");
        OwnerRef ofPlain = new OwnerRef("v1", "Pod", "plain-1", "plain-pod-uid");
        var chain = Map.of(LEADER, controlledBy(LEADERS), LEADERS, controlledBy(SET));
        assertThat(owner(imitation, SET, chain)).extracting("job").isEqualTo(imitation);
        assertThat(owner(imitation, LEADER, chain)).extracting("job").isEqualTo(imitation);
        assertThat(owner(WORKERS, ofPlain, Map.of(ofPlain, controlledBy(plain), plain, controlledBy(null))))
                .extracting("job")
                .isEqualTo(WORKERS);
        assertThat(owner(WORKERS, ofPlain, Map.of(ofPlain, controlledBy(plain), plain, controlledBy(SET))))
                .as("not what makes its leaders")
                .extracting("job")
                .isEqualTo(WORKERS);
        assertThat(owner(WORKERS, LEADER, Map.of(LEADER, controlledBy(null))))
                .extracting("job")
                .isEqualTo(WORKERS);
        for (OwnerRef above : new OwnerRef[] {SET, LEADER}) {
            assertThat(StatefulSets.KIND
                            .job("space", imitation, controlledBy(above))
                            .refusal())
                    .contains("remove it from metadata.ownerReferences");
        }
    }

    @Test
    void workersOfALeaderThatIsGoneBelongToNothing() throws Exception {
        assertThat(owner(WORKERS, LEADER, Map.of())).isNull();
    }

    private static DirectJob job(String spec, String template) throws JsonProcessingException {
        return LeaderWorkerSets.KIND.job(
                "space",
                SET.ofGroup(1),
                YAML.readTree("spec: {%s leaderWorkerTemplate: {%s}}".formatted(spec, template)));
    }

    @Test
    void eachGroupIsAJobWithANamespaceOfItsOwn() throws JsonProcessingException {
        DirectJob job = job("replicas: 2,", "size: 3, workerTemplate: " + DIRECT_4);

        assertThat(job.refusal()).isNull();
        assertThat(job.apps()).containsExactly(new DirectJob.App("ring-1", 1, 3, 4));
        assertThat(job.key()).isEqualTo(new JobKey("space", "0123abcd-set/1"));
        assertThat(job.nspace(2)).isEqualTo("space.ring-1-0123abcd-2");
        assertThat(job.ordinal(place(1, 2))).isEqualTo(2);
        assertThat(job.ordinal(place(1, 3))).isEqualTo(-1);
    }

    @Test
    void leadersWithATemplateOfTheirOwnAreAnAppAndPodsKeepTheirWorkerIndex() throws JsonProcessingException {
        DirectJob job = job("", "size: 3, leaderTemplate: " + DIRECT + ", workerTemplate: " + DIRECT_4);

        assertThat(job.apps())
                .containsExactly(new DirectJob.App("leader", 1, 1, 1), new DirectJob.App("worker", 1, 2, 4, 1));
        assertThat(job.ranks()).isEqualTo(9);
        assertThat(job.ordinal(place(1, 0))).isZero();
        assertThat(job.ordinal(place(1, 2))).isEqualTo(2);
        assertThat(job.ordinal(place(1, 3))).isEqualTo(-1);
        assertThat(job.words(0)).isEqualTo("leader index 0");
        assertThat(job.words(2)).isEqualTo("worker index 2");
    }

    @Test
    void aGroupOfOneNeedsNoWorkers() throws JsonProcessingException {
        DirectJob job = job("", "leaderTemplate: " + DIRECT + ", workerTemplate: {}");
        assertThat(job.refusal()).isNull();
        assertThat(job.apps()).containsExactly(new DirectJob.App("ring-1", 1, 1, 1));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            size: 2, leaderTemplate: {}, workerTemplate: DIRECT | in its workerTemplate only | set the annotation
            size: 2, workerTemplate: {}, leaderTemplate: DIRECT | in its leaderTemplate only | set the annotation
            size: 16001, workerTemplate: DIRECT | has 16001 pods | make fewer of them
            """)
    void whatCannotBeLaunchedIsSaidAndWhatToChange(String template, String why, String change)
            throws JsonProcessingException {
        assertThat(job("", template.replace("DIRECT", DIRECT)).refusal())
                .startsWith("LeaderWorkerSet ring group 1 ")
                .contains(why)
                .contains(change);
    }

    @Test
    void aLeaderThatIsReadyOnlyWhenRanksRunCannotComeBeforeItsWorkers() throws JsonProcessingException {
        String probed = "size: 2, workerTemplate: {metadata: {annotations: {fabric-operator.dev/launch: direct}},"
                + " spec: {containers: [{name: a, readinessProbe: {}}, {name: b}]}}";
        String probedBesideRanks =
                "size: 2, workerTemplate: {metadata: {annotations: {fabric-operator.dev/launch: direct}},"
                        + " spec: {containers: [{name: a}, {name: b, livenessProbe: {httpGet: {port: 1}}}]}}";
        assertThat(job("startupPolicy: LeaderReady,", probed).advice().whereReadyAfterStart())
                .contains("set spec.startupPolicy: LeaderCreated");
        assertThat(job("startupPolicy: LeaderCreated,", probed).advice().whereReadyAfterStart())
                .isNull();
        assertThat(job("startupPolicy: LeaderReady,", probedBesideRanks)
                        .advice()
                        .whereReadyAfterStart())
                .as("what stands beside the ranks is ready without them")
                .isNull();
        assertThat(job("startupPolicy: LeaderReady,", "size: 2, workerTemplate: " + DIRECT)
                        .advice()
                        .whereReadyAfterStart())
                .isNull();
    }

    @Test
    void aGroupEndsWhenThereAreToBeFewer() throws JsonProcessingException {
        var end = new JobEnd(false, "LeaderWorkerSet ring group 1 has ended: spec.replicas is 1");
        OwnerRef group = SET.ofGroup(1);
        assertThat(LeaderWorkerSets.KIND.end(group, YAML.readTree("spec: {replicas: 2}")))
                .isNull();
        assertThat(LeaderWorkerSets.KIND.end(group, YAML.readTree("spec: {replicas: 1}")))
                .isEqualTo(end);
        assertThat(LeaderWorkerSets.KIND.end(group, YAML.readTree("spec: {}"))).isEqualTo(end);
    }
}
