/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.objects;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.topology.Topology;
import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FabricSwitchFileTest {
    private static final int TEXTS = 1_500;
    private static final String YAML = """
            apiVersion: fabric-operator.dev/v1alpha1
            kind: FabricSwitch
            metadata: {name: leaf1}
            spec:
              id: leaf1
              name: Leaf 1
              ports:
              - {number: 1, peer: {id: node1/mlx5_0, port: 1, hostname: node1}, state: Active, speedBitsPerSecond: 400000000000}
              - {number: 2, peer: {id: spine1, port: 7}}
            ---
            apiVersion: fabric-operator.dev/v1alpha1
            kind: FabricSwitch
            metadata: {name: spine1}
            spec:
              id: spine1
              ports:
              - {number: 7, peer: {id: leaf1, port: 2}}
            """;
    private static final String JSON = """
            {"apiVersion": "v1", "kind": "List", "items": [
              {"kind": "FabricSwitch", "metadata": {"name": "a"}, "spec": {"id": "a", "ports": [
                {"number": 1, "peer": {"id": "b", "port": 1}, "width": 4, "lid": 3}]}},
              {"kind": "FabricSwitch", "metadata": {"name": "b"}, "spec": {"id": "b", "ports": [
                {"number": 1, "peer": {"id": "a", "port": 1}}]}},
              {"kind": "Other", "spec": 5}]}
            """;
    private static final List<String> ODD = List.of(
            "{",
            "}",
            "[",
            "]",
            ":",
            "- ",
            "'",
            "\"",
            "*a",
            "&a ",
            "<<: ",
            "!!int ",
            "---\n",
            "null",
            "-1",
            "1e9",
            "99999999999999999999",
            "\t",
            "\u0000",
            "\uffff",
            "kind: ",
            "[[[[[[[[",
            "true");

    @ParameterizedTest
    @ValueSource(strings = {YAML, JSON})
    void aDamagedFileIsReadOrRefusedWithItsLine(String whole) throws IOException, BadInputException {
        assertThat(FabricSwitchFile.read("given.yaml", new StringReader(whole)).switches())
                .hasSize(2);
        Random random = new Random(2026);
        int refused = 0;
        for (int i = 0; i < TEXTS; i++) {
            String damaged = damaged(whole, random);
            try {
                Cabling cabling = FabricSwitchFile.read("given.yaml", new StringReader(damaged));
                Topology.of(cabling.switches(), List.of());
            } catch (BadInputException e) {
                refused++;
                assertThat(e).as(damaged).hasMessageMatching("(?s)given\\.yaml:[1-9][0-9]*: .+");
            } catch (RuntimeException | StackOverflowError e) {
                throw new AssertionError("text " + i + ":\n" + damaged, e);
            }
        }
        assertThat(refused).isBetween(1, TEXTS - 1);
    }

    private static String damaged(String whole, Random random) {
        StringBuilder text = new StringBuilder(whole);
        for (int times = 1 + random.nextInt(3); times > 0; times--) {
            int at = random.nextInt(text.length());
            int to = Math.min(text.length(), at + random.nextInt(60));
            switch (random.nextInt(5)) {
                case 0 -> text.setLength(Math.max(1, at));
                case 1 -> text.delete(at, Math.max(at, to - 1));
                case 2 -> text.insert(at, text.substring(at, to));
                case 3 -> text.insert(at, ODD.get(random.nextInt(ODD.size())));
                default -> text.setCharAt(at, (char) random.nextInt(1, 127));
            }
        }
        return text.toString();
    }
}
