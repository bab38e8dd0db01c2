/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.fabric.Sha256;
import dev.fabricoperator.fabric.cabling.NvlinkClique;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.discovery.DiscoveryResult;
import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.fabric.traffic.LinkFault;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes the API server's FabricDevices of one node be what was found there.
 *
 * <p>What is published is read once from the server and then remembered, so that a look without a change sends nothing,
 * also after a restart. Not safe for use by several threads.
 */
final class Publisher {

    /** Label of a FabricDevice: its node's name, or a hash of it where that does not fit a label value. */
    static final String LABEL_NODE = FabricApi.GROUP + "/node";

    private static final String COLLECTION = "/apis/" + FabricApi.GROUP + "/" + FabricApi.VERSION + "/fabricdevices";
    private static final int MAXIMUM_LABEL = 63;

    /** Looks at the Node that miss the label in a row until its accelerators are in no clique any more: who labels nodes starts anew, too. */
    private static final int MISSING = 2;

    /** An object as the server has it. */
    private record Published(Map<String, Object> spec, String ownerUid) {}

    private final ApiClient api;
    private final String nodeName;
    private final AgentMetrics metrics;

    /** Null until the server's objects have been read. */
    private @Nullable NavigableMap<String, Published> published;

    /** The object that was looked at last by {@link #lost}. */
    private String lookedAt = "";

    private @Nullable String nodeUid;
    private Set<String> internalAddresses = Set.of();
    private boolean inClique;
    /** How many of the last looks at the Node, in a row, have missed a label of its clique. */
    private int unlabelled;

    Publisher(ApiClient api, String nodeName, AgentMetrics metrics) {
        this.api = api;
        this.nodeName = nodeName;
        this.metrics = metrics;
    }

    /** Addresses of type InternalIP that the Node object has; empty until it has been read. */
    Set<String> internalAddresses() {
        return internalAddresses;
    }

    /**
     * Whether a label of the Node says which accelerators NVLink joins its own with; false until it has been read. Where accelerators are
     * published, a label that is gone counts when the next resynchronization misses it, too.
     */
    boolean isInClique() {
        return inClique;
    }

    /**
     * Reads the Node and this node's objects anew, so that what others deleted or changed is put right at the next
     * publication.
     *
     * @throws ApiException also where there is no such Node: its devices would have no owner and never be removed
     */
    void resync() throws ApiException, InterruptedException {
        Map<String, Object> node = api.get("/api/v1/nodes/" + nodeName);
        String uid = node == null ? null : Json.string(Json.member(node, "metadata"), "uid");
        if (node == null || uid == null) {
            throw new ApiException(404, "there is no Node " + nodeName, null);
        }
        nodeUid = uid;
        Set<String> addresses = new HashSet<>();
        for (Map<String, Object> address : Json.objects(Json.member(node, "status"), "addresses")) {
            String value = Json.string(address, "address");
            if ("InternalIP".equals(Json.string(address, "type")) && value != null) {
                addresses.add(value);
            }
        }
        internalAddresses = addresses;
        boolean labelled = NvlinkClique.LABELS.stream()
                .anyMatch(key -> Json.string(Json.member(Json.member(node, "metadata"), "labels"), key) != null);
        NavigableMap<String, Published> known = published;
        NavigableMap<String, Published> now = known == null ? listed() : reread(known);
        published = now;
        unlabelled = labelled ? 0 : Math.min(unlabelled + 1, MISSING);
        inClique = labelled || unlabelled < MISSING && now.values().stream().anyMatch(Publisher::isOfNvlink);
    }

    private static boolean isOfNvlink(Published object) {
        return Family.NVLink.name().equals(Json.string(object.spec(), "family"));
    }

    /** What the object of a device says of its link; nothing where it is that of another card. */
    List<Impairment> impairments(Device device) {
        NavigableMap<String, Published> known = published;
        return known == null
                ? List.of()
                : known.values().stream()
                        .map(Published::spec)
                        .filter(spec -> device.deviceId().equals(Json.string(spec, "deviceId")))
                        .flatMap(spec -> Json.objects(spec, "impairments").stream())
                        .flatMap(Publisher::impairment)
                        .toList();
    }

    /** None where a newer agent has written it, or somebody else. */
    private static Stream<Impairment> impairment(Map<String, Object> tree) {
        try {
            return Stream.of(new Impairment(
                    LinkFault.valueOf(String.valueOf(tree.get("kind"))),
                    String.valueOf(tree.get("file")),
                    number(tree, "value"),
                    number(tree, "limit"),
                    number(tree, "seconds"),
                    number(tree, "windowSeconds"),
                    number(tree, "quietSeconds"),
                    Instant.parse(String.valueOf(tree.get("since")))));
        } catch (IllegalArgumentException | DateTimeParseException e) {
            return Stream.empty();
        }
    }

    private static long number(Map<String, Object> tree, String name) {
        return tree.get(name) instanceof Long number ? number : 0;
    }

    /** What has become of what was published. */
    enum Loss {
        None,
        /** An object is gone: somebody has deleted it, or its kind, with which those of all nodes are gone. */
        Object,
        /** The Node is another one than it was. */
        Node
    }

