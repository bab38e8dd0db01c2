/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.cabling.NvlinkClique;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** NVLink domains that lack hosts, or that are in pieces. */
final class NvlinkDomains {
    /** The share of domains that have one size, above which another one lacks something. */
    private static final double MOST = 0.5;

    private record Domain(List<Integer> cliques, Set<String> hosts) {}

    private NvlinkDomains() {}

    static List<Finding> of(ClassifiedTopology wiring) {
        Topology topology = wiring.topology();
        SortedMap<String, Domain> domains = new TreeMap<>();
        for (int clique = 0; clique < topology.switches(); clique++) {
            domains.computeIfAbsent(
                            NvlinkClique.domain(topology.switchName(clique)),
                            d -> new Domain(new ArrayList<>(), new TreeSet<>()))
                    .cliques()
                    .add(clique);
        }
        for (int end = 0; end < topology.ends(); end++) {
            int clique = topology.endSwitch(end);
            Domain domain = clique < 0 ? null : domains.get(NvlinkClique.domain(topology.switchName(clique)));
            String host = topology.endHost(end);
            if (domain != null && host != null) {
                domain.hosts().add(host);
            }
        }
        Frequencies sizes = new Frequencies();
        domains.values().forEach(domain -> sizes.add(domain.hosts().size(), 1));
        long whole = sizes.mode();
        List<Finding> found = new ArrayList<>();
        domains.forEach((name, domain) -> {
            Finding.Place place = wiring.place(domain.cliques().getFirst());
            int hosts = domain.hosts().size();
            if (hosts < whole && sizes.modeShare() > MOST) {
                found.add(new Finding(
                        FindingType.MissingTray,
                        place.id(),
                        "NVLink domain " + name + " has " + hosts + (hosts == 1 ? " host" : " hosts")
                                + " where most domains have " + whole
                                + ": a tray is out, or its node lacks the label of its clique",
                        place));
            }
            if (domain.cliques().size() > 1) {
                List<String> names =
                        domain.cliques().stream().map(topology::switchName).toList();
                found.add(new Finding(
                        FindingType.SplitDomain,
                        place.id(),
                        "NVLink domain " + name + " is in " + names.size() + " cliques, "
                                + String.join(", ", names.subList(0, Math.min(4, names.size())))
                                + ": accelerators of one do not reach those of another",
                        place));
            }
        });
        return found;
    }
}
