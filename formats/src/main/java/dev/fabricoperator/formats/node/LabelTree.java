/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.node;

import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import dev.fabricoperator.fabric.cabling.NodeId;
import dev.fabricoperator.fabric.cabling.NvlinkClique;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.topology.HostEnds;
import dev.fabricoperator.formats.slurm.SlurmTree;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The tree of blocks that labels of nodes name: each value of a key is a switch, below that of the key before it, and a node is a host
 * below the last. Labels know hosts and not their devices, as Slurm's trees.
 *
 * <p>Where a person names the keys, from the top to the leaf, a block is what its values say together: rack {@code r1} of row {@code a} is
 * another than rack {@code r1} of row {@code b}. Values of a cloud name one block wherever they stand, but for numbers, which
 * count anew in each parent ({@code superpod-1.leafgroup-7}). Where nodes put a cloud's block below several, it stays where it was while any
 * node says so, else most nodes decide. A node that lost a label, or names a block of another tier, stays where it was
 * while others are there. All are problems of the cabling, with counts and an example.
 *
 * <p>Cost: O(n log n) for n labels that are read.
 */
public final class LabelTree {
    /** The name of the source, and the kind of what is made of it. */
    public static final String SOURCE = "NodeLabels";

    /** Tiers that a tree may have. */
    public static final int MAX_KEYS = 8;

    private static final int MAX_NODES = 1 << 17;
    private static final Pattern NODE = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");
    private static final Pattern VALUE = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");
    private static final Pattern NUMBER = Pattern.compile("[0-9]+");
    private static final Pattern KEY =
            Pattern.compile("([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");

    /** What the operator itself writes, after what its sources say. */
    private static final Pattern OWN = Pattern.compile("([^/]*[.])?fabric-operator[.]dev/.*");

    private static final int LONGEST_PLAIN = 240;

    private static final List<LabelPreset> NETWORKS = Arrays.stream(LabelPreset.values())
            .filter(preset -> preset != LabelPreset.nvidiaClique)
            .toList();

    private final String file;
    private final List<String> keys;
    /** {@code null} for keys that a person named. */
    private final @Nullable LabelPreset preset;

    private final int required;
    private final Collection<Switch> last;
    /** How many nodes name a block at each tier. */
    private final Map<String, int[]> namedAt = new HashMap<>();
    /** By id, how the values that mean it are spelt. */
    private final Map<String, SortedSet<String>> spellings = new TreeMap<>();

    private final SortedMap<String, Block> blocks = new TreeMap<>();
    private final List<Problem> problems = new ArrayList<>();

    /** @param where the label that names it, for messages */
    private record Block(
            int tier,
            String where,
            int line,
            SortedMap<String, List<String>> parents,
            List<String> children,
            List<String> hosts) {}

    /** What one label of a node names. */
    private record Step(String id, String key, String value) {
        String where() {
            return key + "=" + value;
        }
    }

    /** A node with what its labels name, from the top on. */
    private record Way(LabelledNode node, List<Step> steps) {}

    private LabelTree(String file, List<String> keys, @Nullable LabelPreset preset, Collection<Switch> last) {
        this.file = file;
        this.keys = keys;
        this.preset = preset;
        this.required = preset == null ? keys.size() : preset.required();
        this.last = last;
    }

    /**
     * Reads all nodes.
     *
     * @param file what to call their list in messages
     * @param keys of labels from the top to the leaf; empty for those of the {@link LabelPreset} of which most nodes have all, cliques only where there is no network's
     * @param speed bits per second of each link, {@code null} if unknown
     * @param allDevices whether a host stands for its devices of all families, and not of the first alone; cliques are of accelerators
     * @param last what was read before that was believed; empty for nothing
     * @param lastLine of the list
     * @throws BadInputException if no node has the labels, or they contradict each other on all
     */
    public static Cabling of(
            String file,
            List<LabelledNode> nodes,
            List<String> keys,
            @Nullable Long speed,
            boolean allDevices,
            Collection<Switch> last,
            int lastLine)
            throws BadInputException {
        requireKeys(file, keys);
        if (nodes.isEmpty()) {
            throw new BadInputException(file, lastLine, "no node is in it: write it with kubectl get nodes -o json");
        }
        LabelTree tree;
        if (keys.isEmpty()) {
            LabelPreset preset = taken(nodes);
            if (preset == null) {
                throw new BadInputException(
                        file,
                        lastLine,
                        "none of " + nodes.size() + " nodes has the labels of "
                                + Arrays.stream(LabelPreset.values())
                                        .map(Enum::name)
                                        .collect(Collectors.joining(", "))
                                + ": name the keys, from the top to the leaf");
            }
            tree = new LabelTree(file, preset.keys(), preset, last);
        } else {
            tree = new LabelTree(file, List.copyOf(keys), null, last);
        }
        return tree.read(nodes, speed, allDevices, lastLine);
    }

