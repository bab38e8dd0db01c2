/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.question;

import java.util.List;

/** Two devices that cost least; of equal ones the first. A device is the nearest of itself only where nothing else is meant. */
record Ends(PlacedDevice from, PlacedDevice to) {
    static Ends nearest(Devices devices, String from, String to) throws UnansweredException {
        List<PlacedDevice> ofFrom = devices.all("from", from);
        List<PlacedDevice> ofTo = devices.all("to", to);
        Ends nearest = new Ends(ofFrom.getFirst(), ofTo.getFirst());
        int least = Integer.MAX_VALUE;
        for (PlacedDevice one : ofFrom) {
            for (PlacedDevice other : ofTo) {
                int cost = one.equals(other) ? Integer.MAX_VALUE : one.cost(other);
                if (cost < least) {
                    least = cost;
                    nearest = new Ends(one, other);
                }
            }
        }
        return nearest;
    }
}
