/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.formats.export.SlurmNodeNames;
import dev.fabricoperator.formats.export.SlurmOptions;
import dev.fabricoperator.formats.export.SlurmPlugin;
import dev.fabricoperator.formats.export.SlurmVersion;
import dev.fabricoperator.formats.export.SlurmWriter;
import dev.fabricoperator.operator.server.query.http.Format;
import dev.fabricoperator.operator.server.query.http.Json;
import dev.fabricoperator.operator.server.query.http.QueryResponse;
import dev.fabricoperator.operator.server.query.http.StatusException;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.view.mapping.FabricMapper;
import dev.fabricoperator.view.mapping.FabricMember;
import dev.fabricoperator.view.mapping.ObjectNames;
import dev.fabricoperator.view.mapping.SwitchMapper;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code topology}: the fabric as a List of its objects, or in the words of Slurm. */
final class TopologyResource {
    private static final Set<Format> FORMATS = Set.of(Format.json, Format.slurm, Format.yaml);
    private static final int SLURM_BYTES_OF_A_SWITCH = 40;
    private static final int SLURM_BYTES_OF_A_DEVICE = 8;
    private static final int JSON_BYTES_OF_A_SWITCH = 8_000;
    private static final int JSON_BYTES_OF_A_DEVICE = 700;
    private static final ObjectMapper OBJECTS =
            Json.MAPPER.copy().setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL);

    private TopologyResource() {}

    static Resource resource() {
        return new Resource(
                "topology",
                "Fabric, switches and devices with their places, as a List of objects; or topology.conf or topology.yaml"
                        + " for Slurm.",
                List.of("topology"),
                Map.of(
                        "plugin",
                        "Of Slurm: tree (default) or block.",
                        "everySwitch",
                        "For Slurm's tree: true for all switches rather than those with hosts and one above each subtree.",
                        "switchNames",
                        "For Slurm: true for switches by the names that people gave them; default by their GUIDs.",
                        "names",
                        "Of Slurm's nodes: full (default), short without domains, or node for those of Kubernetes Nodes.",
                        "slurmVersion",
                        "The oldest Slurm that is to read it, such as 24.11; default is what every version reads."),
                FORMATS,
                List.of("get"),
                TopologyResource::topology);
    }

    private record Metadata(String name) {}

    private record Item(
            String apiVersion,
            String kind,
            Metadata metadata,
            Object spec,
            @Nullable Object status) {
        Item(String kind, String name, Object spec, @Nullable Object status) {
            this(FabricApi.API_VERSION, kind, new Metadata(name), spec, status);
        }
    }

    private static QueryResponse topology(ResourceRequest request) throws StatusException {
        Format format = request.request().format(FORMATS);
        ServedFabric served = request.served();
        String plane = request.plane();
        if (format != Format.json) {
            return slurm(request, format, plane);
        }
        refuseForJson(request, "plugin");
        refuseForJson(request, "everySwitch");
        refuseForJson(request, "switchNames");
        refuseForJson(request, "names");
        refuseForJson(request, "slurmVersion");
        return QueryResponse.Written.json(
                (long) served.parts().switches().size() * JSON_BYTES_OF_A_SWITCH
                        + (long) served.directory().devices().size() * JSON_BYTES_OF_A_DEVICE,
                json -> {
                    json.setCodec(OBJECTS);
                    json.writeStartObject();
                    json.writeStringField("apiVersion", "v1");
                    json.writeStringField("kind", "List");
                    json.writeNumberField("generation", served.generation());
                    json.writeArrayFieldStart("items");
                    write(request, plane, json);
                    json.writeEndArray();
                    json.writeEndObject();
                },
                request.etag(),
                request.headers());
    }

    private static void refuseForJson(ResourceRequest request, String parameter) throws StatusException {
        if (request.parameters().has(parameter)) {
            throw StatusException.badParam(parameter, "'" + parameter + "' goes with format=slurm and format=yaml");
        }
    }

    private static QueryResponse slurm(ResourceRequest request, Format format, @Nullable String plane)
            throws StatusException {
        ServedFabric served = request.served();
        String plugin = request.parameters().text("plugin");
        SlurmPlugin read = SlurmPlugin.tree;
        if (plugin != null && !plugin.equals(SlurmPlugin.tree.name())) {
            if (!plugin.equals(SlurmPlugin.block.name())) {
                throw StatusException.badParam("plugin", "'plugin' is tree or block, not '" + plugin + "'");
            }
            read = SlurmPlugin.block;
        }
        boolean everySwitch = request.parameters().isTrue("everySwitch");
        boolean switchNames = request.parameters().isTrue("switchNames");
        SlurmNodeNames names = names(request, served);
        SlurmVersion version = version(request);
        SlurmOptions options = new SlurmOptions(served.name(), read, plane, everySwitch, names, version, switchNames);
        if (format == Format.slurm && SlurmWriter.isFlat(new SlurmWriter.NamedTopology(served.model(), options))) {
            throw StatusException.notFound(
                    "format",
                    "fabric " + served.name()
                            + " has no switch to tell of, and slurmctld ends on a topology.conf without"
                            + " one: leave the file out; format=yaml can say it");
        }
        return new QueryResponse.Written(
                format.mediaType(),
                (long) served.parts().switches().size() * SLURM_BYTES_OF_A_SWITCH
                        + (long) served.directory().devices().size() * SLURM_BYTES_OF_A_DEVICE,
                out -> {
                    Writer text = new OutputStreamWriter(out, StandardCharsets.UTF_8);
                    if (format == Format.slurm) {
                        SlurmWriter.conf(served.model(), options, text);
                    } else {
                        SlurmWriter.yaml(served.model(), options, text);
                    }
                    text.flush();
                },
                request.etag() + "-" + format + "-" + read + (everySwitch ? "-every" : "")
                        + (switchNames ? "-named" : "") + "-" + names.form() + "-" + version,
                request.headers());
    }

    private static SlurmNodeNames names(ResourceRequest request, ServedFabric served) throws StatusException {
        String asked = request.parameters().text("names");
        for (SlurmNodeNames.Form form : SlurmNodeNames.Form.values()) {
            if (asked == null || asked.equals(form.toString())) {
                return new SlurmNodeNames(
                        form,
                        form == SlurmNodeNames.Form.NODE
                                ? FabricMember.nodesByHost(
                                        served.directory().devices().values())
                                : Map.of());
            }
        }
        throw StatusException.badParam("names", "'names' is full, short or node, not '" + asked + "'");
    }

    private static SlurmVersion version(ResourceRequest request) throws StatusException {
        String asked = request.parameters().text("slurmVersion");
        try {
            return asked == null ? SlurmVersion.OLDEST : SlurmVersion.parse(asked);
        } catch (IllegalArgumentException e) {
            throw StatusException.badParam("slurmVersion", Objects.requireNonNull(e.getMessage()));
        }
    }

    private static void write(ResourceRequest request, @Nullable String plane, JsonGenerator json) throws IOException {
        ServedFabric served = request.served();
        FabricMapper mapper = served.mapper();
        json.writePOJO(new Item(
                "Fabric",
                served.name(),
                served.facts().spec(),
                Objects.requireNonNull(served.facts().status())));
        for (Switch each : served.parts().switches()) {
            var status = mapper.fabricSwitch(each.id());
            json.writePOJO(new Item(
                    "FabricSwitch",
                    ObjectNames.fabricSwitch(each.source(), each.id()),
                    SwitchMapper.toSpec(each),
                    status == null ? null : status.build()));
        }
        for (Map.Entry<Integer, ServedDevice> entry :
                served.directory().devices().entrySet()) {
            if (request.isOn(plane, entry.getKey())) {
                ServedDevice device = entry.getValue();
                json.writePOJO(new Item(
                        "FabricDevice",
                        device.name(),
                        FabricDeviceSpecBuilder.builder()
                                .nodeName(device.nodeName())
                                .hostname(device.hostname())
                                .osName(device.osName())
                                .port(device.port())
                                .deviceId(device.deviceId())
                                .type(device.type())
                                .family(device.family())
                                .nodeGuid(device.nodeGuid())
                                .portGuid(device.portGuid())
                                .numaNode(device.numaNode())
                                .distances(device.distances())
                                .build(),
                        mapper.device(entry.getKey()).build()));
            }
        }
    }
}