    /**
     * Both what labels say of a network between nodes and of what NVLink joins, where nodes have labels of both; else as {@link #of} without
     * keys.
     */
    static Cabling ofAll(String file, List<LabelledNode> nodes, int lastLine) throws BadInputException {
        LabelPreset network = found(nodes, NETWORKS);
        boolean hasCliques = nodes.stream()
                .anyMatch(node ->
                        !value(node, LabelPreset.nvidiaClique.keys().getFirst()).isEmpty());
        if (network == null || !hasCliques) {
            return of(file, nodes, List.of(), null, false, List.of(), lastLine);
        }
        Cabling one = new LabelTree(file, network.keys(), network, List.of()).read(nodes, null, false, lastLine);
        Cabling other = of(file, nodes, LabelPreset.nvidiaClique.keys(), null, false, List.of(), lastLine);
        Set<String> ids = one.switches().stream().map(Switch::id).collect(Collectors.toSet());
        for (Switch clique : other.switches()) {
            if (ids.contains(clique.id())) {
                throw new BadInputException(
                        file,
                        1,
                        clique.id() + " is a clique and a block of " + network.name() + ": name the keys of one");
            }
        }
        return new Cabling(
                SOURCE,
                Stream.concat(one.switches().stream(), other.switches().stream())
                        .sorted(Comparator.comparing(Switch::id))
                        .toList(),
                Stream.concat(one.adapters().stream(), other.adapters().stream())
                        .sorted(Comparator.comparing(Adapter::id))
                        .toList(),
                0,
                Stream.concat(one.problems().stream(), other.problems().stream())
                        .toList());
    }

    /** @throws BadInputException for keys that no label has, too many, one twice, or one of the operator's own */
    private static void requireKeys(String file, List<String> keys) throws BadInputException {
        Set<String> seen = new HashSet<>();
        for (String key : keys) {
            if (!KEY.matcher(key).matches() || !seen.add(key) || seen.size() > MAX_KEYS) {
                throw new BadInputException(
                        file,
                        1,
                        "keys of labels: \"" + CablingCollector.printable(key)
                                + "\" is none, is there twice, or is more than the " + MAX_KEYS
                                + "th; name them as they stand on nodes, from the top to the leaf");
            }
            if (OWN.matcher(key).matches()) {
                throw new BadInputException(
                        file,
                        1,
                        "keys of labels: the operator itself writes " + key
                                + ", after what its sources say: name labels that somebody else writes");
            }
        }
    }

    /** Whether what {@link #of} reads by these are cliques that NVLink joins, and no network. */
    public static boolean isOfCliques(List<LabelledNode> nodes, List<String> keys) {
        return keys.isEmpty() ? taken(nodes) == LabelPreset.nvidiaClique : NvlinkClique.isNamedBy(keys);
    }

    /** A network goes first, however few of its nodes are labelled yet: cliques are no answer to where its devices are. */
    private static @Nullable LabelPreset taken(List<LabelledNode> nodes) {
        LabelPreset network = found(nodes, NETWORKS);
        return network == null ? found(nodes, List.of(LabelPreset.nvidiaClique)) : network;
    }

    /** Whose labels most nodes have all of: one node must not decide for all. */
    private static @Nullable LabelPreset found(List<LabelledNode> nodes, List<LabelPreset> among) {
        LabelPreset found = null;
        long most = 0;
        for (LabelPreset preset : among) {
            List<String> wanted = preset.keys().subList(0, preset.required());
            long have = nodes.stream()
                    .filter(node ->
                            wanted.stream().noneMatch(key -> value(node, key).isEmpty()))
                    .count();
            found = have > most ? preset : found;
            most = Math.max(most, have);
        }
        return found;
    }

    /** Empty for what Oracle's labeler (oci-hpc-oke) writes where it does not know the value, too. */
    private static String value(LabelledNode node, String key) {
        String value = node.labels().getOrDefault(key, "");
        return value.equals("no-imds-data") ? "" : value;
    }

