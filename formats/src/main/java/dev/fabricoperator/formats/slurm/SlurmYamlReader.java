/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.slurm;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.events.Event;

/**
 * Reads Slurm's {@code topology.yaml}: a list of topologies, each {@code tree: {switches: [{switch, children, nodes}]}},
 * {@code block: {block_sizes, blocks: [{block, nodes}]}} or {@code flat: true}.
 *
 * <p>Topologies of one file are views of the same hosts, for different partitions. One is read: the first with
 * {@code cluster_default: true}, as in Slurm; without one, or where that one names no switch, the first that does.
 *
 * <p>Cost: time and memory in proportion to the text and to the names that its host lists stand for, at most 2^18.
 *
 * @see "topology.yaml(5)"
 */
public final class SlurmYamlReader {
    private final String file;
    private final YamlEvents events;
    private final SlurmTree tree;

    /** Lines of the texts before. */
    private final int before;

    private SlurmYamlReader(SlurmTree tree, String file, Reader text, int before)
            throws IOException, BadInputException {
        this.file = file;
        this.tree = tree;
        this.before = before;
        events = new YamlEvents(file, text);
    }

    /** A switch or block. */
    private record Entry(
            int line,
            String name,
            @Nullable String children,
            @Nullable String nodes) {}

    /** @param type {@code tree}, {@code block}, {@code flat}, or what Slurm may come to know */
    private record Described(
            int line,
            @Nullable String name,
            boolean isDefault,
            @Nullable String type,
            List<Entry> entries) {}

    /**
     * Reads one file; the caller closes {@code text}.
     *
     * @param file what to call the text in messages
     * @throws BadInputException if this is no such file, contradicts itself, or names no switch and no block
     */
    public static Cabling read(String file, Reader text) throws IOException, BadInputException {
        SlurmTree tree = new SlurmTree(file);
        return tree.cabling(add(tree, file, text, 0));
    }

    /**
     * As {@link #read}, into a tree of which other texts may say more.
     *
     * @param before lines of the tree's texts before this one
     * @return the number of its lines
     */
    static int add(SlurmTree tree, String file, Reader text, int before) throws IOException, BadInputException {
        SlurmYamlReader reader = new SlurmYamlReader(tree, file, text, before);
        reader.add(reader.topologies());
        return reader.events.line();
    }

    private void add(List<Described> topologies) throws BadInputException {
        Described read = null;
        for (Described each : topologies) {
            boolean better = read == null || !read.isDefault() && each.isDefault();
            read = !each.entries().isEmpty() && better ? each : read;
        }
        if (read == null) {
            throw events.bad("no switch is described: the topology is empty");
        }
        for (Described each : topologies) {
            if (each != read) {
                problem(each.line(), describe(each) + " is not read: one is, and that is " + describe(read));
            }
        }
        for (Entry entry : read.entries()) {
            tree.add(before + entry.line(), entry.name(), entry.children(), entry.nodes(), null);
        }
    }

    private void problem(int line, String message) {
        tree.problem(before + line, message);
    }

    private static String describe(Described topology) {
        return "topology " + CablingCollector.printable(String.valueOf(topology.name())) + " (" + topology.type() + ")";
    }

    private List<Described> topologies() throws IOException, BadInputException {
        List<Described> topologies = new ArrayList<>();
        Set<String> names = new HashSet<>();
        if (events.is(Event.ID.StreamEnd)) {
            return topologies;
        }
        events.take(Event.ID.SequenceStart, "a list of topologies");
        while (!events.takeIf(Event.ID.SequenceEnd)) {
            Described described = topology();
            if (described.name() == null) {
                throw new BadInputException(file, described.line(), "a topology without a name");
            }
            if (described.type() == null) {
                throw new BadInputException(file, described.line(), "a topology that is neither tree, block nor flat");
            }
            if (!names.add(described.name())) {
                throw new BadInputException(file, described.line(), describe(described) + " is described twice");
            }
            topologies.add(described);
        }
        events.end();
        return topologies;
    }

