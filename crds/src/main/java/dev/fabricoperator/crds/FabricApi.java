/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

/** Names that every module and every manifest of the project must agree on. */
public final class FabricApi {
    public static final String GROUP = "fabric-operator.dev";
    public static final String VERSION = "v1alpha1";
    public static final String API_VERSION = GROUP + "/" + VERSION;

    /** Field manager of a node agent; it owns {@code spec} of its node's FabricDevices. */
    public static final String AGENT_FIELD_MANAGER = "fabric-agent";
    /** Field manager of the controller; it owns every {@code status}, and {@code spec} of what it creates. */
    public static final String OPERATOR_FIELD_MANAGER = "fabric-operator";

    /** Label of a FabricSwitch or ConfigMap: the topology source that wrote the switch, or the upload that the ConfigMap is a part of. */
    public static final String LABEL_SOURCE = GROUP + "/source";
    /** Label of a ConfigMap: the kind of dump that it holds, for example {@code ibnetdiscover}. */
    public static final String LABEL_TOPOLOGY = GROUP + "/topology";
    /** Label of a Secret: the type of source whose credentials it holds, {@code ufm}. Without it a Secret is sent nowhere. */
    public static final String LABEL_CREDENTIALS = GROUP + "/credentials";
    /** Label of a Fabric: created by the operator for devices that belonged to none. */
    public static final String LABEL_AUTO_CREATED = GROUP + "/auto-created";
    /** Label of a Fabric that the operator created: the only node whose devices it was created for, cut to what a label may hold. */
    public static final String LABEL_MADE_FOR_NODE = GROUP + "/made-for-node";

    /** Label of a Node, or an object that tells another system of a Fabric: that Fabric's name, cut to what a label may hold. */
    public static final String LABEL_FABRIC = GROUP + "/fabric";
    /** Label of a pod that has its node: id of the switch of the node's first device in that Fabric, as a label may have it. */
    public static final String LABEL_SWITCH = GROUP + "/switch";
    /** Label of a pod that has its node: number of that node's group in that Fabric. */
    public static final String LABEL_GROUP = GROUP + "/group";
    /** Label of a FabricDevice: what a person has it for, {@code compute} or another word such as {@code storage}. Only the first says where a node is. */
    public static final String LABEL_PURPOSE = GROUP + "/purpose";

    /** Annotation of a Node: what the operator has written to {@code topology.slinky.slurm.net/spec}, so that it leaves alone what others write there. */
    public static final String ANNOTATION_SLINKY_SPEC = GROUP + "/slinky-spec";

    /** Annotation of a Fabric, followed by {@code volcano}, {@code kueue}, {@code node-labels} or {@code slurm}: {@code "false"}, and that system is told nothing of it. */
    public static final String ANNOTATION_INTEGRATE = GROUP + "/integrate-";
    /** Annotation of a FabricSwitch: {@code all}, or a comma list of port numbers that are to carry nothing. */
    public static final String ANNOTATION_DRAIN = GROUP + "/drain";
    /**
     * Annotation of a FabricSwitch that a topology source wrote: what kind of source that is, a source's type or
     * {@code live}. It decides whose word goes first, and whose absence is a deletion.
     */
    public static final String ANNOTATION_ORIGIN = GROUP + "/origin";
    /** Origin of what a live sweep of an InfiniBand subnet found. */
    public static final String ORIGIN_LIVE = "live";
    /** Annotation of a Fabric: any new value reads every source of it once more. */
    public static final String ANNOTATION_REFRESH = GROUP + "/refresh";
    /** Annotation of a Fabric: names the readings, by the digests in the condition's message, whose large loss a person accepts. */
    public static final String ANNOTATION_ACCEPT_LOSS = GROUP + "/accept-loss";

    /** Annotation of a Secret with credentials: the hosts that they may be sent to, {@code host} or {@code host:port}, by commas. */
    public static final String ANNOTATION_HOST = GROUP + "/host";

    /** Annotation of a part of an upload: its number, 1 and up. */
    public static final String ANNOTATION_PART = GROUP + "/part";
    /** Annotation of a part of an upload: how many parts there are. */
    public static final String ANNOTATION_PARTS = GROUP + "/parts";
    /** Annotation of a part of an upload: SHA-256 of the whole uncompressed dump, 64 lower-case hex digits. */
    public static final String ANNOTATION_DIGEST = GROUP + "/digest";
    /** Annotation of a part of an upload: the file that was uploaded, for messages. */
    public static final String ANNOTATION_FILE = GROUP + "/file";
    /** The key in {@code binaryData} of a part that holds its slice of the gzip stream. */
    public static final String UPLOAD_KEY = "dump.gz";

    // Keys of the ConfigMap, labelled topology=live, in which a sweep of a subnet says how it stands.
    /** When it swept last, RFC 3339. */
    public static final String REPORT_SWEPT = "swept";
    /** How often it sweeps, ISO 8601. */
    public static final String REPORT_INTERVAL = "interval";
    /** Switches of the last good sweep. */
    public static final String REPORT_SWITCHES = "switches";
    /** Cables of the last good sweep. */
    public static final String REPORT_LINKS = "links";
    /** Kind of what is wrong: Unreachable, Unreadable or Shrunk. */
    public static final String REPORT_PROBLEM = "problem";
    /** What is wrong, in words; empty for nothing. */
    public static final String REPORT_MESSAGE = "message";
    /** Requests for a refresh that were done, one a line: UID of the Fabric, a blank, value of its annotation. */
    public static final String REPORT_REFRESHES = "refreshes";
    /** SHA-256 of the compressed forwarding tables that were dumped last, 64 lower-case hex digits; absent where there are none. */
    public static final String REPORT_ROUTES_DIGEST = "routesDigest";
    /** Where they are served over HTTP: an IP address, in brackets if it is of version 6, a colon, a port. */
    public static final String REPORT_ROUTES_ADDRESS = "routesAddress";
    /** Why there are none, or none that are newer. */
    public static final String REPORT_ROUTES_MESSAGE = "routesMessage";
    /** What service levels mean at ports of switches that were asked, as {@code ReadLevels} writes it; absent where nobody wants to know. */
    public static final String REPORT_LEVELS = "levels";
    /** When that was read last, RFC 3339. */
    public static final String REPORT_LEVELS_READ = "levelsRead";
    /** Why that is not known, or not of all ports that were asked. */
    public static final String REPORT_LEVELS_MESSAGE = "levelsMessage";
    /** Path below which a sweep serves forwarding tables by their digest. */
    public static final String ROUTES_PATH = "/routes/";
    /** Path at which it serves how much ports send: a document as JSON, compressed. */
    public static final String PORTS_PATH = "/ports";

    private FabricApi() {}
}
