/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

/** What is wrong with the object of a finding; first what explains others, and what is mended by hand at once. */
public enum FindingType {
    /** Cables of two hosts, or of two devices of one, that are in each other's place. */
    SwappedCable,
    /** A switch that the pattern asks for. */
    MissingSwitch,
    /** A link slower than the others of its bundle. */
    SlowLink,
    /** Uplinks that the pattern of its level has and this switch has not. */
    MissingUplink,
    /** A host with fewer rails than its peers. */
    MissingRail,
    /** An NVLink domain with fewer hosts than others have. */
    MissingTray,
    /** An NVLink domain whose hosts are in several cliques, which do not reach each other. */
    SplitDomain,
    /** A port without link although its cable is known. */
    PortDown,
    /** One GUID that two devices or switches claim. */
    DuplicateGuid,
    /** A cable that only one of its ends knows. */
    OneWayCable,
    /** A cable that leads to something that no source describes. */
    CableToNowhere,
    /** A port that two switches claim, or a record that contradicts itself. */
    Contradiction,
    /** A device that no cable reaches. */
    Uncabled,
    /** Paths that cost more than a matrix can say. */
    SaturatedCost,
    /** The one cable that joins two fabrics. */
    Bridge,
    /** A part of the fabric that cannot reach the rest. */
    Partition,
    /** Taken out of use by an administrator. */
    Drained,
    /** A link that goes up and down, and is left out until it stays up. */
    FlappingLink
}
