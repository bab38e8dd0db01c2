/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.answer;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.mapping.FabricMapper;
import dev.fabricoperator.crds.mapping.ObjectNames;
import dev.fabricoperator.crds.mapping.SwitchMapper;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.export.SlurmOptions;
import dev.fabricoperator.fabric.export.SlurmPlugin;
import dev.fabricoperator.fabric.export.SlurmWriter;
import dev.fabricoperator.operator.server.query.http.Format;
import dev.fabricoperator.operator.server.query.http.Json;
import dev.fabricoperator.operator.server.query.http.QueryResponse;
import dev.fabricoperator.operator.server.query.http.StatusException;
import dev.fabricoperator.operator.server.query.served.Served;
import dev.fabricoperator.operator.server.query.served.ServedDevice;
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
final class TopologyAnswers {
    private static final Set<Format> FORMATS = Set.of(Format.json, Format.slurm, Format.yaml);
    private static final int SLURM_BYTES_OF_A_SWITCH = 40;
    private static final int SLURM_BYTES_OF_A_DEVICE = 8;
    private static final int JSON_BYTES_OF_A_SWITCH = 8_000;
    private static final int JSON_BYTES_OF_A_DEVICE = 700;
    private static final ObjectMapper OBJECTS =
            Json.MAPPER.copy().setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL);

    private TopologyAnswers() {}

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
                        "For Slurm's tree: true for all switches rather than those with hosts and one above each subtree."),
                FORMATS,
                List.of("get"),
                TopologyAnswers::topology);
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

    private static QueryResponse topology(Inquiry inquiry) throws StatusException {
        Format format = inquiry.question().format(FORMATS);
        Served served = inquiry.served();
        String plane = inquiry.plane();
        if (format != Format.json) {
            return slurm(inquiry, format, plane);
        }
        refuseForJson(inquiry, "plugin");
        refuseForJson(inquiry, "everySwitch");
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
                    write(inquiry, plane, json);
                    json.writeEndArray();
                    json.writeEndObject();
                },
                inquiry.etag(),
                inquiry.headers());
    }

    private static void refuseForJson(Inquiry inquiry, String parameter) throws StatusException {
        if (inquiry.parameters().has(parameter)) {
            throw StatusException.badParam(parameter, "'" + parameter + "' goes with format=slurm and format=yaml");
        }
    }

    private static QueryResponse slurm(Inquiry inquiry, Format format, @Nullable String plane) throws StatusException {
        Served served = inquiry.served();
        String plugin = inquiry.parameters().text("plugin");
        SlurmPlugin read = SlurmPlugin.tree;
        if (plugin != null && !plugin.equals(SlurmPlugin.tree.name())) {
            if (!plugin.equals(SlurmPlugin.block.name())) {
                throw StatusException.badParam("plugin", "'plugin' is tree or block, not '" + plugin + "'");
            }
            read = SlurmPlugin.block;
        }
        boolean everySwitch = inquiry.parameters().isTrue("everySwitch");
        SlurmOptions options = new SlurmOptions(served.name(), read, plane, everySwitch);
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
                inquiry.etag() + "-" + format + "-" + read + (everySwitch ? "-every" : ""),
                inquiry.headers());
    }

    private static void write(Inquiry inquiry, @Nullable String plane, JsonGenerator json) throws IOException {
        Served served = inquiry.served();
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
            if (inquiry.isOn(plane, entry.getKey())) {
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