    private Cabling read(List<LabelledNode> nodes, @Nullable Long speed, boolean allDevices, int lastLine)
            throws BadInputException {
        List<LabelledNode> sorted = new ArrayList<>(nodes);
        sorted.sort(Comparator.comparing(LabelledNode::name).thenComparing(LabelledNode::line));
        List<LabelledNode> without = new ArrayList<>();
        SortedMap<String, List<LabelledNode>> lacking = new TreeMap<>();
        List<Way> ways = new ArrayList<>();
        String before = "";
        for (LabelledNode node : sorted) {
            requireNode(node, before, sorted.size());
            before = node.name();
            List<String> missing = keys.subList(0, required).stream()
                    .filter(key -> value(node, key).isEmpty())
                    .toList();
            if (missing.isEmpty()) {
                ways.add(way(node));
            } else if (missing.size() == required) {
                without.add(node);
            } else {
                lacking.computeIfAbsent(missing.getFirst(), key -> new ArrayList<>())
                        .add(node);
            }
        }
        List<Way> crossed = new ArrayList<>();
        for (Way way : ways) {
            if (crossedAt(way) < 0) {
                place(way);
            } else {
                crossed.add(way);
            }
        }
        if (blocks.isEmpty()) {
            throw new BadInputException(
                    file,
                    crossed.isEmpty() ? lastLine : crossed.getFirst().node().line(),
                    crossed.isEmpty() ? noTree(sorted, lacking) : crossing(crossed.getFirst()));
        }
        Map<String, String> stood = stood();
        if (!crossed.isEmpty()) {
            crossed.forEach(way -> stay(way.node(), stood));
            tell(
                    crossed.stream().map(Way::node).toList(),
                    sorted.size(),
                    "name a block at the wrong tier",
                    " (" + crossing(crossed.getFirst()) + ")");
        }
        lacking.forEach((key, those) -> {
            those.forEach(node -> stay(node, stood));
            tell(those, sorted.size(), "lack the label " + key, "");
        });
        List<LabelledNode> told = without.stream()
                .filter(node -> stay(node, stood) || node.expected())
                .toList();
        if (!told.isEmpty()) {
            tell(told, sorted.size(), "have none of the labels " + String.join(", ", keys.subList(0, required)), "");
        }
        tellSpellings();
        tellNamesakes();
        joinParents();
        return cabling(speed, allDevices, lastLine);
    }

    private void requireNode(LabelledNode node, String before, int count) throws BadInputException {
        if (!NODE.matcher(node.name()).matches()) {
            throw new BadInputException(
                    file, node.line(), "not the name of a node: \"" + CablingCollector.printable(node.name()) + "\"");
        }
        if (node.name().equals(before)) {
            throw new BadInputException(file, node.line(), "node " + node.name() + " is there twice");
        }
        if (count > MAX_NODES) {
            throw new BadInputException(file, node.line(), "more than " + MAX_NODES + " nodes");
        }
    }

    private Way way(LabelledNode node) throws BadInputException {
        List<Step> steps = new ArrayList<>(keys.size());
        String path = "";
        boolean dotted = false;
        for (String key : keys) {
            String value = value(node, key);
            if (value.isEmpty()) {
                break;
            }
            if (!VALUE.matcher(value).matches()) {
                throw new BadInputException(
                        file,
                        node.line(),
                        "node " + node.name() + ": not the value of a label: " + key + "=\""
                                + CablingCollector.printable(value) + "\"");
            }
            boolean isNumber = NUMBER.matcher(value).matches();
            String own = isNumber ? key.substring(key.lastIndexOf('/') + 1) + "-" + value : value;
            // What a cloud calls by more than a number is called so nowhere else.
            path = path.isEmpty() || preset != null && !isNumber ? own : path + "/" + own;
            dotted |= own.indexOf('.') >= 0;
            Step step = new Step(id(path, dotted && preset == null && keys.size() > 1), key, value);
            namedAt.computeIfAbsent(step.id(), i -> new int[keys.size()])[steps.size()]++;
            spellings.computeIfAbsent(step.id(), i -> new TreeSet<>()).add(value);
            steps.add(step);
        }
        return new Way(node, steps);
    }

