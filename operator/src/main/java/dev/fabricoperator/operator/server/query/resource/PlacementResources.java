/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.Distance;
import dev.fabricoperator.fabric.coordinate.Coordinate;
import dev.fabricoperator.fabric.coordinate.Shape;
import dev.fabricoperator.fabric.coordinate.View;
import dev.fabricoperator.fabric.model.SwitchPosition;
import dev.fabricoperator.operator.server.query.http.Json;
import dev.fabricoperator.operator.server.query.http.Parameters;
import dev.fabricoperator.operator.server.query.http.QueryResponse;
import dev.fabricoperator.operator.server.query.http.StatusException;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.view.answer.GeometryAnswer;
import dev.fabricoperator.view.answer.LevelsAnswer;
import dev.fabricoperator.view.answer.PeersAnswer;
import dev.fabricoperator.view.answer.TiersAnswer;
import dev.fabricoperator.view.question.Question;
import dev.fabricoperator.view.question.UnansweredException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where devices, switches, groups and planes are. */
final class PlacementResources {
    private static final int JSON_BYTES_OF_A_VERTEX = 160;

    private PlacementResources() {}

    static List<Resource> resources() {
        return List.of(
                Resource.of(
                        "vertices",
                        "Devices and their indices in the cost matrix (PMIX_FABRIC_DEVICE_INDEX).",
                        List.of("vertices", "vertices/{index}"),
                        Map.of(
                                "deviceId",
                                "The one with this PMIX_DEVICE_ID.",
                                "device",
                                "The one of this object name.",
                                "id",
                                "The one that an index, object name, deviceId, GUID[:port] or host/osName[:port] means."),
                        PlacementResources::vertices),
                Resource.of(
                        "devices",
                        "Geometry, switch and switch peers of a device; distances of a node's devices.",
                        List.of("devices", "devices/{device}", "devices/{device}/geometry", "devices/{device}/switch"),
                        Map.of(
                                "node",
                                "Devices of this node, with their distances to its NUMA nodes.",
                                Question.PEERS_OF,
                                "What 'switch' tells, for each switch of the devices that this name, host, switch or list stands for.",
                                Question.GEOMETRY_OF,
                                "What 'geometry' tells, for each of the devices that this name, host, switch or list stands for."),
                        PlacementResources::devices),
                Resource.of(
                        "groups",
                        "Groups and the nodes in each (PMIX_FABRIC_GROUPS).",
                        List.of("groups"),
                        Map.of(),
                        PlacementResources::groups),
                Resource.of(
                        "tiers",
                        "The fabric as a tree whose leaves are nodes: the lower the first vertex that two have in common, the nearer they are.",
                        List.of("tiers"),
                        Map.of(),
                        PlacementResources::tiers),
                Resource.of(
                        "levels",
                        "Levels of service that jobs may ask for, and what ports of switches make of them (PMIX_ALLOC_FABRIC_QOS).",
                        List.of("levels"),
                        Map.of(),
                        PlacementResources::levels),
                Resource.of(
                        "switches",
                        "Switches, their levels, groups and coordinates.",
                        List.of("switches", "switches/{id}"),
                        Map.of(),
                        PlacementResources::switches),
                Resource.of(
                        "planes",
                        "Planes and their shapes (PMIX_FABRIC_PLANE, PMIX_FABRIC_SHAPE).",
                        List.of("planes"),
                        Map.of(),
                        PlacementResources::planes),
                Resource.of(
                        "paths",
                        "The cheapest path between two devices.",
                        List.of("paths"),
                        Map.of(
                                "from",
                                "A device, by index or any of its names.",
                                "to",
                                "A device, likewise.",
                                Question.SEVERAL,
                                "true: names may stand for several devices, of which the nearest two are meant; a number is a name."),
                        PlacementResources::path));
    }

    /** @param id what stands for it in costs */
    record VertexDocument(
            int index,
            String device,
            String deviceId,
            String id,
            String nodeName,
            String osName,
            int port,
            long generation) {}

    record DistancesDocument(String node, long generation, List<DeviceDistances> devices) {}

    record DeviceDistances(
            int index,
            String device,
            String deviceId,
            @Nullable Integer numaNode,
            List<Distance> distances) {}

    record SwitchesDocument(long generation, List<SwitchEntry> switches) {}

