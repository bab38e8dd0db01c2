/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Every answer for every recorded, simulated and reported fabric, so that work on the code behind them changes none of them unseen. The golden
 * file has a digest of each; the answers themselves, to be compared with those of another commit, are written below {@code target/answers}.
 */
class AnswersIT {
    private static final Path GOLDEN = Path.of("src/test/resources/golden/answers.txt");
    private static final Path ANSWERS = Path.of("target/answers");

    /** Stands for the first device of a fabric. */
    private static final String DEVICE = "DEVICE";

    private static final List<List<String>> QUESTIONS = List.of(
            List.of("topology", "-o", "wide"),
            List.of("topology", "-o", "json"),
            List.of("cost", "--row", DEVICE, "-o", "json"),
            List.of("groups", "-o", "json"),
            List.of("geometry", DEVICE, "-o", "json"),
            List.of("peers", DEVICE, "-o", "json"),
            List.of("check"),
            List.of("check", "-o", "json"),
            List.of("map", "-o", "text"),
            List.of("map", "-o", "svg"),
            List.of("map", "-o", "html"),
            List.of("map", "-o", "dot"),
            List.of("export", "slurm"),
            List.of("export", "slurm", "--plugin", "block"));

    /** Files of one fabric each, as arguments. */
    private static List<List<String>> fabrics() throws IOException {
        List<List<String>> fabrics = new ArrayList<>();
        for (String dump : Program.DUMPS) {
            fabrics.add(List.of(Program.dumpFile(dump).toString()));
            Path after = Program.FIXTURES.resolve(dump).resolve("ibnetdiscover-after-fault.txt.gz");
            if (Files.exists(after)) {
                fabrics.add(List.of(after.toString()));
            }
        }
        fabrics.add(List.of(fixture("fabric/ib-qdr-ddr-psmn-x5/X5.topology.conf")));
        fabrics.add(List.of("ufm:" + fixture("ufm/derived.ufm-links.selene-storage.json.gz")));
        fabrics.add(files(Program.FIXTURES.resolve("lldp/lldpd-1.0.16-clos"), ".json"));
        for (String list : List.of("sim/ft2-128", "sim/rail-32x8", "sim/df-a4p2h2")) {
            fabrics.add(List.of(fixture(list + "/opensm-subnet.lst.xz")));
        }
        files(Program.FIXTURES.resolve("models/ibmgtsim"), ".topo").forEach(file -> fabrics.add(List.of(file)));
        files(Program.FIXTURES.resolve("reported"), "").forEach(file -> fabrics.add(List.of(file)));
        files(Program.FIXTURES.resolve("reported/handed-on"), ".csv").forEach(file -> fabrics.add(List.of(file)));
        return fabrics;
    }

    private static String fixture(String path) {
        return Program.FIXTURES.resolve(path).toString();
    }

    private static List<String> files(Path directory, String end) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(Files::isRegularFile)
                    .map(Path::toString)
                    .filter(file -> file.endsWith(end))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void everyAnswerForEveryFixtureIsThatOfTheGoldenFile() throws IOException, NoSuchAlgorithmException {
        List<String> lines = new ArrayList<>();
        for (List<String> files : fabrics()) {
            String device = firstDevice(files);
            for (List<String> question : QUESTIONS) {
                if (device != null || !question.contains(DEVICE)) {
                    lines.add(line(question, files, device));
                }
            }
        }
        for (String dump : Program.DUMPS) {
            Path before = Program.dumpFile(dump);
            Path after = Program.FIXTURES.resolve(dump).resolve("ibnetdiscover-after-fault.txt.gz");
            if (Files.exists(after)) {
                lines.add(line(List.of("diff"), List.of(before.toString(), after.toString()), null));
                lines.add(line(List.of("diff", "-o", "json"), List.of(before.toString(), after.toString()), null));
            }
        }
        if (Boolean.getBoolean("golden.update")) {
            Files.write(GOLDEN, lines);
        }
        assertThat(lines).as("answers below cli/%s", ANSWERS).isEqualTo(Files.readAllLines(GOLDEN));
    }

    private static @Nullable String firstDevice(List<String> files) {
        List<String> arguments = new ArrayList<>(List.of("topology", "-o", "json"));
        arguments.addAll(files);
        for (JsonNode item :
                Program.run(arguments.toArray(String[]::new)).json().path("items")) {
            if (item.path("kind").asText().equals("FabricDevice")) {
                return item.path("metadata").path("name").asText();
            }
        }
        return null;
    }

    private static String line(List<String> question, List<String> files, @Nullable String device)
            throws IOException, NoSuchAlgorithmException {
        List<String> arguments = new ArrayList<>(question);
        arguments.replaceAll(argument -> argument.equals(DEVICE) ? device : argument);
        arguments.addAll(files);
        Program.Result result = Program.run(arguments.toArray(String[]::new));
        String name = files.getLast()
                .substring(files.getLast().indexOf(Program.FIXTURES.toString()))
                .substring(Program.FIXTURES.toString().length() + 1);
        String asked = String.join(" ", question);
        // Messages name files.
        byte[] answer = (result.out() + result.err())
                .replace(Program.FIXTURES.toString(), "fixtures")
                .getBytes(StandardCharsets.UTF_8);
        Path kept = ANSWERS.resolve(name).resolve(asked.replace(' ', '_'));
        Files.createDirectories(kept.getParent());
        Files.write(kept, answer);
        String digest = HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(answer))
                .substring(0, 16);
        return name + ": " + asked + ": exit " + result.exitCode() + ", "
                + new String(answer, StandardCharsets.UTF_8).lines().count() + " lines, " + digest;
    }
}
