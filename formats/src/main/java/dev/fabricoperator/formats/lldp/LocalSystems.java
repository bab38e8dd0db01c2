/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.lldp;

import dev.fabricoperator.fabric.cabling.CablingCollector;
import dev.fabricoperator.fabric.cabling.lldp.LldpNeighbor;
import dev.fabricoperator.fabric.cabling.lldp.LldpOutput;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which system each answer is from, since an answer of lldpctl names everybody but the one who was asked.
 *
 * <p>What the text says beside the answer counts, where it is a name or chassis ID that neighbours have heard. Else the
 * answers tell each other: if A hears B's port q on its port p, then B hears A's port p on its port q, and B's answer
 * holds A's name. An answer whose cables no other answer holds is of the system that the text, or the file, names.
 */
final class LocalSystems {
    /** Answers that hold a cable between ports of the same two names; with more it tells nothing. */
    private static final int MAX_CLAIMS = 512;

    private static final int MAX_ROUNDS = 64;

    private final List<LldpOutput> outputs;
    private final LldpSystems systems;
    private final CablingCollector collector;
    private final @Nullable LldpSystem[] found;
    private final List<Set<LldpSystem>> neighborsOfOutput = new ArrayList<>();
    private final Map<String, List<Claim>> claims = new HashMap<>();

    /** An answer says that it hears {@code far}. */
    private record Claim(int output, LldpSystem far) {}

    private LocalSystems(List<LldpOutput> outputs, LldpSystems systems, CablingCollector collector) {
        this.outputs = outputs;
        this.systems = systems;
        this.collector = collector;
        found = new LldpSystem[outputs.size()];
    }

    /** The system of each answer; {@code null} for one that answers nothing of use. */
    static @Nullable LldpSystem[] of(List<LldpOutput> outputs, LldpSystems systems, CablingCollector collector) {
        LocalSystems localSystems = new LocalSystems(outputs, systems, collector);
        localSystems.byWord();
        localSystems.index();
        for (int round = 0; round < MAX_ROUNDS; round++) {
            if (!localSystems.byCables(true) && !localSystems.byCables(false)) {
                break;
            }
        }
        localSystems.rest();
        return localSystems.found;
    }

    private void byWord() {
        for (int i = 0; i < found.length; i++) {
            LldpOutput output = outputs.get(i);
            if (output.chassisId() != null) {
                found[i] = systems.withChassis(output.chassisId(), output.system(), output.line());
            }
            if (found[i] == null && output.system() != null) {
                found[i] = systems.named(output.system());
            }
        }
    }

    private void index() {
        for (int i = 0; i < found.length; i++) {
            Set<LldpSystem> far = new HashSet<>();
            for (LldpNeighbor neighbor : outputs.get(i).neighbors()) {
                LldpSystem system = systems.of(neighbor);
                if (system != null) {
                    far.add(system);
                    for (String port : farPorts(neighbor)) {
                        claims.computeIfAbsent(neighbor.netdev() + "\n" + port, k -> new ArrayList<>(2))
                                .add(new Claim(i, system));
                    }
                }
            }
            neighborsOfOutput.add(far);
        }
    }

    private static Set<String> farPorts(LldpNeighbor neighbor) {
        Set<String> ports = new HashSet<>();
        for (String port : new String[] {neighbor.portId(), neighbor.portDescription()}) {
            if (port != null && !port.isBlank()) {
                ports.add(port.strip());
            }
        }
        return ports;
    }

    /** @param certain whether only answers count whose system is known. Whether any was found */
    private boolean byCables(boolean certain) {
        Map<LldpSystem, List<Integer>> winners = new LinkedHashMap<>();
        for (int i = 0; i < found.length; i++) {
            if (found[i] == null) {
                LldpSystem winner = winner(i, certain);
                if (winner != null) {
                    winners.computeIfAbsent(winner, w -> new ArrayList<>(1)).add(i);
                }
            }
        }
        boolean any = false;
        Set<LldpSystem> taken = new HashSet<>();
        for (LldpSystem system : found) {
            if (system != null) {
                taken.add(system);
            }
        }
        for (Map.Entry<LldpSystem, List<Integer>> won : winners.entrySet()) {
            if (certain || won.getValue().size() == 1 && !taken.contains(won.getKey())) {
                won.getValue().forEach(i -> found[i] = won.getKey());
                any = true;
            }
        }
        return any;
    }

