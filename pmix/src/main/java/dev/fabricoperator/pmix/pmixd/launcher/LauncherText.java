/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.launcher;

import java.util.Map;

/** What the launcher is told, as lines. */
public final class LauncherText {
    public static final String AGAIN = "again\n";

    /** A rank has failed and it is not known yet what that means: the launcher waits. */
    public static final String HOLD = "hold\n";

    private LauncherText() {}

    public static String stop(int code, String text) {
        return "stop " + code + ' ' + LineFormat.escape(text) + '\n';
    }

    public static String warn(String text) {
        return "warn " + LineFormat.escape(text) + '\n';
    }

    /** Ranks are to get a connection of PMI-1 each; before the block. */
    public static String pmi(int jobSize, int app, String name) {
        return "pmi " + jobSize + ' ' + app + ' ' + LineFormat.escape(name) + '\n';
    }

    /** KEY=value, which any rank may get. */
    public static String kept(String pair) {
        return keptAsItIs(LineFormat.escape(pair));
    }

    /** @param pair escaped */
    public static String keptAsItIs(String pair) {
        return "kept " + pair + '\n';
    }

    /** Ranks that wait in a barrier may go on. */
    public static String fenced(int failure) {
        return "fenced " + failure + '\n';
    }

    /**
     * What came of a rank's question about a published name.
     *
     * @param failure 0 for none
     * @param text the port where a name was looked up; why not, in one word
     */
    public static String named(int localRank, int failure, String text) {
        return "named " + localRank + ' ' + failure + ' ' + LineFormat.escape(text) + '\n';
    }

    /** The block from ready to go. */
    public static final class Block {
        private final String ready;
        private final StringBuilder text = new StringBuilder(8192);

        public Block(String nspace, int firstRank, int ranks) {
            ready = "ready " + nspace + ' ' + firstRank + ' ' + ranks + '\n';
        }

        /** For all ranks, whatever the container says. */
        public void set(String name, String value) {
            text.append("set ");
            assignment(name, value);
        }

        /** For all ranks, where the container does not set the name. */
        public void byDefault(Map<String, String> variables) {
            for (Map.Entry<String, String> each : variables.entrySet()) {
                text.append("default ");
                assignment(each.getKey(), each.getValue());
            }
        }

        public void rank(int rank, String name, String value) {
            text.append("rank ").append(rank).append(' ');
            assignment(name, value);
        }

        /** For one rank, where the container does not set the name. */
        public void rankByDefault(int rank, String name, String value) {
            text.append("rankdefault ").append(rank).append(' ');
            assignment(name, value);
        }

        private void assignment(String name, String value) {
            text.append(name).append('=').append(LineFormat.escape(value)).append('\n');
        }

        public String lines() {
            return lines("");
        }

        /** @param run command, directory and variables of mpirun's run, each with its line feed; of two that set one name the first counts */
        public String lines(String run) {
            return ready + text + run + "go\n";
        }
    }
}
