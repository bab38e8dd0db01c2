/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.hostile;

import java.util.EnumSet;
import java.util.Set;

/** One way of abusing a listener. */
public enum Attack {
    /** Connects and resets at once, as fast as it goes. */
    RESETS("connects and resets in a loop"),
    /** As many connections as it gets, none of which says anything. */
    HALF_OPEN("connections that say nothing"),
    /** Random bytes of 1 to 64 KiB. */
    GARBAGE("random bytes"),
    /** A plausible beginning, one byte every 100 ms, on 200 connections. */
    SLOW("one byte every 100 ms"),
    /** Lengths of all ones, then as many bytes as the other side takes. */
    OVERSIZED("endless messages"),
    /** Handshakes of old versions, of none, and alerts in the middle of one. */
    WRONG_TLS("broken TLS handshakes"),
    /** Requests for invented paths, as fast as they are answered. */
    INVENTED_PATHS("requests for invented paths"),
    /** Bodies that announce gigabytes, to the paths that take bodies. */
    HUGE_BODIES("bodies of gigabytes"),
    /** Headers that never end, after a good handshake. */
    SLOW_REQUESTS("requests that come byte by byte"),
    /** Well-formed tokens with the right audience and a wrong signature, each another. */
    INVENTED_TOKENS("invented tokens"),
    /** A real token of a pod that has no part in any job. */
    FOREIGN_TOKEN("a foreign pod's token"),
    /** HTTP/2 requests that are cancelled as soon as they are sent. */
    STREAM_RESETS("HTTP/2 streams, reset at once");

    private final String words;

    Attack(String words) {
        this.words = words;
    }

    /** For the table of {@code docs/hostile-suite.md}. */
    public String words() {
        return words;
    }

    /** What can be tried on anything that takes connections. */
    public static Set<Attack> onAnySocket() {
        return EnumSet.of(RESETS, HALF_OPEN, GARBAGE, SLOW, OVERSIZED);
    }

    /** What can be tried on HTTPS, beside that. */
    public static Set<Attack> onHttps() {
        return EnumSet.allOf(Attack.class);
    }
}