    /**
     * Looks at one published object, the next one each time: those of a node go together, with their Node or with their kind. Costs one request, which the API server answers from
     * memory, and a second one where the object is gone.
     *
     * @throws ApiException where the API server does not say
     */
    Loss lost() throws ApiException, InterruptedException {
        NavigableMap<String, Published> known = published;
        if (known == null || known.isEmpty()) {
            return Loss.None;
        }
        String following = known.higherKey(lookedAt);
        lookedAt = following == null ? known.firstKey() : following;
        Map<String, Object> object = api.get(COLLECTION + "/" + lookedAt + "?resourceVersion=0");
        if (object != null) {
            return asPublished(object).ownerUid().equals(nodeUid) ? Loss.None : Loss.Node;
        }
        Map<String, Object> node = api.get("/api/v1/nodes/" + nodeName + "?resourceVersion=0");
        String uid = node == null ? null : Json.string(Json.member(node, "metadata"), "uid");
        return Objects.equals(uid, nodeUid) ? Loss.Object : Loss.Node;
    }

    /** At the start: whatever earlier runs have left, also of devices that are gone. */
    private NavigableMap<String, Published> listed() throws ApiException, InterruptedException {
        NavigableMap<String, Published> found = new TreeMap<>();
        for (Map<String, Object> object : api.list(COLLECTION, LABEL_NODE + "=" + labelValue(nodeName))) {
            String name = Json.string(Json.member(object, "metadata"), "name");
            if (name != null && nodeName.equals(Json.string(Json.member(object, "spec"), "nodeName"))) {
                found.put(name, asPublished(object));
            }
        }
        return found;
    }

    /** Later: object by object, since a list makes the server look at every node's. */
    private NavigableMap<String, Published> reread(Map<String, Published> known)
            throws ApiException, InterruptedException {
        NavigableMap<String, Published> found = new TreeMap<>();
        for (String name : known.keySet()) {
            Map<String, Object> object = api.get(COLLECTION + "/" + name);
            if (object != null) {
                found.put(name, asPublished(object));
            }
        }
        return found;
    }

    private static Published asPublished(Map<String, Object> object) {
        String owner = "";
        for (Map<String, Object> reference : Json.objects(Json.member(object, "metadata"), "ownerReferences")) {
            String uid = Json.string(reference, "uid");
            if ("Node".equals(Json.string(reference, "kind")) && uid != null) {
                owner = uid;
            }
        }
        return new Published(Json.member(object, "spec"), owner);
    }

    /**
     * Sends what differs from what is published. One refused object does not keep the others back.
     *
     * @param unread fields that nobody could be asked for; their last good values stay
     * @return why objects were refused, empty when everything is published
     * @throws ApiException when the server is away; what was sent until then is remembered
     */
    List<String> publish(DiscoveryResult look, Set<String> unread, Instant now)
            throws ApiException, InterruptedException {
        if (published == null || nodeUid == null) {
            resync();
        }
        Map<String, Published> state = published == null ? new TreeMap<>() : published;
        String uid = nodeUid == null ? "" : nodeUid;
        Map<String, Map<String, Object>> lastGood = new HashMap<>();
        state.forEach((name, object) -> lastGood.put(name, object.spec()));
        PublishPlan plan = PublishPlan.of(look, nodeName, unread, lastGood, now);
        List<String> refusals = new ArrayList<>();
        for (Map.Entry<String, Map<String, Object>> entry : plan.specs().entrySet()) {
            Published last = state.get(entry.getKey());
            if (last != null
                    && last.spec().equals(entry.getValue())
                    && last.ownerUid().equals(uid)) {
                continue;
            }
            try {
                api.apply(
                        COLLECTION + "/" + entry.getKey(),
                        FabricApi.AGENT_FIELD_MANAGER,
                        object(entry.getKey(), entry.getValue(), uid));
                metrics.applied.incrementAndGet();
                state.put(entry.getKey(), new Published(entry.getValue(), uid));
            } catch (ApiException e) {
                refusals.add(refusal(e));
            }
        }
        for (String name : plan.gone()) {
            try {
                api.delete(COLLECTION + "/" + name);
                metrics.deleted.incrementAndGet();
                state.remove(name);
            } catch (ApiException e) {
                refusals.add(refusal(e));
            }
        }
        return refusals;
    }

    private static String refusal(ApiException e) throws ApiException {
        if (!e.isRefusal()) {
            throw e;
        }
        return String.valueOf(e.getMessage());
    }

    private Map<String, Object> object(String name, Map<String, Object> spec, String ownerUid) {
        Map<String, Object> owner = new LinkedHashMap<>();
        owner.put("apiVersion", "v1");
        owner.put("kind", "Node");
        owner.put("name", nodeName);
        owner.put("uid", ownerUid);
        Map<String, Object> metadata = new LinkedHashMap<>();
        metadata.put("name", name);
        metadata.put("labels", Map.of(LABEL_NODE, labelValue(nodeName)));
        metadata.put("ownerReferences", List.of(owner));
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("apiVersion", FabricApi.API_VERSION);
        object.put("kind", "FabricDevice");
        object.put("metadata", metadata);
        object.put("spec", spec);
        return object;
    }

    static String labelValue(String nodeName) {
        if (nodeName.length() <= MAXIMUM_LABEL) {
            return nodeName;
        }
        byte[] digest = Sha256.of(nodeName);
        return HexFormat.of().formatHex(digest, 0, 16);
    }
}
