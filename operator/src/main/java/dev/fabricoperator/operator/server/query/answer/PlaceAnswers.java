/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.answer;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.Distance;
import dev.fabricoperator.crds.answer.GeometryAnswer;
import dev.fabricoperator.crds.answer.GroupsAnswer;
import dev.fabricoperator.crds.answer.PathAnswer;
import dev.fabricoperator.crds.answer.PeersAnswer;
import dev.fabricoperator.fabric.coordinate.Coordinate;
import dev.fabricoperator.fabric.coordinate.Shape;
import dev.fabricoperator.fabric.coordinate.View;
import dev.fabricoperator.fabric.model.SwitchPlace;
import dev.fabricoperator.operator.server.query.http.Json;
import dev.fabricoperator.operator.server.query.http.Parameters;
import dev.fabricoperator.operator.server.query.http.QueryResponse;
import dev.fabricoperator.operator.server.query.http.StatusException;
import dev.fabricoperator.operator.server.query.served.Served;
import dev.fabricoperator.operator.server.query.served.ServedDevice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Where devices, switches, groups and planes are. */
final class PlaceAnswers {
    private static final int JSON_BYTES_OF_A_VERTEX = 160;

    private PlaceAnswers() {}

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
                        PlaceAnswers::vertices),
                Resource.of(
                        "devices",
                        "Geometry, switch and switch peers of a device; distances of a node's devices.",
                        List.of("devices", "devices/{device}", "devices/{device}/geometry", "devices/{device}/switch"),
                        Map.of("node", "Devices of this node, with their distances to its NUMA nodes."),
                        PlaceAnswers::devices),
                Resource.of(
                        "groups",
                        "Groups and the nodes in each (PMIX_FABRIC_GROUPS).",
                        List.of("groups"),
                        Map.of(),
                        PlaceAnswers::groups),
                Resource.of(
                        "switches",
                        "Switches, their levels, groups and coordinates.",
                        List.of("switches", "switches/{id}"),
                        Map.of(),
                        PlaceAnswers::switches),
                Resource.of(
                        "planes",
                        "Planes and their shapes (PMIX_FABRIC_PLANE, PMIX_FABRIC_SHAPE).",
                        List.of("planes"),
                        Map.of(),
                        PlaceAnswers::planes),
                Resource.of(
                        "paths",
                        "The cheapest path between two devices.",
                        List.of("paths"),
                        Map.of(
                                "from", "A device, by index or any of its names.",
                                "to", "A device, likewise."),
                        PlaceAnswers::path));
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

    private static QueryResponse vertices(Inquiry inquiry) throws StatusException {
        Served served = inquiry.served();
        Parameters asked = inquiry.parameters();
        if (inquiry.rest().size() == 1) {
            String text = inquiry.rest().getFirst();
            return vertex(inquiry, inquiry.slot("index", Long.toString(Parameters.number("index", text))));
        }
        if (asked.has("deviceId")) {
            return vertex(
                    inquiry, found("deviceId", asked, served.directory().withDeviceId(asked.required("deviceId"))));
        }
        if (asked.has("device")) {
            return vertex(inquiry, found("device", asked, served.directory().named(asked.required("device"))));
        }
        if (asked.has("id")) {
            return vertex(inquiry, inquiry.slot("id", asked.required("id")));
        }
        String plane = inquiry.plane();
        return QueryResponse.Written.json(
                (long) served.directory().devices().size() * JSON_BYTES_OF_A_VERTEX,
                json -> {
                    json.writeStartObject();
                    json.writeNumberField("generation", served.generation());
                    json.writeNumberField("vertices", served.cost().vertices());
                    json.writeArrayFieldStart("devices");
                    for (Map.Entry<Integer, ServedDevice> entry :
                            served.directory().devices().entrySet()) {
                        if (inquiry.isOn(plane, entry.getKey())) {
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
                inquiry.etag(),
                inquiry.headers());
    }

    private static int found(String field, Parameters asked, @Nullable Integer slot) throws StatusException {
        if (slot == null) {
            throw StatusException.notFound(field, "no device with " + field + " '" + asked.text(field) + "'");
        }
        return slot;
    }

    private static QueryResponse vertex(Inquiry inquiry, int slot) {
        ServedDevice device = inquiry.device(slot);
        return inquiry.document(new VertexDocument(
                slot,
                device.name(),
                device.deviceId(),
                device.shownId(),
                device.nodeName(),
                device.osName(),
                device.port(),
                inquiry.served().generation()));
    }

    private static QueryResponse devices(Inquiry inquiry) throws StatusException {
        List<String> rest = inquiry.rest();
        if (rest.isEmpty()) {
            return distances(inquiry);
        }
        int slot = inquiry.slot("device", rest.getFirst());
        if (rest.size() == 1) {
            return vertex(inquiry, slot);
        }
        return switch (rest.get(1)) {
            case "geometry" -> geometry(inquiry, slot);
            case "switch" -> switchOf(inquiry, slot);
            default ->
                throw StatusException.notFound("path", "a device has geometry and switch, not '" + rest.get(1) + "'");
        };
    }

    /** PMIX_DEVICE_DISTANCES of a node. */
    private static QueryResponse distances(Inquiry inquiry) throws StatusException {
        String node = inquiry.parameters().required("node");
        String plane = inquiry.plane();
        List<DeviceDistances> found = inquiry.served().directory().ofNode(node).stream()
                .filter(e -> inquiry.isOn(plane, e.getKey()))
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
                            + inquiry.served().name());
        }
        return inquiry.document(new DistancesDocument(node, inquiry.served().generation(), found));
    }

    private static QueryResponse geometry(Inquiry inquiry, int slot) throws StatusException {
        return inquiry.document(GeometryAnswer.of(inquiry.served(), slot, inquiry.view()));
    }

    private static QueryResponse switchOf(Inquiry inquiry, int slot) {
        return inquiry.document(PeersAnswer.of(inquiry.served(), slot));
    }

    private static QueryResponse path(Inquiry inquiry) throws StatusException {
        Parameters asked = inquiry.parameters();
        Served served = inquiry.served();
        int from = inquiry.slot("from", asked.required("from"));
        int to = inquiry.slot("to", asked.required("to"));
        return inquiry.document(PathAnswer.of(
                served,
                Objects.requireNonNull(served.device(from)),
                Objects.requireNonNull(served.device(to)),
                Objects.requireNonNull(served.query().path(from, to))));
    }

    /** An answer of the domain, with the generation that it is of. */
    private static QueryResponse withGeneration(Inquiry inquiry, Object answer) {
        ObjectNode document = Json.MAPPER.valueToTree(answer);
        document.put("generation", inquiry.served().generation());
        return inquiry.document(document);
    }

    private static QueryResponse groups(Inquiry inquiry) throws StatusException {
        return inquiry.document(GroupsAnswer.of(inquiry.served(), inquiry.plane()));
    }

    private static QueryResponse switches(Inquiry inquiry) throws StatusException {
        String plane = inquiry.plane();
        View view = inquiry.view();
        Served served = inquiry.served();
        String wanted = inquiry.rest().isEmpty() ? null : inquiry.rest().getFirst();
        List<SwitchEntry> found = new ArrayList<>();
        Map<String, Integer> planeOf = new HashMap<>();
        for (int at = 0; at < served.model().topology().switches(); at++) {
            int number = served.model().classification().planeOfSwitch()[at];
            planeOf.put(served.model().topology().switchId(at), number);
        }
        for (var each : served.parts().switches()) {
            SwitchPlace place = served.model().switchPlace(each.id());
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
            return inquiry.document(new SwitchesDocument(served.generation(), found));
        }
        if (found.isEmpty()) {
            throw StatusException.notFound("switch", "no switch '" + wanted + "' in fabric " + served.name());
        }
        return withGeneration(inquiry, found.getFirst());
    }

    private static List<Integer> values(List<Coordinate> coordinates, View view) {
        return coordinates.stream()
                .filter(c -> c.view() == view)
                .findFirst()
                .map(Coordinate::values)
                .orElse(List.of());
    }

    private static QueryResponse planes(Inquiry inquiry) throws StatusException {
        String wanted = inquiry.plane();
        View view = inquiry.view();
        Served served = inquiry.served();
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
        return inquiry.document(new PlanesDocument(served.generation(), planes));
    }
}
