/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.topology;

/**
 * A contradiction in the records of a wiring, or a fault that they show. It is tolerated.
 *
 * @param id of a switch or device
 * @param port of it; {@value #WHOLE} for the switch as a whole
 * @param message a sentence
 */
public record TopologyProblem(Kind kind, String id, int port, String message) {
    static final int WHOLE = -1;

    /** What is wrong. */
    public enum Kind {
        /** A port that is down although its cable is known. */
        PORT_DOWN,
        /** Two cables that end at one port of a device. */
        DUPLICATE_GUID,
        /** A cable that its far end does not mention. */
        ONE_WAY_CABLE,
        /** A cable to a switch that nobody describes. */
        CABLE_TO_NOWHERE,
        /** A cable that cannot be where it is said to be. */
        CONTRADICTION,
        /** A managed device that no cable reaches. */
        UNCABLED
    }

    /** A switch's id, or {@code id port n} of a switch's or device's port. */
    public String object() {
        return port == WHOLE ? id : port(id, port);
    }

    static String port(String id, int number) {
        return id + " port " + number;
    }
}
