/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.SourceStatusBuilder;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.crds.TopologySourceBuilder;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPortBuilder;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.operator.OperatorSettings;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.operator.cluster.UploadPart;
import dev.fabricoperator.operator.controller.integration.node.NodeLabelSettings;
import dev.fabricoperator.operator.model.SourceProblem;
import dev.fabricoperator.operator.model.SourceState;
import dev.fabricoperator.operator.model.condition.Reason;
import dev.fabricoperator.view.mapping.SwitchMapper;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sources of one Fabric. */
class TopologySourcesTest {
    private final FactStores stores = new FactStores(SteadyClock.system());
    private final KubernetesClient client = new KubernetesClientBuilder().build();
    /** Of the sources that were read last. */
    private FactStores own = stores;

    TopologySourcesTest() {
        Fabric fabric = new Fabric();
        fabric.setMetadata(new ObjectMetaBuilder()
                .withName("compute")
                .withUid("compute")
                .withResourceVersion("1")
                .build());
        fabric.setSpec(FabricSpecBuilder.builder()
                .sources(List.of(
                        TopologySourceBuilder.builder().type(SourceType.lldp).build(),
                        TopologySourceBuilder.builder()
                                .type(SourceType.slurm)
                                .url("file:///zz/no-such-file")
                                .build()))
                .build());
        stores.fabrics().put("compute", fabric);
    }

    @AfterEach
    void close() {
        client.close();
    }

    private static final NodeLabelSettings NO_LABELS = new NodeLabelSettings() {
        @Override
        public Wanted enabled() {
            return Wanted.FALSE;
        }

        @Override
        public boolean topograph() {
            return false;
        }
    };

    private TopologySources answeredWith(int code) {
        Settings settings = OperatorSettings.usual();
        SourceContents contents = new SourceContents(client, settings);
        return new TopologySources(
                stores,
                new StoredSources(contents, settings),
                new UfmSources(contents, SteadyClock.system(), settings),
                new LossWatch(),
                new SwitchPublisher(client, stores, settings) {
                    @Override
                    boolean publish(String source, String origin, List<Switch> switches) {
                        throw new KubernetesClientException("spec.id: no such id", code, null);
                    }
                },
                NO_LABELS,
                Clock.systemUTC());
    }

    private static SourceProblem problem(TopologySources sources, String name) {
        return sources.states().stream()
                .filter(state -> state.name().startsWith(name))
                .map(SourceState::problem)
                .map(Objects::requireNonNull)
                .findFirst()
                .orElseThrow();
    }

    /** Else each round would write them, and wait for what never comes. */
    @Test
    void namesOfWhichTheObjectHasOtherCharactersAreWrittenOnce() throws InterruptedException {
        Switch odd = SwitchBuilder.builder()
                .id("sw1")
                .name("spine\u0001\u202e1")
                .vendor("a\u009bmaker")
                .ports(List.of(SwitchPortBuilder.builder()
                        .number(1)
                        .peer(new PortPeer("n1/eth0", 0))
                        .state(PortState.Active)
                        .peerHost("n\u00071")
                        .peerOsName("eth0")
                        .build()))
                .build();
        FabricSwitch written = SwitchMapper.toObject("lldp", "lldp", odd);
        assertThat(written.getSpec().name()).isEqualTo("spine??1");
        stores.switches().put(written.getMetadata().getName(), written);

        // No API server answers this client.
        assertThat(new SwitchPublisher(client, stores, OperatorSettings.usual()).publish("lldp", "lldp", List.of(odd)))
                .isFalse();
    }

    @Test
    void switchesThatTheApiServerRefusesAreAProblemOfTheirSourceAndKeepNoOtherWaiting() throws InterruptedException {
        TopologySources sources = answeredWith(422);

        sources.refresh();

        assertThat(problem(sources, "lldp").kind()).isEqualTo(SourceProblem.Kind.Unreadable);
        assertThat(problem(sources, "lldp").message()).contains("LLDP", "spec.id: no such id");
        assertThat(problem(sources, "file.").kind()).isEqualTo(SourceProblem.Kind.Missing);
    }

    @Test
    void whereTheApiServerIsAwayTheOtherSourcesAreReadAllTheSame() {
        TopologySources sources = answeredWith(503);

        assertThatThrownBy(sources::refresh).isInstanceOf(KubernetesClientException.class);

        assertThat(sources.states())
                .extracting(SourceState::name)
                .singleElement()
                .satisfies(name -> assertThat(name).startsWith("file."));
    }

