/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.e2e.cli.CommandLineProgram.Result;
import dev.fabricoperator.e2e.hostgen.DumpText;
import dev.fabricoperator.e2e.hostgen.Dumps;
import dev.fabricoperator.e2e.hostgen.MadeDump;
import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.query.FabricQuery;
import dev.fabricoperator.formats.slurm.SlurmConfReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Every command on fabrics of many hosts with two devices each ends, and with the right answer. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class LargeFabricCase {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** They have no file to ask: of a host, of a cluster, of this program. */
    private static final Set<String> WITHOUT_A_FABRIC = Set.of(
            "discover",
            "status",
            "jobs",
            "job",
            "traffic",
            "levels",
            "explain",
            "pmix",
            "watch",
            "refresh",
            "completion");

    private final int hosts;
    private final int devices;
    /** One that is far from n1. */
    private final String far;

    private final Set<String> asked = new TreeSet<>();
    private Path directory = Path.of("");
    private Path tree = Path.of("");
    private Path rails = Path.of("");
    private List<OfflineFabric> made = List.of();

    LargeFabricCase(int hosts) {
        this.hosts = hosts;
        this.devices = 2 * hosts;
        this.far = "n" + hosts * 4 / 5;
    }

    @BeforeAll
    void makeThem(@TempDir Path directory) throws IOException {
        this.directory = directory;
        String dump = MadeDump.threeTier(hosts, 2);
        tree = Files.writeString(directory.resolve("tree.txt"), dump);
        rails = Files.writeString(directory.resolve("rails.txt"), MadeDump.railOptimized(hosts, 2));
        made = OfflineFabrics.of(Dumps.cabling("tree", DumpText.of(dump)));
    }

    private OfflineFabric expected() {
        return made.getFirst();
    }

    private String text(Path fabric, String... words) throws IOException {
        List<String> all = new ArrayList<>(List.of(words));
        all.add(fabric.toString());
        // The first time by the program itself, whose heap is its own.
        Result result =
                asked.add(words[0]) ? new CommandLineProgram(directory).run(all) : CommandLineProgram.inProcess(all);
        assertThat(result.exitCode()).as("%s: %s", all, result.err()).isZero();
        return result.out();
    }

    private JsonNode json(Path fabric, String... words) throws IOException {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("-o", "json"));
        return JSON.readTree(text(fabric, all.toArray(String[]::new)));
    }

    private int slot(String host, String osName) {
        for (int slot = 0; slot < expected().devices().size(); slot++) {
            var device = expected().devices().get(slot);
            if (device.hostname().equals(host) && device.osName().equals(osName)) {
                return slot;
            }
        }
        throw new IllegalArgumentException(host + "/" + osName);
    }

    @Test
    void everyCommandEndsWithTheRightAnswer() throws IOException, BadInputException {
        int from = slot("n1", "mlx5_0");
        int to = slot(far, "mlx5_1");
        int cost = expected().model().cost().cost(from, to);

        JsonNode list = json(tree, "topology").path("items");
        assertThat(list).hasSize(1 + expected().switches().size() + devices);
        assertThat(list.get(0).at("/status/kind").asText()).isEqualTo("FatTree");
        assertThat(text(tree, "topology", "-o", "wide")).contains("n" + hosts + "-mlx5-1-1");

        assertThat(json(tree, "cost", "--from", "n1/mlx5_0", "--to", far + "/mlx5_1")
                        .path("cost")
                        .asInt())
                .isEqualTo(cost);
        JsonNode row = json(tree, "cost", "--row", "n1/mlx5_0").path("costs");
        assertThat(row).hasSize(devices);
        assertThat(row.get(to).path("cost").asInt()).isEqualTo(cost);
        assertThat(json(tree, "cost", "--rows", "n1/mlx5_0,n2/mlx5_0", "--cols", far + "/mlx5_1")
                        .at("/costs/0/0")
                        .asInt())
                .isEqualTo(cost);
        assertThat(json(tree, "cost", "--from-node", "n1", "--to-node", far)
                        .path("cost")
                        .asInt())
                .isEqualTo(cost);
        assertThat(json(tree, "cost", "--nodes", "n1," + far).at("/costs/0/1").asInt())
                .isEqualTo(cost);
        Path matrix = directory.resolve("cost.npy");
        text(tree, "cost", "--out", matrix.toString());
        assertThat(matrix).hasSize(128 + 2L * devices * devices);
        Files.delete(matrix);

        JsonNode path = json(tree, "path", "n1/mlx5_0", far + "/mlx5_1");
        assertThat(path.path("cost").asInt()).isEqualTo(cost);
        assertThat(path.path("steps")).hasSize(5);
        JsonNode groups = json(tree, "groups").path("groups");
        assertThat(StreamSupport.stream(groups.spliterator(), false)
                        .mapToInt(group -> group.path("hosts").size())
                        .sum())
                .isEqualTo(hosts);
        int group = groups.get(0).path("group").asInt();
        assertThat(json(tree, "cost", "--device", "n1/mlx5_0", "--group", Integer.toString(group))
                        .path("devices")
                        .asInt())
                .isEqualTo(2 * groups.get(0).path("hosts").size());
        assertThat(json(tree, "peers", "n1/mlx5_0").path("peers"))
                .hasSize(Objects.requireNonNull(new FabricQuery(expected().model()).switchPeers(from))
                        .size());
        assertThat(json(tree, "geometry", "n1")).hasSize(2);
        assertThat(text(tree, "check")).endsWith(": no findings\n");
        assertThat(text(tree, "links", "--down"))
                .startsWith("No link is down or missing")
                .hasLineCount(1);
        assertThat(SlurmConfReader.read("topology.conf", new StringReader(text(tree, "export", "slurm")))
                        .adapters())
                .hasSize(hosts);
        assertThat(text(tree, "diff", tree.toString())).hasLineCount(1);
        JsonNode fits = json(tree, "fits", "--pods", Integer.toString(hosts / 2));
        assertThat(fits.path("free").asInt()).isEqualTo(hosts);
        assertThat(fits.at("/placement/nodes")).hasSize(hosts / 2);
        String map = text(tree, "map", "--hosts", "n[1-64]");
        assertThat(map).contains("job on n[1-64]: 64 ranks on 64 hosts").hasSizeLessThan(20_000);
        assertThat(text(tree, "map", "-o", "html"))
                .contains("\"n" + hosts + "\"")
                .hasSizeLessThan(200_000 + 360 * hosts);
        assertThat(text(tree, "upload", "--dry-run")).contains("would be applied");

        String help = new CommandLineProgram(directory).run(List.of("--help")).out();
        Set<String> commands = new TreeSet<>();
        Pattern.compile("^  ([a-z]+)  +[A-Z]", Pattern.MULTILINE)
                .matcher(help.substring(help.indexOf("Commands:")))
                .results()
                .forEach(found -> commands.add(found.group(1)));
        commands.removeAll(WITHOUT_A_FABRIC);
        assertThat(asked).as("the commands of --help").isEqualTo(commands);
    }

    @Test
    void questionsAboutOneDeviceOfARailOptimizedFabricEndToo() throws IOException {
        assertThat(json(rails, "cost", "--from", "n1/mlx5_0", "--to", far + "/mlx5_0")
                        .path("cost")
                        .asInt())
                .isEqualTo(json(rails, "path", "n1/mlx5_0", far + "/mlx5_0")
                        .path("cost")
                        .asInt());
        assertThat(json(rails, "peers", "n1/mlx5_0").path("peers")).hasSize(64);
        assertThat(json(rails, "geometry", "n1").get(0).path("dims").asInt()).isEqualTo(3);
        assertThat(text(rails, "topology")).contains("RailOptimized");
    }

    @Test
    void anIdThatNothingHasEndsWithTheNamesOfWhatIsNear() throws IOException {
        Result result =
                new CommandLineProgram(directory).run(List.of("path", "n1/mlx5_0", far + "/mlx5_7", tree.toString()));
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).contains("did you mean ", far + "/mlx5_0");
    }
}
