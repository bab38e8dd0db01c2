/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.cli.objects.FabricSwitchFile;
import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.AdapterPort;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.view.mapping.SwitchMerge;
import dev.fabricoperator.view.mapping.SwitchStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Several files as one, merged as the operator merges its sources: dumps of several subnets, of one that was scanned from
 * several sides, or a dump and a list of what it does not know. Of two files of one kind the one named first has the first
 * word.
 *
 * @see SwitchMerge
 */
final class MergedCabling {
    private MergedCabling() {}

    /**
     * @param files what each is called
     * @param cablings at least one, in the order of the files
     */
    static Cabling of(List<String> files, List<Cabling> cablings) {
        if (cablings.size() == 1) {
            return cablings.getFirst();
        }
        List<SwitchStatement> statements = new ArrayList<>();
        Map<String, Adapter> adapters = new TreeMap<>();
        List<Problem> problems = new ArrayList<>();
        int aggregationNodes = 0;
        for (int i = 0; i < cablings.size(); i++) {
            Cabling cabling = cablings.get(i);
            // Sources of one rank are ordered by their names.
            String source = cabling.source().equals(FabricSwitchFile.SOURCE) ? "" : "%06d".formatted(i);
            String file = files.get(i);
            cabling.switches()
                    .forEach(s -> statements.add(
                            new SwitchStatement.WholeObject(file, source, cabling.source(), s, null, null)));
            cabling.adapters().forEach(a -> adapters.merge(a.id(), a, MergedCabling::both));
            cabling.problems().forEach(problem -> problems.add(problem.in(file)));
            aggregationNodes += cabling.aggregationNodes();
        }
        SwitchMerge<SwitchStatement> merge = SwitchMerge.merge(statements);
        merge.contradictions().forEach(each -> problems.add(new Problem(null, each.text())));
        return new Cabling(
                cablings.getFirst().source(),
                List.copyOf(merge.switches().values()),
                List.copyOf(adapters.values()),
                aggregationNodes,
                problems);
    }

    private static Adapter both(Adapter first, Adapter second) {
        Map<Integer, AdapterPort> ports = new TreeMap<>();
        second.ports().forEach(p -> ports.put(p.number(), p));
        first.ports().stream()
                .filter(p -> p.peer() != null || !ports.containsKey(p.number()))
                .forEach(p -> ports.put(p.number(), p));
        return new Adapter(
                first.id(),
                first.hostname(),
                first.osName(),
                first.description(),
                first.vendorId(),
                first.deviceId(),
                first.systemImageGuid(),
                List.copyOf(ports.values()));
    }
}
