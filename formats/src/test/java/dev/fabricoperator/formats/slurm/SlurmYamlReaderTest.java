/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.formats.TopologyFormat;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SlurmYamlReaderTest {
    private static final String THREE = """
            ---
            # the cluster
            - topology: all
              cluster_default: true
              tree:
                switches:
                  - switch: Root
                    children: s[1-2]
                  - switch: s1
                    nodes: node[01-02]
                  - switch: s2
                    nodes: node[03-04]
            - topology: racks
              cluster_default: false
              block:
                block_sizes:
                  - 2
                  - 4
                blocks:
                  - block: b1
                    nodes: node[01-02]
                  - block: b2
                    nodes: node[03-04]
            - topology: any
              flat: true
            """;

    @Test
    void theDefaultTopologyIsRead() throws Exception {
        Cabling cabling = read(THREE);
        assertThat(cabling.source()).isEqualTo("slurm");
        assertThat(cabling.switches()).extracting(Switch::id).containsExactly("root", "s1", "s2");
        assertThat(cabling.switches().getFirst().name()).isEqualTo("Root");
        assertThat(cabling.adapters())
                .extracting(Adapter::hostname)
                .containsExactly("node01", "node02", "node03", "node04");
        assertThat(cabling.switches().get(1).ports())
                .last()
                .satisfies(port -> assertThat(port.peer()).isEqualTo(new PortPeer("root", 1)));
        assertThat(cabling.problems())
                .extracting(Problem::line, Problem::message)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(
                                13, "topology racks (block) is not read: one is, and that is topology all (tree)"),
                        org.assertj.core.groups.Tuple.tuple(
                                24, "topology any (flat) is not read: one is, and that is topology all (tree)"));
    }

    @Test
    void withoutADefaultTheFirstThatNamesSwitchesIsRead() throws Exception {
        assertThat(read(THREE.replace("cluster_default: true", "cluster_default: no"))
                        .switches())
                .extracting(Switch::id)
                .containsExactly("root", "s1", "s2");
        String blocks = THREE.replace("cluster_default: true", "cluster_default: False")
                .replace("cluster_default: false", "cluster_default: True");
        assertThat(read(blocks).switches()).extracting(Switch::id).containsExactly("b1", "b2");
        String flat = THREE.replace("cluster_default: true\n", "\n")
                .replace("flat: true", "flat: true\n  cluster_default: true");
        assertThat(read(flat).switches()).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[{topology: t, tree: {switches: [{switch: a, nodes: n}]}}]",
                "- topology: t\n  tree:\n    switches: [{switch: a, children: ~, nodes: 'n'}]",
                "[{\"topology\": \"t\", \"tree\": {\"switches\": [{\"switch\": \"a\", \"nodes\": \"n\"}]}}]",
                "- {topology: t, block: {blocks: [{block: a, nodes: n}], block_sizes: 1}}\n",
                "\uFEFF# x\n\n%YAML 1.2\n---\n- topology: t\n  tree: {switches: [{switch: a, nodes: n}]}\n...\n",
                "SwitchName=a Nodes=n",
                "# - x\n\nBlockName=a Nodes=n\n"
            })
    void bothFormsAreToldByTheirBeginning(String text) throws Exception {
        Cabling cabling = TopologyFormat.slurm.read("slurm", new StringReader(text));
        assertThat(cabling.switches()).extracting(Switch::id).containsExactly("a");
        assertThat(cabling.adapters()).extracting(Adapter::id).containsExactly("n/");
    }

    @Test
    void whatSlurmMayComeToKnowIsNotRead() throws Exception {
        Cabling cabling = read("""
                - topology: ring
                  cluster_default: true
                  ring: {rings: [{ring: r, nodes: n}]}
                - topology: t
                  note: x
                  tree: {switches: [{switch: a, nodes: n, rack: 1}]}
                """);
        assertThat(cabling.switches()).hasSize(1);
        assertThat(cabling.problems())
                .extracting(Problem::message)
                .containsExactly(
                        "key note is not read",
                        "key rack is not read",
                        "topology ring (ring) is not read: one is, and that is topology t (tree)");
    }

    @Test
    void aFlatTopologyMaySayHowItsStepsAreNumbered() throws Exception {
        Cabling cabling = read("""
                - topology: alpha
                  cluster_default: true
                  flat:
                    alpha_step_rank: true
                - topology: t
                  tree: {switches: [{switch: a, nodes: n}]}
                """);
        assertThat(cabling.switches()).extracting(Switch::id).containsExactly("a");
        assertThat(cabling.problems())
                .extracting(Problem::message)
                .containsExactly("topology alpha (flat) is not read: one is, and that is topology t (tree)");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                                                     | 1 | the topology is empty
            topology: t                                            | 1 | not a list of topologies
            - x                                                    | 1 | not a topology
            - tree: {}                                             | 1 | a topology without a name
            - topology: t                                          | 1 | neither tree, block nor flat
            - {topology: t, flat: true}                            | 1 | the topology is empty
            - {topology: t, flat: true, tree: {}}                  | 1 | flat and tree
            - {topology: t, flat: perhaps}                         | 1 | neither true nor false: perhaps
            - {topology: t, flat: true}\\n- {topology: t, flat: on} | 2 | is described twice
            - topology: t\\n  topology: u                           | 2 | key topology is there twice
            - topology: t\\n  tree: x                               | 2 | not a mapping with switches
            - topology: t\\n  tree:\\n    switches: x                | 3 | not a list of switches
            - topology: t\\n  tree: {switches: [{nodes: n}]}        | 2 | a switch without a name
            - topology: t\\n  tree: {switches: [{switch: a, nodes: [n]}]} | 2 | not a list of hosts in one word
            - topology: t\\n  tree: {switches: [{switch: a, nodes: 'n[1-'}]} | 2 | a bracket is not closed
            - topology: t\\n  tree: {switches: [{switch: a},{switch: a}]} | 2 | switch a is described twice
            - topology: t\\n  tree: {switches: [{switch: a, nodes: 'n[0-999999]'}]} | 2 | too many hosts
            - &a topology: t\\n- *a                                 | 2 | an alias
            - topology: [[[[[[[[[[[[[[[[[[[[                        | 1 | not the name of a topology
            - x: [[[[[[[[[[[[[[[[[[[[                               | 1 | nested deeper
            - topology: t\\n  flat: [                               | 2 | not true or false
            - topology: t\\n flat: true                             | 2 | not YAML
            - {topology: t, flat: true}\\n---\\n- {}                 | 2 | not the end: Slurm reads one document
            - topology: "t                                         | 1 | not YAML
            """)
    void whatIsWrongIsNamedWithItsLine(String text, int line, String wrong) {
        assertThatThrownBy(() -> read(text.replace("\\n", "\n")))
                .isInstanceOf(BadInputException.class)
                .hasMessageStartingWith("topology.yaml:" + line + ": ")
                .hasMessageContaining(wrong);
    }

    @Test
    void binaryDataAndEndlessLinesAreRefused() {
        assertThatThrownBy(() -> read("- topology: t\n  \0"))
                .isInstanceOf(BadInputException.class)
                .hasMessage("topology.yaml:2: binary data where topology.yaml text is expected");
        assertThatThrownBy(() -> read("- topology: " + "t".repeat(2_000_000)))
                .isInstanceOf(BadInputException.class)
                .hasMessage("topology.yaml:1: line of more than 1048576 characters");
    }

    @Test
    void anErrorOfTheStreamIsNotOneOfTheText() {
        Reader broken = new Reader() {
            @Override
            public int read(char[] into, int offset, int length) throws IOException {
                throw new IOException("the disk is gone");
            }

            @Override
            public void close() {}
        };
        assertThatThrownBy(() -> SlurmYamlReader.read("topology.yaml", broken))
                .isInstanceOf(IOException.class)
                .hasMessage("the disk is gone");
    }

    private static Cabling read(String text) throws IOException, BadInputException {
        return SlurmYamlReader.read("topology.yaml", new StringReader(text));
    }
}
