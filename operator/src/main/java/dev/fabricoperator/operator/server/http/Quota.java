/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import java.util.HashMap;
import java.util.Map;

/** How much may be in work at one time, of everybody and of each user. */
final class Quota {
    private final int total;
    private final int perUser;
    private final Map<String, Integer> users = new HashMap<>();
    private int taken;

    Quota(int total, int perUser) {
        this.total = total;
        this.perUser = perUser;
    }

    /** Takes one; {@code false} where none is left. */
    synchronized boolean take(String user) {
        int own = users.getOrDefault(user, 0);
        if (taken >= total || own >= perUser) {
            return false;
        }
        taken++;
        users.put(user, own + 1);
        return true;
    }

    synchronized void giveBack(String user) {
        taken--;
        users.computeIfPresent(user, (name, own) -> own > 1 ? own - 1 : null);
    }

    synchronized int taken() {
        return taken;
    }
}
