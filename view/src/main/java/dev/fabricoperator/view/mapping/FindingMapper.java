/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.finding.Finding;
import dev.fabricoperator.fabric.finding.FindingType;
import java.util.Comparator;
import java.util.List;

/** A finding of the domain as a Fabric's status has it. */
public final class FindingMapper {
    /**
     * What explains others, and what is mended by hand at once, before the rest, which stays as it is. Links that flap are before it too: that one
     * is not in a list any more says that it is steady, so that they are the last to be cut.
     */
    public static final Comparator<FindingStatus> CAUSES_FIRST =
            Comparator.comparingInt(finding -> rank(finding.type()));

    private FindingMapper() {}

    private static int rank(String type) {
        if (type.equals(FindingType.SwappedCable.name())) {
            return 0;
        }
        return type.equals(FindingType.MissingSwitch.name()) ? 1 : isFlapping(type) ? 2 : 3;
    }

    private static boolean isFlapping(String type) {
        return type.equals(FindingType.FlappingLink.name());
    }

    /** Whether a list of findings in the order of {@link #CAUSES_FIRST} has all links that flap. */
    public static boolean hasAllFlapping(List<FindingStatus> first, int total) {
        return total <= first.size()
                || !first.isEmpty() && rank(first.getLast().type()) > rank(FindingType.FlappingLink.name());
    }

    public static FindingStatus toStatus(Finding found) {
        List<Finding.Place> places = found.places();
        List<String> hosts = found.hosts();
        while (FindingStatus.isTooLong(HostList.compress(hosts))) {
            hosts = hosts.subList(0, hosts.size() / 2);
        }
        return FindingStatus.of(found.type().name(), found.object(), found.message())
                .at(
                        places.stream().map(Finding.Place::id).toList(),
                        places.stream().map(Finding.Place::name).toList(),
                        places.stream().map(Finding.Place::port).toList(),
                        HostList.compress(hosts));
    }
}
