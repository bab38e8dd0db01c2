/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

/** Names by which a job, its pods and the operator agree on a direct launch. */
public final class LaunchApi {
    /** Label of a Namespace: {@code enabled} lets the operator change the pods in it that ask for it. */
    public static final String LABEL_INJECTION = FabricApi.GROUP + "/injection";

    public static final String INJECTION_ENABLED = "enabled";

    /**
     * Label of a Namespace: {@code "true"} makes a job fail that is launched directly and of which no rank has called PMIx_Init or PMI_Init, as where its MPI has found no
     * server.
     */
    public static final String LABEL_REQUIRE_PMIX = FabricApi.GROUP + "/require-pmix";

    /** Annotation of a pod template: {@code direct} or {@code env}. The operator makes it a label of the pod, too, so that pods can be selected by it. */
    public static final String LAUNCH = FabricApi.GROUP + "/launch";

    /** The operator starts the ranks and is their PMIx host. */
    public static final String DIRECT = "direct";
    /** The pod's own command stays; variables that name the node's fabric devices are set. */
    public static final String ENV = "env";

    /** Annotation of a pod template: ranks that the launcher starts in each pod, 1 to 1024, default 1. */
    public static final String RANKS_PER_POD = FabricApi.GROUP + "/ranks-per-pod";
    /** Annotation of a pod template: the container that runs the ranks; default is {@code kubectl.kubernetes.io/default-container}, else the first. */
    public static final String CONTAINER = FabricApi.GROUP + "/container";
    /** Annotation of a pod template: how long its pods wait for one another, a number of seconds or as in {@code 1h30m}; default 10 min. */
    public static final String ASSEMBLY_TIMEOUT = FabricApi.GROUP + "/assembly-timeout";
    /** Annotation of a pod template: {@code topology} gives pods that are near each other on the fabric neighbouring ranks; default is {@code index}, ranks by app, Job and index. */
    public static final String RANK_ORDER = FabricApi.GROUP + "/rank-order";
    /**
     * Annotation of a pod template: a number of ranks that follow one another, as those of a tensor or expert group, of which as many groups as fit are each within one
     * leaf, unit or other part of the fabric. It orders ranks as {@code rank-order: topology}.
     */
    public static final String GROUP_SIZE = FabricApi.GROUP + "/group-size";
    /**
     * Annotation of a pod template: names of Fabrics with commas between them, the default one of the job first. Its ranks are told of no devices but
     * those in these.
     */
    public static final String FABRIC = FabricApi.GROUP + "/fabric";
    /**
     * Annotation of a pod template: the level of service that its traffic is to have, or one for each channel, as in {@code mpi=low-latency,nccl=bulk-data}. Levels
     * are those of {@code spec.levels} of the Fabric.
     */
    public static final String QOS = FabricApi.GROUP + "/qos";
    /**
     * Annotation of a pod template: {@code core} or {@code numa} gives each rank of a pod an equal share of the cores, or of the NUMA nodes, that its container
     * may use; default is {@code none}.
     */
    public static final String BIND = FabricApi.GROUP + "/bind";
    /** Annotation of a pod template: {@code "true"} allows a direct launch of pods with {@code hostNetwork}, whose ports are the node's. */
    public static final String HOST_NETWORK = FabricApi.GROUP + "/host-network";
    /** Annotation of a pod template: {@code "false"} lets a pod start alone rather than not at all while the operator is away. */
    public static final String REQUIRED = FabricApi.GROUP + "/required";
    /** Annotation of a pod template: {@code "false"} leaves the environment of the container alone. */
    public static final String INJECT_ENV = FabricApi.GROUP + "/inject-env";
    /** Annotation of a pod template: {@code "false"} injects no PMIx server. */
    public static final String INJECT_PMIX = FabricApi.GROUP + "/inject-pmix";
    /** Annotation of a pod template: {@code "false"} names no devices in library variables. */
    public static final String INJECT_DEVICES = FabricApi.GROUP + "/inject-devices";
    /** Annotation of a pod: what the operator found doubtful in it, a sentence a line. */
    public static final String WARNINGS = FabricApi.GROUP + "/warnings";

    /** Annotation of a Job: when the operator last made the Job controller look at it, since its pods could be prepared again. */
    public static final String WOKEN = FabricApi.GROUP + "/woken";

    /** Annotation of a pod: why its PMIx server has a container of its own, a sentence. */
    public static final String SECOND_CONTAINER = FabricApi.GROUP + "/second-container";

    /**
     * Condition of a pod: written by whoever prepares its host, {@code True} when that is done, {@code False} with a sentence where it cannot be. A Fabric whose
     * {@code spec.hostPreparation.device} is not empty wants it.
     */
    public static final String HOST_PREPARED = FabricApi.GROUP + "/HostPrepared";

    /** Container of a pod's PMIx server, where it has one of its own. */
    public static final String PMIXD_CONTAINER = "fabric-pmixd";
    /** First word of the command of a container whose ranks are started from a volume with the image of the PMIx server. */
    public static final String IMAGE_VOLUME_LAUNCHER = "/run/fabric-operator/image/usr/local/bin/fabric-launcher";

    /** The same where the PMIx server has a container of its own, which has put the launcher there. */
    public static final String SECOND_CONTAINER_LAUNCHER = "/run/fabric-operator/launcher";

    /** Annotation of a pod, followed by the name of a variable of its container: the value, which names devices of the node. */
    public static final String DEVICE_VARIABLE = FabricApi.GROUP + "/env.";

    /** Annotation of a pod that is launched with variables alone: where its node is, the content of {@code place.json}. */
    public static final String PLACE = FabricApi.GROUP + "/place";

    /** Audience of the token by which a pod shows the job service which one it is. */
    public static final String TOKEN_AUDIENCE = "fabric-operator-jobs";

    /** Services of the operator; each serves a certificate for {@code <name>.<namespace>.svc}. */
    public static final String WEBHOOK_SERVICE = "fabric-operator-webhook";

    public static final String QUERY_SERVICE = "fabric-operator-query";
    public static final String JOB_SERVICE = "fabric-operator-jobs";

    private LaunchApi() {}
}