    record SwitchEntry(
            String id,
            @Nullable String name,
            @Nullable String vendor,
            @Nullable String model,
            @Nullable Integer level,
            @Nullable Integer group,
            @Nullable String plane,
            List<Integer> coordinate) {}

    record PlanesDocument(long generation, List<PlaneEntry> planes) {}

    record PlaneEntry(
            String id, int devices, int switches, View view, int dims, List<Integer> shape, String shapeString) {}

    private static QueryResponse vertices(ResourceRequest request) throws StatusException, UnansweredException {
        ServedFabric served = request.served();
        Parameters asked = request.parameters();
        if (request.rest().size() == 1) {
            String text = request.rest().getFirst();
            return vertex(request, request.slot("index", Long.toString(Parameters.number("index", text))));
        }
        if (asked.has("deviceId")) {
            return vertex(
                    request, found("deviceId", asked, served.directory().withDeviceId(asked.required("deviceId"))));
        }
        if (asked.has("device")) {
            return vertex(request, found("device", asked, served.directory().named(asked.required("device"))));
        }
        if (asked.has("id")) {
            return vertex(request, request.slot("id", asked.required("id")));
        }
        String plane = request.plane();
        return QueryResponse.Written.json(
                (long) served.directory().devices().size() * JSON_BYTES_OF_A_VERTEX,
                json -> {
                    json.writeStartObject();
                    json.writeNumberField("generation", served.generation());
                    json.writeNumberField("vertices", served.cost().vertices());
                    json.writeArrayFieldStart("devices");
                    for (Map.Entry<Integer, ServedDevice> entry :
                            served.directory().devices().entrySet()) {
                        if (request.isOn(plane, entry.getKey())) {
                            ServedDevice device = entry.getValue();
                            json.writeStartObject();
                            json.writeNumberField("index", entry.getKey());
                            json.writeStringField("device", device.name());
                            json.writeStringField("deviceId", device.deviceId());
                            json.writeStringField("nodeName", device.nodeName());
                            json.writeStringField("osName", device.osName());
                            json.writeNumberField("port", device.port());
                            json.writeEndObject();
                        }
                    }
                    json.writeEndArray();
                    json.writeEndObject();
                },
                request.etag(),
                request.headers());
    }

    private static int found(String field, Parameters asked, @Nullable Integer slot) throws StatusException {
        if (slot == null) {
            throw StatusException.notFound(field, "no device with " + field + " '" + asked.text(field) + "'");
        }
        return slot;
    }

    private static QueryResponse vertex(ResourceRequest request, int slot) {
        ServedDevice device = request.device(slot);
        return request.document(new VertexDocument(
                slot,
                device.name(),
                device.deviceId(),
                device.costId(),
                device.nodeName(),
                device.osName(),
                device.port(),
                request.served().generation()));
    }

    private static QueryResponse devices(ResourceRequest request) throws StatusException, UnansweredException {
        List<String> rest = request.rest();
        if (rest.isEmpty()) {
            Parameters asked = request.parameters();
            if (asked.has(Question.PEERS_OF)) {
                return request.large(new Question.Peers(asked.required(Question.PEERS_OF)));
            }
            return asked.has(Question.GEOMETRY_OF)
                    ? request.large(new Question.Place(
                            asked.required(Question.GEOMETRY_OF), request.view(), asked.text("plane")))
                    : distances(request);
        }
        int slot = request.slot("device", rest.getFirst());
        if (rest.size() == 1) {
            return vertex(request, slot);
        }
        return switch (rest.get(1)) {
            case "geometry" -> request.document(GeometryAnswer.of(request.served(), slot, request.view()));
            case "switch" -> request.document(PeersAnswer.of(request.served(), slot));
            default ->
                throw StatusException.notFound("path", "a device has geometry and switch, not '" + rest.get(1) + "'");
        };
    }

    /** PMIX_DEVICE_DISTANCES of a node. */
    private static QueryResponse distances(ResourceRequest request) throws StatusException {
        String node = request.parameters().required("node");
        String plane = request.plane();
        List<DeviceDistances> found = request.served().directory().ofNode(node).stream()
                .filter(e -> request.isOn(plane, e.getKey()))
                .map(e -> new DeviceDistances(
                        e.getKey(),
                        e.getValue().name(),
                        e.getValue().deviceId(),
                        e.getValue().numaNode(),
                        e.getValue().distances()))
                .toList();
        if (found.isEmpty()) {
            throw StatusException.notFound(
                    "node",
                    "no device of node '" + node + "' in fabric "
                            + request.served().name());
        }
        return request.document(new DistancesDocument(node, request.served().generation(), found));
    }