    /** @param path with slashes. Other values may be the same where some have dots in them, and an id must not be too long */
    private static String id(String path, boolean isAmbiguous) {
        if (!isAmbiguous && path.length() <= LONGEST_PLAIN) {
            return NodeId.of(path.replace('/', '.'));
        }
        CRC32 hash = new CRC32();
        hash.update(path.getBytes(StandardCharsets.UTF_8));
        return NodeId.of(path.substring(0, Math.min(path.length(), LONGEST_PLAIN))
                        .replace('/', '.') + "-" + HexFormat.of().toHexDigits((int) hash.getValue()));
    }

    /** At which tier a node names a block that most nodes name at another; -1 for none. */
    private int crossedAt(Way way) {
        for (int tier = 0; tier < way.steps().size(); tier++) {
            if (tierOf(way.steps().get(tier).id()) != tier) {
                return tier;
            }
        }
        return -1;
    }

    /** That at which most nodes name a block, of several the highest. */
    private int tierOf(String id) {
        int[] counts = Objects.requireNonNull(namedAt.get(id));
        int most = 0;
        for (int tier = 1; tier < counts.length; tier++) {
            most = counts[tier] > counts[most] ? tier : most;
        }
        return most;
    }

    private String crossing(Way way) {
        Step step = way.steps().get(crossedAt(way));
        return "node " + way.node().name() + ": " + step.where() + " is the name of another tier's block, "
                + keys.get(tierOf(step.id())) + "=" + step.value() + ": the values of two keys must differ";
    }

    private void place(Way way) {
        LabelledNode node = way.node();
        String above = null;
        for (int tier = 0; tier < way.steps().size(); tier++) {
            Step step = way.steps().get(tier);
            int here = tier;
            Block block = blocks.computeIfAbsent(
                    step.id(),
                    i -> new Block(
                            here, step.where(), node.line(), new TreeMap<>(), new ArrayList<>(), new ArrayList<>()));
            if (above != null) {
                block.parents()
                        .computeIfAbsent(above, parent -> new ArrayList<>())
                        .add(node.name());
            }
            above = step.id();
        }
        if (above != null) {
            block(above).hosts().add(node.name());
        }
    }

    /** Names of switches are in lower case, values of labels as they were written. */
    private void tellSpellings() {
        List<SortedSet<String>> several =
                spellings.values().stream().filter(some -> some.size() > 1).toList();
        if (!several.isEmpty()) {
            problems.add(new Problem(
                    1,
                    several.size() + " values of labels are spelt in several ways, such as "
                            + several.getFirst().stream().limit(2).collect(Collectors.joining(" and "))
                            + ": upper and lower case are taken for one block"));
        }
    }

    /** A name, not a number, that several parents have below them. */
    private void tellNamesakes() {
        if (preset != null) {
            return;
        }
        Map<String, List<Block>> byName = new TreeMap<>();
        blocks.values().stream()
                .filter(block -> block.tier() > 0
                        && !NUMBER.matcher(block.where().substring(block.where().indexOf('=') + 1))
                                .matches())
                .forEach(block -> byName.computeIfAbsent(block.where(), where -> new ArrayList<>())
                        .add(block));
        byName.values().removeIf(some -> some.size() < 2);
        if (!byName.isEmpty()) {
            List<Block> first = byName.values().iterator().next();
            problems.add(
                    new Problem(
                            1,
                            byName.size() + " values stand below several blocks, such as "
                                    + first.getFirst().where()
                                    + " below " + parent(first.get(0)) + " and " + parent(first.get(1))
                                    + ": each of these has a block of its own by that name, as keys go from the top to the leaf"));
        }
    }

    private String parent(Block block) {
        return block(block.parents().firstKey()).where();
    }

    private Block block(String id) {
        return Objects.requireNonNull(blocks.get(id));
    }

    private String noTree(List<LabelledNode> all, SortedMap<String, List<LabelledNode>> lacking) {
        if (lacking.isEmpty()) {
            return "none of " + all.size() + " nodes has a label " + String.join(" or ", keys.subList(0, required))
                    + ": name keys that nodes have, from the top to the leaf";
        }
        String key = lacking.firstKey();
        List<LabelledNode> those = lacking.getOrDefault(key, List.of());
        return "no node has all of the labels " + String.join(", ", keys.subList(0, required)) + ": " + those.size()
                + " lack " + key + ", such as " + those.getFirst().name();
    }

