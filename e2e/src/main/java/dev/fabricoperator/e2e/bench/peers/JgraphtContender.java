/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.peers;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jgrapht.Graph;
import org.jgrapht.graph.DefaultEdge;
import org.jgrapht.graph.SimpleGraph;
import org.jgrapht.traverse.BreadthFirstIterator;

/** JGraphT: a breadth-first search from every device over the whole graph. */
final class JgraphtContender implements Protocol.Contender<JgraphtContender.Records, Long> {
    /** Nodes with the letter of their kind, and the ends of cables two by two, as the dump has them. */
    record Records(List<Character> letters, List<int[]> cables) {}

    public static void main(String[] args) throws Exception {
        Protocol.serve("JGraphT", Path.of(args[0]), new JgraphtContender());
    }

    @Override
    public Records parse(Path dump) throws Exception {
        Map<String, Integer> numbers = new HashMap<>();
        Records records = new Records(new ArrayList<>(), new ArrayList<>());
        int current = -1;
        try (BufferedReader text = Files.newBufferedReader(dump, StandardCharsets.UTF_8)) {
            for (String line = text.readLine(); line != null; line = text.readLine()) {
                boolean port = line.startsWith("[");
                if (port || line.startsWith("Switch") || line.startsWith("Ca")) {
                    int quote = line.indexOf('"');
                    int at = numbers.computeIfAbsent(line.substring(quote + 1, line.indexOf('"', quote + 1)), id -> {
                        records.letters.add(id.charAt(0));
                        return records.letters.size() - 1;
                    });
                    if (port) {
                        records.cables.add(new int[] {current, at});
                    } else {
                        current = at;
                    }
                }
            }
        }
        return records;
    }

    @Override
    public Long search(Records records) {
        Graph<Integer, DefaultEdge> graph = new SimpleGraph<>(DefaultEdge.class);
        for (int node = 0; node < records.letters.size(); node++) {
            graph.addVertex(node);
        }
        for (int[] cable : records.cables) {
            graph.addEdge(cable[0], cable[1]);
        }
        long sum = 0;
        for (int node = 0; node < records.letters.size(); node++) {
            if (records.letters.get(node) == 'H') {
                BreadthFirstIterator<Integer, DefaultEdge> search = new BreadthFirstIterator<>(graph, node);
                while (search.hasNext()) {
                    int at = search.next();
                    if (records.letters.get(at) == 'H') {
                        sum += search.getDepth(at);
                    }
                }
            }
        }
        return sum;
    }

    @Override
    public long devices(Records records, Long found) {
        return records.letters.stream().filter(letter -> letter == 'H').count();
    }

    @Override
    public long hops(Records records, Long found) {
        return found;
    }
}