    /** As a defect in a writer, which one source alone meets. */
    private TopologySources failingFor(String name, RuntimeException defect, List<String> published) {
        Settings settings = OperatorSettings.usual();
        SourceContents contents = new SourceContents(client, settings);
        return new TopologySources(
                stores,
                new StoredSources(contents, settings),
                new UfmSources(contents, SteadyClock.system(), settings),
                new LossWatch(),
                new SwitchPublisher(client, stores, settings) {
                    @Override
                    boolean publish(String source, String origin, List<Switch> switches) {
                        if (source.startsWith(name)) {
                            throw defect;
                        }
                        published.add(source);
                        return true;
                    }
                },
                NO_LABELS,
                Clock.systemUTC());
    }

    @Test
    void aDefectThatOneSourceMeetsIsAProblemOfThatSourceAndKeepsNoOtherWaiting() throws InterruptedException {
        TopologySources sources = failingFor("lldp", new IllegalStateException("an index too far"), new ArrayList<>());

        sources.refresh();

        assertThat(problem(sources, "lldp").kind()).isEqualTo(SourceProblem.Kind.Unreadable);
        assertThat(problem(sources, "lldp").message()).contains("lldp", "a defect of the operator", "an index too far");
        assertThat(problem(sources, "file.").kind()).isEqualTo(SourceProblem.Kind.Missing);
    }

    /** Reads as {@code SourceContents}, but for one file, at which what reads it fails as no text should make it fail. */
    private TopologySources readingWithADefectAt(Path bad, Path directory, Map<String, List<Switch>> published) {
        Settings settings = OperatorSettings.with("topology-directory", directory.toString());
        SourceContents contents = new SourceContents(client, settings) {
            @Override
            TopologyFile file(String url) throws IOException {
                if (url.endsWith("/" + bad.getFileName())) {
                    throw new IllegalStateException("an index too far");
                }
                return super.file(url);
            }
        };
        return begun(contents, settings, own, published);
    }

    @Test
    void aFileAtWhichAReaderFailsLeavesTheOthersAndItsOwnLastGoodState(@TempDir Path directory) throws Exception {
        Path good = Files.writeString(directory.resolve("good"), answers().getFirst());
        Path bad = Files.writeString(directory.resolve("bad"), answers().getLast());
        own = new FactStores(SteadyClock.system());
        for (Path file : List.of(bad, good)) {
            Fabric fabric = fabric(List.of(file));
            fabric.getMetadata().setName("of-" + file.getFileName());
            own.fabrics().put(fabric.getMetadata().getName(), fabric);
        }
        Map<String, List<Switch>> published = new TreeMap<>();
        TopologySources before = begun(directory, own, published);
        before.refresh();
        assertThat(published).hasSize(2);
        published.clear();

        TopologySources sources = readingWithADefectAt(bad, directory, published);
        sources.refresh();

        assertThat(published).hasSize(1);
        assertThat(own.switches().facts().stream().map(SwitchFacts::source).distinct())
                .hasSize(2);
        assertThat(sources.states()).hasSize(2);
        assertThat(sources.states().stream().map(SourceState::problem).filter(Objects::nonNull))
                .singleElement()
                .satisfies(problem -> assertThat(problem.message()).contains("an index too far", "bad"));
    }

    private static Fabric fabric(List<Path> files) {
        Fabric fabric = new Fabric();
        fabric.setMetadata(new ObjectMetaBuilder()
                .withName("compute")
                .withUid("compute")
                .withResourceVersion("2")
                .build());
        fabric.setSpec(FabricSpecBuilder.builder()
                .sources(files.stream()
                        .map(file -> TopologySourceBuilder.builder()
                                .type(SourceType.lldp)
                                .url("file://" + file)
                                .build())
                        .toList())
                .build());
        return fabric;
    }

    /** What sources say of switches, by source, once all have been read. */
    private Map<String, List<Switch>> published(Path directory, TopologySources[] into, List<Path> files)
            throws InterruptedException {
        FactStores read = new FactStores(SteadyClock.system());
        own = read;
        own.fabrics().put("compute", fabric(files));
        Map<String, List<Switch>> published = new TreeMap<>();
        into[0] = begun(directory, read, published);
        into[0].refresh();
        return published;
    }

    /** As a process begins, which finds what is in the stores. */
    private TopologySources begun(Path directory, FactStores found, Map<String, List<Switch>> published) {
        Settings settings = OperatorSettings.with("topology-directory", directory.toString());
        return begun(new SourceContents(client, settings), settings, found, published);
    }

