/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model.condition;

/** Every condition that the operator sets. */
public enum ConditionType {
    // of a Fabric
    /** Its devices are placed: indices, coordinates and cost hold, and are written to the devices. */
    Ready,
    /** Every agent has reported, so that what is not there does not exist. */
    InventoryComplete,
    /** The cabling is known from a source that can be read. */
    TopologyKnown,
    /** No two sources contradict each other about a port; set where the fabric has several. */
    SourcesAgree,
    /** A newer generation is on its way to the devices. */
    Updating,
    /** No status of a device or switch is refused by the API server; set once one was. */
    StatusesWritten,
    /** Every device can reach every other. */
    Connected,
    /** What is published of the devices is current. */
    DevicesCurrent,
    /** Volcano is told of it; set where Volcano's HyperNodes are there. */
    HyperNodesCurrent,
    /** Its Nodes have labels that say where they are; set where they are wanted. */
    NodeLabelsCurrent,
    /** Kueue is told of its tiers; set where Kueue's Topology is there. */
    KueueTopologyCurrent,
    /** Slurm's files speak of it; set where they are wanted. */
    SlurmTopologyCurrent,
    /** Its Nodes have the annotation that says their place to Slinky; set where it is wanted. */
    SlinkyAnnotationsCurrent,

    // of a FabricDevice, set once there has been something to say
    /** The host could be read. */
    HostReadable,
    /** Nobody else claims the device's GUID. */
    IdentityUnique,
    /** It counts: its node has no more devices, and no more Fabrics of its own, than one node may have. */
    Counted,
    /** Its agent watches it. */
    StateKnown,
    /** Its link is about to fail, by what its host counts and measures; of a Fabric: that of one of its devices, and of a FabricJob: that of a device of its ranks. */
    Impaired,

    // of a FabricJob
    /** Every pod of the attempt is here and has the job's map. */
    Whole,
    /** No rank of the attempt runs any more, or none will. */
    Finished,
    /** The PMIx servers run in the containers of the ranks. */
    OneContainer,
    /** Some rank has called PMIx_Init; only said where none has. */
    RanksConnected,
    /** There is each Fabric that its annotation names; only said where one is not there. */
    FabricsFound
}
