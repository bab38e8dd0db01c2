/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.demo;

import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * {@code docs/tutorial.md} as something that is run: a block {@code yaml NAME} is a file, in a block {@code console} a line that begins with a dollar is a command of
 * bash, and what follows it is what the reader sees.
 */
public final class Tutorial {
    private static final Pattern FENCE = Pattern.compile("```(\\S*)(?: (\\S+))?");

    /** What the page says, in order. */
    public sealed interface Step {}

    public record Section(String title) implements Step {}

    public record SavedFile(String name, String text) implements Step {}

    /** @param output the page's, line by line */
    public record ShellCommand(String text, List<String> output) implements Step {
        public ShellCommand {
            output = List.copyOf(output);
        }
    }

    private final List<Step> steps;

    private Tutorial(List<Step> steps) {
        this.steps = List.copyOf(steps);
    }

    public static Tutorial read() {
        Path page = ProjectRoot.find().resolve("docs/tutorial.md");
        try {
            return parse(Files.readAllLines(page));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + page, e);
        }
    }

    static Tutorial parse(List<String> lines) {
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            Matcher fence = FENCE.matcher(line);
            if (line.startsWith("## ")) {
                steps.add(new Section(line.substring(3)));
            } else if (fence.matches()) {
                List<String> block = new ArrayList<>();
                for (i++; !lines.get(i).equals("```"); i++) {
                    block.add(lines.get(i));
                }
                String name = fence.group(2);
                if (fence.group(1).equals("console")) {
                    steps.addAll(commands(block));
                } else if (name != null) {
                    steps.add(new SavedFile(name, String.join("\n", block) + "\n"));
                }
            }
        }
        return new Tutorial(steps);
    }

    private static List<ShellCommand> commands(List<String> block) {
        List<ShellCommand> commands = new ArrayList<>();
        for (String line : block) {
            if (line.startsWith("$ ")) {
                commands.add(new ShellCommand(line.substring(2), List.of()));
            } else {
                ShellCommand last = commands.removeLast();
                List<String> output = new ArrayList<>(last.output());
                output.add(line);
                commands.add(new ShellCommand(last.text(), output));
            }
        }
        return commands;
    }

    public List<Step> steps() {
        return steps;
    }

    /** All texts that the reader is to save in a section. */
    public String filesOf(Section section) {
        return steps.subList(steps.indexOf(section) + 1, steps.size()).stream()
                .takeWhile(step -> !(step instanceof Section))
                .map(step -> step instanceof SavedFile file ? file.text() : "")
                .collect(Collectors.joining());
    }

    /**
     * Does what the page says, as an administrator of the cluster.
     *
     * @param directory where files are saved and commands are run
     * @param seen called after each step with what a command printed, on either stream; empty for other steps
     * @throws IllegalStateException when a command does not end with 0
     */
    public void play(Cluster cluster, Path directory, BiConsumer<Step, String> seen) {
        for (Step step : steps) {
            seen.accept(
                    step,
                    switch (step) {
                        case Section _ -> "";
                        case SavedFile file -> save(directory, file);
                        case ShellCommand command -> run(cluster, directory, command);
                    });
        }
    }

    private static String save(Path directory, SavedFile file) {
        try {
            Files.writeString(directory.resolve(file.name()), file.text());
            return "";
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file.name(), e);
        }
    }

    private static String run(Cluster cluster, Path directory, ShellCommand command) {
        ProcessBuilder builder = new ProcessBuilder("bash", "-euo", "pipefail", "-c", command.text())
                .directory(directory.toFile())
                .redirectErrorStream(true);
        builder.environment().put("KUBECONFIG", cluster.kubeconfig().toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment()
                .merge(
                        "PATH",
                        cluster.kubectl().resolveSibling("").normalize() + ":"
                                + ProjectRoot.find().resolve("cli/target"),
                        (old, own) -> own + ":" + old);
        try {
            Process process = builder.start();
            process.outputWriter().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int code = process.waitFor();
            if (code != 0) {
                throw new IllegalStateException(command.text() + " ended with " + code + ": " + output);
            }
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + command.text(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while running " + command.text(), e);
        }
    }
}