    private Described topology() throws IOException, BadInputException {
        events.take(Event.ID.MappingStart, "a topology");
        int line = events.line();
        String name = null;
        String type = null;
        boolean isDefault = false;
        List<Entry> entries = new ArrayList<>();
        Set<String> keys = new HashSet<>();
        while (!events.takeIf(Event.ID.MappingEnd)) {
            String key = key(keys);
            switch (key) {
                case "topology" -> name = events.scalar("the name of a topology");
                case "cluster_default" -> isDefault = bool();
                case "flat" -> type = flat() ? only(type, key) : type;
                case "tree" -> {
                    type = only(type, key);
                    list("switches", "switch", "children", entries);
                }
                case "block" -> {
                    type = only(type, key);
                    list("blocks", "block", null, entries);
                }
                default -> {
                    boolean scalar = events.is(Event.ID.Scalar);
                    events.skip();
                    if (scalar) {
                        problem(events.line(), "key " + CablingCollector.printable(key) + " is not read");
                    } else {
                        type = only(type, CablingCollector.printable(key));
                    }
                }
            }
        }
        return new Described(line, name, isDefault, type, entries);
    }

    private String only(@Nullable String type, String another) throws BadInputException {
        if (type != null) {
            throw events.bad("a topology that is " + type + " and " + another);
        }
        return another;
    }

    /** @param below the key of lists of switches, {@code null} where there is none */
    private void list(String list, String item, @Nullable String below, List<Entry> into)
            throws IOException, BadInputException {
        events.take(Event.ID.MappingStart, "a mapping with " + list);
        Set<String> keys = new HashSet<>();
        while (!events.takeIf(Event.ID.MappingEnd)) {
            String key = key(keys);
            if (!key.equals(list)) {
                // The sizes of blocks, say: they tell how to plan and not what is there.
                events.skip();
                continue;
            }
            events.take(Event.ID.SequenceStart, "a list of " + list);
            while (!events.takeIf(Event.ID.SequenceEnd)) {
                into.add(entry(item, below));
            }
        }
    }

    private Entry entry(String item, @Nullable String below) throws IOException, BadInputException {
        events.take(Event.ID.MappingStart, "a " + item);
        int line = events.line();
        String name = null;
        String children = null;
        String nodes = null;
        Set<String> keys = new HashSet<>();
        while (!events.takeIf(Event.ID.MappingEnd)) {
            String key = key(keys);
            if (key.equals(item)) {
                name = events.scalar("the name of a " + item);
            } else if (key.equals("nodes")) {
                nodes = events.scalar("a list of hosts in one word");
            } else if (key.equals(below)) {
                children = events.scalar("a list of switches in one word");
            } else {
                events.skip();
                problem(events.line(), "key " + CablingCollector.printable(key) + " is not read");
            }
        }
        if (name == null) {
            throw new BadInputException(file, line, "a " + item + " without a name");
        }
        return new Entry(line, name, children, nodes);
    }

    private String key(Set<String> before) throws IOException, BadInputException {
        String key = String.valueOf(events.scalar("a key"));
        if (!before.add(key)) {
            throw events.bad("key " + CablingCollector.printable(key) + " is there twice");
        }
        return key;
    }

    /** {@code true}, or a mapping of what numbers its steps (Slurm 26.05). */
    private boolean flat() throws IOException, BadInputException {
        if (!events.is(Event.ID.MappingStart)) {
            return bool();
        }
        events.skip();
        return true;
    }

    private boolean bool() throws IOException, BadInputException {
        String value = String.valueOf(events.scalar("true or false"));
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "true", "yes", "on", "1" -> true;
            case "false", "no", "off", "0" -> false;
            default -> throw events.bad("neither true nor false: " + CablingCollector.printable(value));
        };
    }
}