    private TopologySources begun(
            SourceContents contents, Settings settings, FactStores found, Map<String, List<Switch>> published) {
        return new TopologySources(
                found,
                new StoredSources(contents, settings),
                new UfmSources(contents, SteadyClock.system(), settings),
                new LossWatch(),
                new SwitchPublisher(client, found, settings) {
                    @Override
                    boolean publish(String source, String origin, List<Switch> switches) {
                        published.put(source, switches);
                        published.values().removeIf(List::isEmpty);
                        found.switches().facts().stream()
                                .filter(facts -> facts.source().equals(source))
                                .map(SwitchFacts::name)
                                .toList()
                                .forEach(found.switches()::remove);
                        for (Switch said : switches) {
                            FabricSwitch object = SwitchMapper.toObject(source, origin, said);
                            object.getMetadata().setUid(object.getMetadata().getName());
                            object.getMetadata().setResourceVersion("1");
                            found.switches().put(object.getMetadata().getName(), object);
                        }
                        return true;
                    }
                },
                NO_LABELS,
                Clock.systemUTC());
    }

    private static List<Path> divide(Path directory, List<String> answers, Random random) throws IOException {
        List<String> order = new ArrayList<>(answers);
        Collections.shuffle(order, random);
        List<Path> files = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < order.size(); i++) {
            text.append(order.get(i)).append('\n');
            if (i == order.size() - 1 || random.nextInt(3) > 0) {
                files.add(Files.writeString(directory.resolve("answers-" + i), text));
                text.setLength(0);
            }
        }
        Collections.shuffle(files, random);
        return files;
    }

    private static List<String> answers() throws IOException {
        List<String> answers = new ArrayList<>();
        for (String system : List.of("h1", "h2", "h3", "h4", "leaf01", "leaf02", "spine01", "spine02")) {
            answers.add(Files.readString(
                    Path.of(System.getProperty("fixtures"), "lldp", "lldpd-1.0.16-clos", system + ".json")));
        }
        return answers;
    }

    @Test
    void howeverAnswersAreDividedOverWhatAFabricNamesTheSwitchesAreTheSame(@TempDir Path directory) throws Exception {
        List<String> answers = answers();
        Path all = Files.writeString(directory.resolve("all"), String.join("\n", answers));
        TopologySources[] sources = new TopologySources[1];
        List<Switch> whole =
                published(directory, sources, List.of(all)).values().iterator().next();
        assertThat(whole).hasSize(4);
        for (int seed = 0; seed < 20; seed++) {
            List<Path> files = divide(directory, answers, new Random(seed));
            Map<String, List<Switch>> published = published(directory, sources, files);
            assertThat(published.values()).as("seed %d: %s", seed, files).containsExactly(whole);
            assertThat(sources[0].states())
                    .hasSize(files.size())
                    .allSatisfy(state -> assertThat(state.problem()).isNull());
            assertThat(sources[0].states().stream().mapToInt(state -> Objects.requireNonNull(state.switches())))
                    .as("each counted once")
                    .containsOnlyOnce(4);
        }
    }

    @Test
    void whatIsWrongWithOneOfThemIsSaidOfEachWithItsNameUntilItIsMended(@TempDir Path directory) throws Exception {
        List<String> answers = answers();
        Path good = Files.writeString(directory.resolve("good"), String.join("\n", answers.subList(0, 4)));
        Path bad = Files.writeString(directory.resolve("bad"), "{\"lldp\": [");
        TopologySources[] sources = new TopologySources[1];
        Map<String, List<Switch>> published = published(directory, sources, List.of(good, bad));
        assertThat(published).isEmpty();
        assertThat(sources[0].states())
                .hasSize(2)
                .allSatisfy(state -> assertThat(
                                Objects.requireNonNull(state.problem()).message())
                        .contains("/bad:1: "));
        Files.writeString(bad, String.join("\n", answers.subList(4, 8)));
        sources[0].refresh();
        assertThat(published).hasSize(1);
        assertThat(sources[0].states())
                .allSatisfy(state -> assertThat(state.problem()).isNull());
    }

    @Test
    void aSourceThatHasStoodAsAnotherOneIsReadAnewOnceItStandsForItself(@TempDir Path directory) throws Exception {
        List<String> answers = answers();
        Path one = Files.writeString(directory.resolve("one"), String.join("\n", answers.subList(0, 4)));
        Path other = Files.writeString(directory.resolve("other"), String.join("\n", answers.subList(4, 8)));
        TopologySources[] sources = new TopologySources[1];
        Map<String, List<Switch>> published = published(directory, sources, List.of(one, other));
        String first = published.keySet().iterator().next();
        for (List<Path> order : List.of(List.of(other, one), List.of(one, other))) {
            published.clear();
            own.fabrics().put("compute", fabric(order));
            sources[0].refresh();
        }
        assertThat(published).containsOnlyKeys(first);
        assertThat(published.get(first)).hasSize(4);
    }

    /** Else its switches would stay until a person accepts the loss. */
    @Test
    void whatAFabricHasCeasedToNameBeforeARestartHasNoSwitches(@TempDir Path directory) throws Exception {
        List<String> answers = answers();
        Path one = Files.writeString(directory.resolve("one"), String.join("\n", answers.subList(0, 2)));
        Path other = Files.writeString(directory.resolve("other"), String.join("\n", answers.subList(2, 8)));
        TopologySources[] sources = new TopologySources[1];
        published(directory, sources, List.of(one, other));
        Fabric left = fabric(List.of(one));
        left.setStatus(FabricStatusBuilder.builder()
                .sources(sources[0].states().stream()
                        .map(state -> SourceStatusBuilder.builder()
                                .name(state.name())
                                .type(state.type())
                                .state(Reason.SourceRead.name())
                                .switches(state.switches())
                                .links(state.links())
                                .build())
                        .toList())
                .build());
        own.fabrics().put("compute", left);

        Map<String, List<Switch>> published = new TreeMap<>();
        begun(directory, own, published).refresh();

        assertThat(published.values())
                .singleElement()
                .satisfies(switches -> assertThat(switches).hasSizeBetween(1, 3));
    }

    /** Who stands first takes over the switches of the others, and what was known of them. */
    @Test
    void aLossIsHeldAlsoWhereAnotherSourceHasBecomeTheFirst(@TempDir Path directory) throws Exception {
        List<String> answers = answers();
        Path one = Files.writeString(directory.resolve("one"), String.join("\n", answers.subList(0, 4)));
        Path other = Files.writeString(directory.resolve("other"), String.join("\n", answers.subList(4, 8)));
        TopologySources[] sources = new TopologySources[1];
        Map<String, List<Switch>> published = published(directory, sources, List.of(one, other));
        assertThat(published.values())
                .singleElement()
                .satisfies(all -> assertThat(all).hasSize(4));
        Files.writeString(one, answers.getFirst());
        Files.writeString(other, answers.getFirst());
        own.fabrics().put("compute", fabric(List.of(other, one)));

        published.clear();
        sources[0].refresh();

        assertThat(published).isEmpty();
        assertThat(sources[0].states())
                .hasSize(2)
                .allSatisfy(state -> assertThat(
                                Objects.requireNonNull(state.problem()).kind())
                        .isEqualTo(SourceProblem.Kind.Shrunk));
        Files.writeString(one, String.join("\n", answers));
        sources[0].refresh();
        assertThat(sources[0].states())
                .allSatisfy(state -> assertThat(state.problem()).isNull());
        assertThat(own.switches().facts())
                .as("each once")
                .hasSize(4)
                .extracting(SwitchFacts::source)
                .containsOnly(sources[0].states().stream()
                        .filter(state -> Objects.equals(state.switches(), 4))
                        .map(SourceState::name)
                        .findFirst()
                        .orElseThrow());
    }

    @Test
    void aNodeNameMapInADumpsConfigMapGivesItsNodesTheirNames() throws Exception {
        ConfigMap map = new ConfigMapBuilder()
                .withNewMetadata()
                .withName("dump")
                .withResourceVersion("7")
                .endMetadata()
                .addToData("ibnetdiscover.txt", "")
                .addToData("node-name-map", "0x2c9 \"leaf-01\"")
                .build();
        assertThat(UploadPlan.of("dump", List.of(UploadPart.of(map)), SourceType.ibnetdiscover))
                .isInstanceOfSatisfying(UploadPlan.Whole.class, whole -> {
                    assertThat(whole.file()).isEqualTo("ConfigMap dump key ibnetdiscover.txt");
                    assertThat(whole.nodeNames())
                            .isNotNull()
                            .satisfies(names -> assertThat(names.file()).isEqualTo("ConfigMap dump key node-name-map"));
                });
        assertThat(UploadPlan.of("dump", List.of(UploadPart.of(map)), SourceType.slurm))
                .as("what names no node by its GUID has texts under all keys")
                .isInstanceOf(UploadPlan.Several.class);
        map.getData().remove("ibnetdiscover.txt");
        assertThat(UploadPlan.of("dump", List.of(UploadPart.of(map)), SourceType.ibnetdiscover))
                .isInstanceOf(UploadPlan.Faulty.class);
    }

    @Test
    void theKeysOfOneConfigMapArePartsOfOneText() {
        ConfigMap map = new ConfigMapBuilder()
                .withNewMetadata()
                .withName("racks")
                .withResourceVersion("7")
                .endMetadata()
                .addToData("leaf02", "{}")
                .addToData("leaf01", "{}")
                .build();
        assertThat(UploadPlan.of("racks", List.of(UploadPart.of(map)), SourceType.lldp))
                .isInstanceOfSatisfying(
                        UploadPlan.Several.class,
                        several -> assertThat(several.texts())
                                .extracting(UploadPlan.Whole::file)
                                .containsExactly("ConfigMap racks key leaf01", "ConfigMap racks key leaf02"));
    }
}