    /** The block of each host when it was read last. */
    private Map<String, String> stood() {
        Map<String, String> stood = new HashMap<>();
        for (Switch block : last) {
            for (SwitchPort port : block.ports()) {
                PortPeer peer = port.peer();
                String host = peer == null ? null : HostEnds.hostOf(peer.id());
                if (host != null) {
                    stood.put(host, block.id());
                }
            }
        }
        return stood;
    }

    /** Lets a node be where it was, if that is still there; whether it was anywhere. */
    private boolean stay(LabelledNode node, Map<String, String> stood) {
        String leaf = stood.get(node.name());
        Block block = leaf == null ? null : blocks.get(leaf);
        if (block != null) {
            block.hosts().add(node.name());
        }
        return leaf != null;
    }

    /** @param example of the first of them */
    private void tell(List<LabelledNode> nodes, int of, String what, String example) {
        problems.add(new Problem(
                nodes.getFirst().line(),
                nodes.size() + " of " + of + " nodes " + what + ", such as "
                        + nodes.getFirst().name() + example
                        + ": each stays where it was, and has no place where it had none"));
    }

    /** From the leaves on, so that a block of which nothing is left is nobody's child. */
    private void joinParents() {
        Map<String, Set<String>> joined = new HashMap<>();
        for (Switch block : last) {
            joined.put(
                    block.id(),
                    block.ports().stream()
                            .map(SwitchPort::peer)
                            .filter(peer -> peer != null)
                            .map(PortPeer::id)
                            .collect(Collectors.toSet()));
        }
        List<Map.Entry<String, Block>> upwards = new ArrayList<>(blocks.entrySet());
        upwards.sort(Comparator.comparing(
                        (Map.Entry<String, Block> entry) -> entry.getValue().tier())
                .reversed()
                .thenComparing(Map.Entry::getKey));
        for (Map.Entry<String, Block> entry : upwards) {
            Block block = entry.getValue();
            if (block.hosts().isEmpty() && block.children().isEmpty()) {
                blocks.remove(entry.getKey());
                continue;
            }
            if (block.parents().isEmpty()) {
                continue;
            }
            Set<String> before = joined.getOrDefault(entry.getKey(), Set.of());
            String parent = block.parents().keySet().stream()
                    .min(Comparator.comparing((String id) -> !before.contains(id))
                            .thenComparing(id -> -nodesBelow(block, id))
                            .thenComparing(id -> id))
                    .orElseThrow();
            if (block.parents().size() > 1) {
                problems.add(new Problem(block.line(), severalParents(block, parent)));
            }
            block(parent).children().add(entry.getKey());
        }
    }

    private static int nodesBelow(Block block, String parent) {
        return block.parents().getOrDefault(parent, List.of()).size();
    }

    private String severalParents(Block block, String taken) {
        String other = block.parents().keySet().stream()
                .filter(id -> !id.equals(taken))
                .findFirst()
                .orElseThrow();
        int others = block.parents().keySet().stream()
                .filter(id -> !id.equals(taken))
                .mapToInt(id -> nodesBelow(block, id))
                .sum();
        return block.where() + " is below " + block(taken).where() + " by the labels of " + nodesBelow(block, taken)
                + " nodes, and below " + (block.parents().size() - 1) + " others by those of " + others + ", such as "
                + block(other).where() + " of node "
                + block.parents().getOrDefault(other, List.of()).getFirst() + ": it stays below the former";
    }

    private Cabling cabling(@Nullable Long speed, boolean allDevices, int lastLine) throws BadInputException {
        SlurmTree tree = NvlinkClique.isNamedBy(keys)
                ? SlurmTree.ofCliques(SOURCE, file)
                : allDevices ? SlurmTree.ofAllDevices(SOURCE, file) : new SlurmTree(SOURCE, file);
        for (Map.Entry<String, Block> entry : blocks.entrySet()) {
            Block block = entry.getValue();
            tree.add(
                    block.line(),
                    entry.getKey(),
                    String.join(",", block.children()),
                    String.join(",", block.hosts()),
                    speed);
        }
        List<String> tops = blocks.entrySet().stream()
                .filter(entry -> entry.getValue().tier() == 0)
                .map(Map.Entry::getKey)
                .toList();
        if (preset != null && preset.isOneNetwork() && tops.size() > 1) {
            tree.add(1, preset.name() + "-network", String.join(",", tops), null, null);
        }
        for (Problem problem : problems) {
            Integer line = problem.line();
            tree.problem(line == null ? 1 : line, problem.message());
        }
        return tree.cabling(lastLine);
    }
}
