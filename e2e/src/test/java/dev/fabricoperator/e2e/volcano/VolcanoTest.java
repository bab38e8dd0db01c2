/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.volcano;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ServiceAccountTokens;
import dev.fabricoperator.e2e.job.PlayedJobs;
import dev.fabricoperator.e2e.junit.ClassNamespace;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.IntegrationCase;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** HyperNodes of a fabric of two pods, three leaves each and three nodes below each leaf, and what Volcano makes of them. */
@WithControlPlane(own = true)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class VolcanoTest extends IntegrationCase {
    private static final String SOURCE = "volcano.sh/network-topology-source";
    private static final String VOLCANO_OFF = FabricApi.ANNOTATION_INTEGRATE + "volcano";

    private static @Nullable Volcano volcano;
    private static @Nullable OperatorProcess operator;

    private final String namespace;

    VolcanoTest(ControlPlane cluster, @ClassNamespace String namespace) {
        super(cluster);
        this.namespace = namespace;
    }

    @BeforeAll
    static void startTheOperator(ControlPlane cluster, @ClassNamespace String namespace, @TempDir Path directory) {
        volcano = Volcano.find(cluster, directory).orElse(null);
        Assumptions.assumeTrue(volcano != null, "no Volcano: run \"make setup\"");
        createFabric(cluster);
        PlayedJobs.createServiceAccount(cluster.admin(), namespace);
        operator = startOperator(cluster, directory, Map.of());
    }

    @AfterAll
    static void stop() {
        if (operator != null) {
            operator.kill();
        }
        if (volcano != null) {
            volcano.close();
        }
    }

    private static Volcano volcano() {
        return Objects.requireNonNull(volcano);
    }

    private static OperatorProcess operator() {
        return Objects.requireNonNull(operator);
    }

    @Test
    @Order(1)
    void nothingIsSaidOrWrittenWhereVolcanoIsNot() {
        eventually(() -> assertThat(condition("Ready")).isNotNull());
        assertThat(condition("HyperNodesCurrent")).isNull();
        assertThat(operator().metric(WRITES)).isZero();
    }

    @Test
    @Order(2)
    void hyperNodesAppearWhenTheApiServerKnowsThem() {
        volcano().applyCustomResources();
        volcano().start();
        awaitWholeTree();
        Map<String, Set<String>> hosts = hostsOf(volcano().hyperNodes());
        assertThat(hosts.get(FABRIC)).hasSize(TREE.nodes());
        assertThat(volcano().hyperNodes().values()).allSatisfy(object -> {
            assertThat(object.getMetadata().getLabels())
                    .containsEntry(SOURCE, "fabric-operator")
                    .containsEntry(FabricApi.LABEL_FABRIC, FABRIC);
        });
        for (int leaf = 0; leaf < TREE.leaves(); leaf++) {
            assertThat(hosts.values()).contains(nodesOfLeaf(leaf));
        }
        eventually(() -> assertThat(condition("HyperNodesCurrent")).satisfies(condition -> {
            assertThat(condition.status()).isEqualTo(ConditionStatus.True);
            assertThat(condition.message())
                    .isEqualTo("9 HyperNodes hold 18 nodes: 6 of tier 1 (leaf), 2 of tier 2 (pod), 1 of tier 3 ("
                            + FABRIC + ")");
        }));
    }

    @Test
    @Order(3)
    void nothingIsWrittenWhileNothingChanges() {
        awaitWholeTree();
        double writes = operator().metric(WRITES);
        assertThat(writes).isPositive();
        // Something that is no news for Volcano.
        edit(fabric -> fabric.getMetadata().setLabels(Map.of("team", "a")));
        pause();
        assertThat(operator().metric(WRITES)).isEqualTo(writes);
        assertThat(operator().metric("fabric_operator_integration_objects")).isEqualTo(9);
    }

    @Test
    @Order(4)
    void aHardGangLandsBelowOneLeafAndTheNextBelowAnother() {
        awaitWholeTree();
        volcano().createGang(namespace, "first", 3, "{mode: hard, highestTierAllowed: 1}");
        volcano().createGang(namespace, "second", 3, "{mode: hard, highestTierName: leaf}");
        for (String job : List.of("first", "second")) {
            awaitBound(job, 3);
            assertThat(leavesOf(job)).hasSize(1);
        }
        assertThat(leavesOf("first")).isNotEqualTo(leavesOf("second"));
        volcano().delete(namespace, "first");
        volcano().delete(namespace, "second");
    }

    @Test
    @Order(5)
    void aHardGangThatFitsNoLeafLandsInThePodWithRoom() {
        awaitWholeTree();
        // It leaves seven free nodes in its pod and nine in the other.
        volcano().createGang(namespace, "small", 2, "{mode: hard, highestTierAllowed: 1}");
        awaitBound("small", 2);
        int busy = leavesOf("small").iterator().next() / TREE.leavesOfAPod();
        volcano().createGang(namespace, "large", 8, "{mode: hard, highestTierAllowed: 2}");
        awaitBound("large", 8);
        assertThat(leavesOf("large").stream().map(leaf -> leaf / TREE.leavesOfAPod()))
                .containsOnly(1 - busy);
        // No pod has room for another: it waits rather than spread.
        volcano().createGang(namespace, "waiting", 8, "{mode: hard, highestTierAllowed: 2}");
        pause();
        assertThat(volcano().nodesOf(namespace, "waiting")).isEmpty();
        List.of("small", "large", "waiting").forEach(job -> volcano().delete(namespace, job));
    }

    @Test
    @Order(6)
    void aSoftGangIsKeptTogetherAndStillRunsWhereNothingHasRoom() {
        awaitWholeTree();
        volcano().createGang(namespace, "soft", 3, "{mode: soft}");
        awaitBound("soft", 3);
        assertThat(leavesOf("soft")).hasSize(1);
        volcano().createGang(namespace, "wide", 12, "{mode: soft}");
        awaitBound("wide", 12);
        volcano().delete(namespace, "soft");
        volcano().delete(namespace, "wide");
    }

    @Test
    @Order(7)
    void aDrainedLeafLeavesTheTreeAndTouchesNoOther() {
        awaitWholeTree();
        Map<String, String> before = quietVersions();
        Map<String, Set<String>> hosts = hostsOf(volcano().hyperNodes());
        String leaf = nameOf(hosts, nodesOfLeaf(4));
        String pod = parentOf(leaf);
        drain(TREE.leafName(4), "all");
        eventually(() -> assertThat(volcano().hyperNodes()).doesNotContainKey(leaf));
        eventually(() -> assertThat(hostsOf(volcano().hyperNodes()).get(pod)).hasSize(6));
        assertThat(changed(before)).containsExactlyInAnyOrder(leaf, pod);
        eventually(() -> assertThat(
                        Objects.requireNonNull(condition("HyperNodesCurrent")).message())
                .contains("hold 15 nodes")
                .contains("nothing reaches 3 nodes (node-0012, node-0013, node-0014)"));
        // Without its leaf a node is no place for a gang that must stay together.
        volcano().createGang(namespace, "three", 3, "{mode: hard, highestTierAllowed: 1}");
        awaitBound("three", 3);
        assertThat(leavesOf("three")).hasSize(1).doesNotContain(4);
        volcano().delete(namespace, "three");
        drain(TREE.leafName(4), null);
        awaitWholeTree();
        assertThat(hostsOf(volcano().hyperNodes())).isEqualTo(hosts);
    }

    @Test
    @Order(8)
    void aFabricInTwoPartsIsTwoTreesAndNoGangLiesInBoth() {
        awaitWholeTree();
        Map<String, String> before = quietVersions();
        TREE.coreNames().forEach(core -> drain(core, "all"));
        eventually(() -> {
            assertThat(volcano().hyperNodes()).hasSize(10);
            assertThat(hostsOf(volcano().hyperNodes()).get(FABRIC)).hasSize(9);
        });
        assertThat(changed(before)).hasSize(2).contains(FABRIC).allMatch(name -> name.startsWith(FABRIC));
        Map<String, Set<String>> hosts = hostsOf(volcano().hyperNodes());
        assertThat(hosts.get(FABRIC)).hasSize(9);
        assertThat(hosts.keySet()).anyMatch(name -> name.startsWith(FABRIC + "-part-"));
        volcano().createGang(namespace, "ten", 10, "{mode: hard, highestTierName: " + FABRIC + "}");
        pause();
        assertThat(volcano().nodesOf(namespace, "ten")).isEmpty();
        TREE.coreNames().forEach(core -> drain(core, null));
        awaitBound("ten", 10);
        volcano().delete(namespace, "ten");
    }

    @Test
    @Order(9)
    void aNodeThatLeavesChangesItsLeafAlone() {
        awaitWholeTree();
        Map<String, String> before = quietVersions();
        String leaf = nameOf(hostsOf(volcano().hyperNodes()), nodesOfLeaf(1));
        String device = TreeFabric.deviceName(3);
        FabricDevice gone = admin.resources(FabricDevice.class).withName(device).require();
        admin.resource(gone).delete();
        eventually(() -> assertThat(hostsOf(volcano().hyperNodes()).get(leaf))
                .containsExactlyInAnyOrder("node-0004", "node-0005"));
        assertThat(changed(before)).containsExactly(leaf);
        admin.resource(TREE.deviceObjects().get(3)).create();
        eventually(() -> assertThat(hostsOf(volcano().hyperNodes()).get(leaf)).hasSize(3));
        awaitWholeTree();
        assertThat(changed(before)).containsExactly(leaf);
    }

    @Test
    @Order(10)
    void whatSomebodyChangesOrDeletesComesBack() {
        awaitWholeTree();
        Map<String, Set<String>> hosts = hostsOf(volcano().hyperNodes());
        String leaf = nameOf(hosts, nodesOfLeaf(0));
        // Volcano and the operator write it too.
        eventually(() -> volcano().hyperNodeResources().withName(leaf).edit(object -> {
            Map<String, Object> spec = new HashMap<>(spec(object));
            spec.put("tier", 7);
            object.setAdditionalProperty("spec", spec);
            return object;
        }));
        volcano().hyperNodeResources().withName(FABRIC).delete();
        eventually(() -> {
            assertThat(hostsOf(volcano().hyperNodes())).isEqualTo(hosts);
            assertThat(spec(volcano().hyperNodes().get(leaf))).containsEntry("tier", 1);
        });
    }

    @Test
    @Order(11)
    void aFabricThatOptsOutTakesItsHyperNodesAwayAndNoOther() {
        awaitWholeTree();
        String taken = nameOf(hostsOf(volcano().hyperNodes()), nodesOfLeaf(0));
        admin.resource(foreign("somebody-elses")).create();
        edit(fabric -> fabric.getMetadata().setAnnotations(Map.of(VOLCANO_OFF, "false")));
        eventually(() -> assertThat(volcano().hyperNodes()).containsOnlyKeys("somebody-elses"));
        eventually(() -> assertThat(condition("HyperNodesCurrent")).isNull());

        // A name that somebody else has taken meanwhile is left to them, and told.
        GenericKubernetesResource theirs = admin.resource(foreign(taken)).create();
        edit(fabric -> fabric.getMetadata().setAnnotations(Map.of()));
        eventually(() -> assertThat(condition("HyperNodesCurrent")).satisfies(condition -> {
            assertThat(condition.reason()).isEqualTo("NameTaken");
            assertThat(condition.message()).contains(taken);
        }));
        eventually(() -> assertThat(volcano().hyperNodes()).hasSize(10));
        assertThat(spec(volcano().hyperNodes().get(taken))).isEqualTo(spec(theirs));
        try (KubernetesClient controller = asController()) {
            assertThatThrownBy(() -> controller.resource(theirs).delete())
                    .hasMessageContaining("deletes its own HyperNodes only");
        }
        admin.resource(theirs).delete();
        eventually(() -> assertThat(
                        Objects.requireNonNull(condition("HyperNodesCurrent")).reason())
                .isEqualTo("Written"));
        volcano().hyperNodeResources().withName("somebody-elses").delete();
    }

    @Test
    @Order(12)
    void everythingIsGoneAfterSwitchingOffAndWithTheFabric(@TempDir Path directory) {
        awaitWholeTree();
        admin.resource(foreign("somebody-elses")).create();
        operator().terminate();
        operator = startOperator(cluster, directory, Map.of("FABRIC_OPERATOR_VOLCANO_ENABLED", "false"));
        eventually(() -> assertThat(volcano().hyperNodes()).containsOnlyKeys("somebody-elses"));
        eventually(() -> assertThat(condition("HyperNodesCurrent")).isNull());
        operator().terminate();
        operator = startOperator(cluster, directory, Map.of());
        volcano().hyperNodeResources().withName("somebody-elses").delete();
        awaitWholeTree();

        admin.resources(FabricDevice.class).delete();
        admin.resources(FabricSwitch.class).delete();
        admin.resources(Fabric.class).delete();
        eventually(() -> assertThat(volcano().hyperNodes()).isEmpty());
    }

    private void awaitWholeTree() {
        eventually(() -> {
            Map<String, GenericKubernetesResource> objects = volcano().hyperNodes();
            assertThat(objects).hasSize(9);
            // Volcano's controllers have said what they make of it, and write nothing more.
            assertThat(objects.values())
                    .allSatisfy(object -> assertThat(nodeCount(object))
                            .isEqualTo(members(object).size()));
        });
    }

    private static int nodeCount(GenericKubernetesResource object) {
        Object status = object.getAdditionalProperties().get("status");
        return status instanceof Map<?, ?> fields && fields.get("nodeCount") instanceof Integer count ? count : -1;
    }

    private void awaitBound(String job, int pods) {
        try {
            eventually(() -> assertThat(volcano().nodesOf(namespace, job)).hasSize(pods));
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("not bound; " + volcano().logs(), e);
        }
    }

    private Set<Integer> leavesOf(String job) {
        return volcano().nodesOf(namespace, job).stream()
                .map(node -> TREE.leafOf(TreeFabric.number(node)))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> nodesOfLeaf(int leaf) {
        return IntStream.range(0, TREE.nodes())
                .filter(node -> TREE.leafOf(node) == leaf)
                .mapToObj(TreeFabric::nodeName)
                .collect(Collectors.toSet());
    }

    private static String nameOf(Map<String, Set<String>> hosts, Set<String> of) {
        return hosts.entrySet().stream()
                .filter(entry -> entry.getValue().equals(of))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
    }

    private String parentOf(String name) {
        return volcano().hyperNodes().values().stream()
                .filter(object -> members(object).contains("HyperNode/" + name))
                .map(object -> object.getMetadata().getName())
                .findFirst()
                .orElseThrow();
    }

    private static Map<?, ?> specOf(GenericKubernetesResource object) {
        return (Map<?, ?>)
                Objects.requireNonNull(object.getAdditionalProperties().get("spec"));
    }

    private static Map<String, Object> spec(@Nullable GenericKubernetesResource object) {
        Map<String, Object> spec = new TreeMap<>();
        specOf(Objects.requireNonNull(object)).forEach((key, value) -> spec.put((String) key, value));
        return spec;
    }

    /** As {@code Node/name} and {@code HyperNode/name}. */
    private static List<String> members(GenericKubernetesResource object) {
        List<String> members = new ArrayList<>();
        for (Object member : (List<?>) Objects.requireNonNull(specOf(object).get("members"))) {
            Map<?, ?> fields = (Map<?, ?>) member;
            Map<?, ?> selector = (Map<?, ?>) Objects.requireNonNull(fields.get("selector"));
            Map<?, ?> match = (Map<?, ?>) Objects.requireNonNull(selector.get("exactMatch"));
            members.add(fields.get("type") + "/" + match.get("name"));
        }
        return members;
    }

    /** The nodes below each HyperNode. */
    private static Map<String, Set<String>> hostsOf(Map<String, GenericKubernetesResource> objects) {
        Map<String, Set<String>> hosts = new TreeMap<>();
        objects.keySet().forEach(name -> hosts.put(name, below(objects, name)));
        return hosts;
    }

    private static Set<String> below(Map<String, GenericKubernetesResource> objects, String name) {
        Set<String> below = new HashSet<>();
        GenericKubernetesResource object = objects.get(name);
        for (String member : object == null ? List.<String>of() : members(object)) {
            String of = member.substring(member.indexOf('/') + 1);
            if (member.startsWith("Node/")) {
                below.add(of);
            } else {
                below.addAll(below(objects, of));
            }
        }
        return below;
    }

    private Map<String, String> versions() {
        Map<String, String> versions = new TreeMap<>();
        volcano()
                .hyperNodes()
                .forEach((name, object) ->
                        versions.put(name, object.getMetadata().getResourceVersion()));
        return versions;
    }

    /** The same once nobody has written any for a while. */
    private Map<String, String> quietVersions() {
        Map<String, String> before = versions();
        while (changed(before).size() > 0) {
            before = versions();
        }
        return before;
    }

    /** Names of the HyperNodes that came, went or were written, when Volcano's controllers have had time to say what they make of it. */
    private Set<String> changed(Map<String, String> before) {
        pause();
        Map<String, String> now = versions();
        Set<String> names = new TreeSet<>(before.keySet());
        names.addAll(now.keySet());
        names.removeIf(name -> Objects.equals(before.get(name), now.get(name)));
        return names;
    }

    private void drain(String fabricSwitch, @Nullable String ports) {
        eventually(() -> admin.resources(FabricSwitch.class)
                .withName(fabricSwitch)
                .edit(object -> {
                    object.getMetadata()
                            .setAnnotations(ports == null ? Map.of() : Map.of(FabricApi.ANNOTATION_DRAIN, ports));
                    return object;
                }));
    }

    private static GenericKubernetesResource foreign(String name) {
        return new GenericKubernetesResourceBuilder()
                .withApiVersion("topology.volcano.sh/v1alpha1")
                .withKind("HyperNode")
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .addToAdditionalProperties(
                        "spec",
                        Map.of(
                                "tier",
                                1,
                                "members",
                                List.of(Map.of(
                                        "type",
                                        "Node",
                                        "selector",
                                        Map.of("exactMatch", Map.of("name", "elsewhere"))))))
                .build();
    }

    private KubernetesClient asController() {
        return new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder()
                        .withMasterUrl(cluster.server())
                        .withCaCertData(Base64.getEncoder()
                                .encodeToString(cluster.authorityPem().getBytes(StandardCharsets.UTF_8)))
                        .withOauthToken(ServiceAccountTokens.ofAccount(
                                admin, OperatorProcess.NAMESPACE, "fabric-operator-controller"))
                        .build())
                .build();
    }
}
