/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fabricoperator.cli.input.FabricSet;
import dev.fabricoperator.cli.input.FoundFabric;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.formats.export.SlurmNodeNames;
import dev.fabricoperator.formats.export.SlurmOptions;
import dev.fabricoperator.formats.export.SlurmPlugin;
import dev.fabricoperator.formats.export.SlurmVersion;
import dev.fabricoperator.formats.export.SlurmWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The slurmctld of each release that Debian has takes each export of each layout that sites have reported, places jobs by it, and says which version it is. */
@Tag("long")
class SlurmReleasesTest {
    private static final String ROOTS = "FABRIC_OPERATOR_SLURM_ROOTS";
    private static final String INSTALLED = "installed";
    /** What describes a fabric, in each form but one. */
    private static final Pattern LAYOUT = Pattern.compile(
            "reported/handed-on/.*\\.csv|(fabric|sim)/.*/ibnetdiscover[^/]*\\.txt(\\.gz)?|models/.*\\.topo|reported/[^/]*-ibnetdiscover\\.txt(\\.gz)?|(fabric|reported)/.*\\.conf");

    private static final int MOST_NODES = 100_000;
    private static final Pattern NODES = Pattern.compile("(?:Nodes=| nodes: )\"?([^ \"\\n]+)");
    /** Reads topology.yaml, and those after it. */
    private static final SlurmVersion FIRST_WITH_YAML = new SlurmVersion(25, 5);
    /** Has the plugin for blocks, and those after it. */
    private static final SlurmVersion FIRST_WITH_BLOCKS = new SlurmVersion(23, 11);

    @TempDir
    Path directory;

    static Stream<Arguments> releasesAndLayouts() throws IOException {
        Path fixtures = Path.of(System.getProperty("fixtures", "fixtures"));
        List<Path> layouts;
        try (Stream<Path> files = Files.walk(fixtures)) {
            layouts = files.filter(file ->
                            LAYOUT.matcher(fixtures.relativize(file).toString()).matches())
                    .sorted()
                    .toList();
        }
        assertThat(layouts).hasSizeGreaterThan(30);
        return Stream.of(INSTALLED, "trixie", "sid")
                .flatMap(release -> layouts.stream().map(layout -> Arguments.of(release, layout)));
    }

    @ParameterizedTest
    @MethodSource("releasesAndLayouts")
    void slurmctldTakesEachExportAndPlacesJobsByIt(String release, Path layout) throws Exception {
        Path root = root(release);
        String version = version(root);
        System.out.println(release + ": slurmctld " + version + ", " + layout.getFileName());
        FabricSet read = FabricSet.read(List.of(SourceArgument.parse(layout.toString())));
        assertThat(read.fabrics()).isNotEmpty();
        for (FoundFabric fabric : read.fabrics()) {
            for (Export export : exports(fabric.model(), version)) {
                load(root, layout.getFileName() + " " + fabric.name() + " " + export.name(), export);
            }
        }
    }

    private static @Nullable Path root(String release) {
        assumeTrue(System.getProperty("user.name").equals("root"), "needs root");
        if (release.equals(INSTALLED)) {
            return null;
        }
        String roots = System.getenv(ROOTS);
        assumeTrue(roots != null, "no " + ROOTS + ": \"make verify-long\" sets it, as root on Linux");
        return Path.of(Objects.requireNonNull(roots), release);
    }

    /** @param plugin as slurm.conf has it, empty where the file says it */
    private record Export(String name, String plugin, String file, String text) {}

    private static List<Export> exports(FabricModel model, String version) throws Exception {
        SlurmVersion parsed = SlurmVersion.parse(version);
        List<Export> exports = new ArrayList<>();
        for (SlurmPlugin plugin : SlurmPlugin.values()) {
            if (plugin != SlurmPlugin.tree && parsed.compareTo(FIRST_WITH_BLOCKS) < 0) {
                continue;
            }
            for (boolean everySwitch : plugin == SlurmPlugin.tree ? new boolean[] {false, true} : new boolean[1]) {
                SlurmOptions options = new SlurmOptions(
                        "fabric",
                        plugin,
                        null,
                        everySwitch,
                        new SlurmNodeNames(SlurmNodeNames.Form.SHORT, Map.of()),
                        parsed);
                String name = plugin + (everySwitch ? " every switch" : "");
                SlurmWriter.NamedTopology topology = new SlurmWriter.NamedTopology(model, options);
                if (!SlurmWriter.isFlat(topology)) {
                    exports.add(new Export(name, plugin.name(), "topology.conf", SlurmWriter.conf(topology)));
                }
                if (parsed.compareTo(FIRST_WITH_YAML) >= 0) {
                    exports.add(new Export(name + " yaml", "", "topology.yaml", SlurmWriter.yaml(List.of(topology))));
                }
            }
        }
        return exports;
    }

    private void load(@Nullable Path root, String what, Export export) throws Exception {
        List<Set<String>> written = sets(export.text());
        Set<String> nodes = new TreeSet<>();
        written.forEach(nodes::addAll);
        if (nodes.isEmpty()) {
            // A flat topology.yaml names none.
            nodes.addAll(List.of("n1", "n2"));
        }
        Path own = Files.createTempDirectory(directory, "slurm");
        try (SlurmController slurm =
                SlurmController.start(root, own, List.copyOf(nodes), export.plugin(), export.file(), export.text())) {
            String shown = slurm.control("show", "topology");
            Set<String> told = new TreeSet<>();
            sets(shown).forEach(told::addAll);
            if (!written.isEmpty()) {
                assertThat(told).as(what).containsExactlyInAnyOrderElementsOf(nodes);
                int least = written.stream().mapToInt(Set::size).min().orElseThrow();
                Set<String> placed = slurm.place(least);
                assertThat(placed).as(what).hasSize(least);
                assertThat(written)
                        .as("%s: where a job of the smallest group lands: %s", what, placed)
                        .anySatisfy(group -> assertThat(group).containsAll(placed));
            }
            if (export.plugin().equals(SlurmPlugin.tree.name())) {
                // A tree of which no switch has all of them refuses jobs across its parts, and the export says so.
                boolean isJoined = sets(shown).stream().anyMatch(group -> group.equals(nodes));
                assertThat(slurm.couldPlace(nodes.size()))
                        .as(what + "\n" + shown)
                        .isEqualTo(isJoined);
            }
        } catch (IllegalStateException e) {
            throw new AssertionError(what + "\n" + export.text(), e);
        }
    }

    private static List<Set<String>> sets(String text) throws Exception {
        List<Set<String>> sets = new ArrayList<>();
        Matcher matcher = NODES.matcher(text);
        while (matcher.find()) {
            try {
                sets.add(new TreeSet<>(HostList.expand(matcher.group(1), MOST_NODES)));
            } catch (HostList.BadHostList e) {
                throw new AssertionError(matcher.group(), e);
            }
        }
        return sets;
    }

    private static String version(@Nullable Path root) throws Exception {
        List<String> command = new ArrayList<>(List.of("/usr/sbin/slurmctld", "-V"));
        if (root != null) {
            command.addAll(0, List.of("chroot", root.toString()));
        }
        Process process = new ProcessBuilder(command).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        Matcher version = Pattern.compile("([0-9]{2}\\.[0-9]{2}\\.[0-9]+)").matcher(text);
        assertThat(version.find()).as(text).isTrue();
        return version.group(1);
    }
}