    private static QueryResponse path(ResourceRequest request) throws StatusException, UnansweredException {
        Parameters asked = request.parameters();
        return request.answer(new Question.Way(asked.required("from"), asked.required("to")));
    }

    /** An answer of the domain, with the generation that it is of. */
    private static QueryResponse withGeneration(ResourceRequest request, Object answer) {
        ObjectNode document = Json.MAPPER.valueToTree(answer);
        document.put("generation", request.served().generation());
        return request.document(document);
    }

    private static QueryResponse groups(ResourceRequest request) throws StatusException, UnansweredException {
        return request.answer(new Question.Groups(null, request.plane()));
    }

    private static QueryResponse tiers(ResourceRequest request) {
        // However short it is, to make it takes as long as a large answer does.
        return QueryResponse.Written.json(
                QueryResponse.Written.LARGE_BYTES + 1,
                json -> json.writeObject(TiersAnswer.of(request.served())),
                request.etag(),
                request.headers());
    }

    /** They change without the generation. */
    private static QueryResponse levels(ResourceRequest request) {
        ServedFabric served = request.served();
        return QueryResponse.Written.json(
                0,
                json -> json.writeObject(
                        LevelsAnswer.of(served.name(), served.facts().spec(), request.status())),
                null,
                request.headers());
    }

    private static QueryResponse switches(ResourceRequest request) throws StatusException {
        String plane = request.plane();
        View view = request.view();
        ServedFabric served = request.served();
        String wanted = request.rest().isEmpty() ? null : request.rest().getFirst();
        List<SwitchEntry> found = new ArrayList<>();
        Map<String, Integer> planeOf = new HashMap<>();
        for (int at = 0; at < served.model().topology().switches(); at++) {
            int number = served.model().classification().planeOfSwitch()[at];
            planeOf.put(served.model().topology().switchId(at), number);
        }
        for (var each : served.parts().switches()) {
            SwitchPosition place = served.model().switchPosition(each.id());
            Integer number = planeOf.getOrDefault(each.id(), -1);
            String own = number < 0 ? null : Integer.toString(number);
            boolean asked = (wanted == null || wanted.equals(each.id())) && (plane == null || plane.equals(own));
            if (place != null && asked) {
                found.add(new SwitchEntry(
                        each.id(),
                        each.name(),
                        each.vendor(),
                        each.model(),
                        place.level(),
                        place.group(),
                        own == null ? null : served.planeName(own),
                        values(place.coordinates(), view)));
            }
        }
        if (wanted == null) {
            return request.document(new SwitchesDocument(served.generation(), found));
        }
        if (found.isEmpty()) {
            throw StatusException.notFound("switch", "no switch '" + wanted + "' in fabric " + served.name());
        }
        return withGeneration(request, found.getFirst());
    }

    private static List<Integer> values(List<Coordinate> coordinates, View view) {
        return coordinates.stream()
                .filter(c -> c.view() == view)
                .findFirst()
                .map(Coordinate::values)
                .orElse(List.of());
    }

    private static QueryResponse planes(ResourceRequest request) throws StatusException {
        String wanted = request.plane();
        View view = request.view();
        ServedFabric served = request.served();
        List<PlaneEntry> planes = new ArrayList<>();
        for (var plane : served.query().planes()) {
            if (wanted == null || wanted.equals(plane.id())) {
                Shape shape = served.model().shapes().stream()
                        .filter(s -> s.plane().equals(plane.id()) && s.view() == view)
                        .findFirst()
                        .orElseThrow(() -> new IllegalStateException("plane " + plane.id() + " has no shape"));
                planes.add(new PlaneEntry(
                        served.planeName(plane.id()),
                        plane.devices(),
                        plane.switches(),
                        view,
                        shape.dims(),
                        shape.sizes(),
                        shape.string()));
            }
        }
        return request.document(new PlanesDocument(served.generation(), planes));
    }
}
