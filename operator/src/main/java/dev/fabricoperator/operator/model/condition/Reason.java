/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model.condition;

/** Every reason of a condition or an Event. */
public enum Reason {
    // Ready, Updating
    Placed,
    NoDevices,
    WritingDevices,
    UpToDate,
    // StatusesWritten
    NoneRefused,
    StatusesRefused,
    // InventoryComplete, DevicesCurrent, StateKnown
    AllAgentsReady,
    AgentsNotReady,
    NothingPublished,
    NoDaemonSet,
    DaemonSetNotCounted,
    AllCurrent,
    NodesNotReady,
    AgentReady,
    AgentNotReady,
    NodeNotReady,
    // TopologyKnown
    SourceRead,
    NoSource,
    UploadInProgress,
    UploadIncomplete,
    SourceUnreadable,
    SourceMissing,
    SourceUnreachable,
    SourceRefused,
    SourceShrank,
    ModelFailed,
    // SourcesAgree
    NoContradiction,
    SourcesContradict,
    // Connected
    AllConnected,
    Partitioned,
    PlaneLost,
    // what other systems are told, such as HyperNodesCurrent
    Written,
    NothingToTell,
    WritesRefused,
    WritesFailing,
    NameTaken,
    CannotChange,
    BeingDeleted,
    // HostReadable, IdentityUnique
    NoReadErrors,
    ReadErrors,
    ClaimedOnce,
    GuidClaimedTwice,
    // Counted
    WithinLimits,
    TooManyDevices,
    TooManyFabrics,
    // Impaired
    LinkErrors,
    TooHot,
    LinksWell,
    // Whole, Finished
    AllPodsJoined,
    PodsMissing,
    HostsNotPrepared,
    AssemblyTimedOut,
    CannotBeLaunched,
    RanksRun,
    JobSucceeded,
    JobFailed,
    // OneContainer
    ImageVolume,
    SecondContainer,
    // RanksConnected
    NoRankConnected,
    // FabricsFound
    NoSuchFabric,
    // findings only
    ImpairedLink,
    DrainNotUnderstood,
    SourceWarning,
    VariableRefused,
    LevelNotOffered,
    LevelsIndistinguishable,
    HostListNotUnderstood,
    // Events only
    FabricCreated,
    FabricChanged,
    SourcesRefreshed,
    FlappingLink,
    LinkSteady,
    NewAttempt
}
