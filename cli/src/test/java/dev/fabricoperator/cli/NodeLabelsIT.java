/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes as {@code kubectl get nodes -o json} prints them, written after the documentation of Amazon EKS. */
class NodeLabelsIT {
    @TempDir
    Path directory;

    /** Eight nodes, two below each of four switches, in two halves. */
    private Path nodes(String first, String second, String third) throws IOException {
        List<String> nodes = new ArrayList<>();
        for (int node = 0; node < 8; node++) {
            nodes.add("""
                    {"apiVersion": "v1", "kind": "Node", "metadata": {"annotations": {"a": "b"}, "labels": {
                    "%s": "nn-top", "%s": "nn-half%s", "%s": "nn-leaf%s"}, "name": "gpu-%d"}, "spec": {}}
                    """.formatted(first, second, "ab".charAt(node / 4), third, "abcd".charAt(node / 2), node));
        }
        return Files.writeString(
                directory.resolve("nodes.json"),
                "{\"apiVersion\": \"v1\", \"items\": [" + String.join(",", nodes) + "], \"kind\": \"List\"}\n");
    }

    private Path aws() throws IOException {
        String layer = "topology.k8s.aws/network-node-layer-";
        return nodes(layer + 1, layer + 2, layer + 3);
    }

    private static String out(String... words) {
        Program.Result result = Program.run(words);
        assertThat(result.exitCode()).as(result.err()).isZero();
        return result.out();
    }

    @Test
    void labelsOfACloudAreFoundAndAnsweredAsAnyTree() throws IOException {
        String file = "node-labels:" + aws();
        assertThat(out("topology", file)).contains("FatTree", "2x2x2", "nn-leafa");
        assertThat(out("groups", file)).contains("gpu-[0-3]", "gpu-[4-7]");
        assertThat(out("cost", "--from", "gpu-0", "--to", "gpu-7", file)).contains("gpu-0");
        assertThat(out("path", "gpu-0", "gpu-7", file))
                .contains("nn-leafa", "nn-halfa", "nn-top", "nn-halfb", "nn-leafd");
        assertThat(out("export", "slurm", file)).contains("gpu-[0-1]");
        assertThat(out("diff", file, file)).contains("No differences");
    }

    @Test
    void whatTheFileIsIsTold() throws IOException {
        assertThat(out("topology", aws().toString())).isEqualTo(out("topology", "node-labels:" + aws()));
    }

    @Test
    void keysAreNamedFromTheTopToTheLeaf() throws IOException {
        Path file = nodes("site/hall", "site/row", "site/rack");
        String out = out("path", "gpu-0", "gpu-3", "--node-label-keys", "site/row,site/rack", file.toString());
        assertThat(out).contains("nn-leafa", "nn-halfa", "nn-leafb").doesNotContain("nn-top");
        assertThat(Program.run("topology", file.toString()).err())
                .contains("nodes.json:", "none of 8 nodes has the labels of aws, gke, oci");
        assertThat(Program.run("topology", "--node-label-keys", "site/floor", file.toString())
                        .err())
                .contains("none of 8 nodes has a label site/floor");
    }

    @Test
    void keysWithoutAFileOfNodesAreRefused() {
        assertThat(Program.run("check", "--node-label-keys", "a").err())
                .contains("--node-label-keys goes with files, and none is given");
        assertThat(Program.run(
                                "topology",
                                "--node-label-keys",
                                "a",
                                Program.FIXTURES
                                        .resolve("reported/handed-on/flat.csv")
                                        .toString())
                        .err())
                .contains("flat.csv:1: keys of labels go with node-labels, and this is cables");
    }

    @Test
    void theOperatorReadsNodesItselfAndTakesNoUpload() throws IOException {
        assertThat(Program.run("upload", "node-labels:" + aws()).err())
                .contains("the operator reads no upload of kind 'node-labels'");
    }

    /** Two NVLink domains of four trays below two leaves, and a third that lacks one: labels of two kinds on each node. */
    private Path trays() throws IOException {
        List<String> nodes = new ArrayList<>();
        for (int node = 0; node < 11; node++) {
            nodes.add("""
                    {"apiVersion": "v1", "kind": "Node", "metadata": {"labels": {
                    "cloud.google.com/gce-topology-block": "block", "cloud.google.com/gce-topology-subblock": "leaf%d",
                    "nvidia.com/gpu.clique": "%s.0"}, "name": "tray-%d"}}
                    """.formatted(node % 2, List.of("aaaa", "bbbb", "cccc").get(node / 4), node));
        }
        return Files.writeString(
                directory.resolve("trays.json"), "{\"kind\": \"List\", \"items\": [" + String.join(",", nodes) + "]}");
    }

    @Test
    void cliquesAreAFabricBesideTheNetworkAndTheCheaperOfBothCounts() throws IOException {
        String file = trays().toString();
        assertThat(out("topology", file)).contains("infiniband-0", "nvlink-0", "NVLink");
        assertThat(out("groups", "--fabric", "nvlink-0", file)).contains("tray-[0-3]", "tray-[4-7]", "tray-[8-10]");
        assertThat(out("check", file)).contains("NVLink domain cccc has 3 hosts where most domains have 4");
        assertThat(out("cost", "--nodes", "tray-0,tray-1,tray-4", "-o", "json", file)
                        .replaceAll("\\s", ""))
                .as("of one clique and two leaves, of one leaf, of neither")
                .contains("\"fabric\":\"infiniband-0\"", "[[0,4,20],[4,0,40],[20,40,0]]");
        assertThat(out("cost", "--nodes", "tray-0,tray-4", "--fabric", "nvlink-0", file))
                .contains("-");
        assertThat(out("fits", "--pods", "4", "--fabric", "nvlink-0", file)).contains("tray-[0-3]");
    }
}