    /** The one system of which most cables of an answer speak at their other ends. */
    private @Nullable LldpSystem winner(int output, boolean certain) {
        Map<LldpSystem, Integer> cables = new HashMap<>();
        for (LldpNeighbor neighbor : outputs.get(output).neighbors()) {
            LldpSystem far = systems.of(neighbor);
            Set<LldpSystem> candidates = new HashSet<>();
            for (String port : farPorts(neighbor)) {
                List<Claim> matching = claims.getOrDefault(port + "\n" + neighbor.netdev(), List.of());
                if (certain || matching.size() <= MAX_CLAIMS) {
                    for (Claim claim : matching) {
                        LldpSystem local = found[claim.output()];
                        boolean fits = local == far
                                || !certain
                                        && local == null
                                        && !neighborsOfOutput
                                                .get(claim.output())
                                                .contains(far);
                        if (fits && far != null && claim.output() != output) {
                            candidates.add(claim.far());
                        }
                    }
                }
            }
            candidates.removeAll(neighborsOfOutput.get(output));
            candidates.forEach(candidate -> cables.merge(candidate, 1, Integer::sum));
        }
        List<Map.Entry<LldpSystem, Integer>> order = new ArrayList<>(cables.entrySet());
        order.sort(Map.Entry.comparingByValue(Comparator.reverseOrder()));
        boolean clear = !order.isEmpty()
                && (order.size() == 1
                        || order.getFirst().getValue() > order.get(1).getValue());
        return clear ? order.getFirst().getKey() : null;
    }

    private void rest() {
        Map<String, Integer> named = new HashMap<>();
        for (int i = 0; i < found.length; i++) {
            LldpOutput output = outputs.get(i);
            if (found[i] == null
                    && output.system() == null
                    && !output.neighbors().isEmpty()) {
                fallbacks(output).forEach(name -> named.merge(name, 1, Integer::sum));
            }
        }
        for (int i = 0; i < found.length; i++) {
            LldpOutput output = outputs.get(i);
            if (found[i] != null || output.neighbors().isEmpty()) {
                continue;
            }
            String name = output.system();
            if (name == null) {
                List<String> fallbacks = fallbacks(output);
                name = fallbacks.stream()
                        .filter(each -> named.getOrDefault(each, 0) == 1)
                        .findFirst()
                        .orElse(fallbacks.getLast());
                collector.problem(
                        output.line(),
                        "nothing says which system answered here: it is called " + CablingCollector.printable(name));
            }
            found[i] = systems.namedOrNew(name, output.line());
            if (found[i] == null) {
                collector.problem(
                        output.line(), "\"" + CablingCollector.printable(name) + "\" cannot be a system's name");
            }
        }
    }

    /** What to call a system that nothing names: as its file, with the line where several would be called so, with directories. */
    private List<String> fallbacks(LldpOutput output) {
        String path = collector.file(output.line());
        String file = path.substring(path.lastIndexOf('/') + 1);
        int dot = file.indexOf('.');
        String stem = usable(dot > 0 ? file.substring(0, dot) : file);
        String line = "-" + collector.lineInFile(output.line());
        return List.of(stem, stem + line, usable(path) + line);
    }

    private static String usable(String text) {
        StringBuilder usable = new StringBuilder(text.length());
        text.chars().map(c -> Character.isLetterOrDigit(c) ? c : '-').forEach(c -> usable.append((char) c));
        return usable.isEmpty() || text.equals("-") ? "unnamed" : usable.toString();
    }
}
