/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.objects;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricSwitchSpec;
import dev.fabricoperator.crds.SwitchPortSpec;
import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.AdapterPort;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.NodeType;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.view.mapping.SwitchMapper;
import dev.fabricoperator.view.mapping.SwitchMerge;
import dev.fabricoperator.view.mapping.SwitchStatement;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/** FabricSwitch objects in YAML or JSON: one, several documents, or a List, as {@code kubectl get -o yaml} prints it. */
public final class FabricSwitchFile {
    public static final String SOURCE = "fabricswitches";
    private static final String KIND = "FabricSwitch";
    private static final int MOST_CHARACTERS = 1 << 30;

    private FabricSwitchFile() {}

    /**
     * Objects of other kinds are passed over; a peer that is no switch is an adapter.
     *
     * @throws BadInputException if it is no YAML, or holds no FabricSwitch, or one that cannot be
     */
    public static Cabling read(String file, Reader text) throws IOException, BadInputException {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(MOST_CHARACTERS);
        ObjectMapper mapper =
                new ObjectMapper(YAMLFactory.builder().loaderOptions(options).build());
        List<SwitchStatement> statements = new ArrayList<>();
        try (MappingIterator<JsonNode> documents =
                mapper.readerFor(JsonNode.class).readValues(text)) {
            while (documents.hasNextValue()) {
                JsonNode document = documents.nextValue();
                if (document.path("items").isArray()) {
                    for (JsonNode item : document.path("items")) {
                        add(mapper, file, item, statements);
                    }
                } else {
                    add(mapper, file, document, statements);
                }
            }
        } catch (JsonProcessingException e) {
            throw unreadable(file, e);
        }
        if (statements.isEmpty()) {
            throw new BadInputException(file, 1, "no object of kind " + KIND + " in it");
        }
        SwitchMerge<SwitchStatement> merge = SwitchMerge.merge(statements);
        List<Problem> problems = merge.contradictions().stream()
                .map(contradiction -> new Problem(null, contradiction.text()))
                .toList();
        return new Cabling(SOURCE, List.copyOf(merge.switches().values()), adapters(merge.switches()), 0, problems);
    }

    /** The parser's own message has several lines, and the place of the token before. */
    private static BadInputException unreadable(String file, JsonProcessingException e) {
        if (e.getCause() instanceof MarkedYAMLException yaml && yaml.getProblemMark() != null) {
            return new BadInputException(
                    file, yaml.getProblemMark().getLine() + 1, "this is no YAML: " + yaml.getProblem());
        }
        JsonLocation at = e.getLocation();
        String message = e.getOriginalMessage().lines().findFirst().orElse("");
        return new BadInputException(file, at == null ? 1 : Math.max(at.getLineNr(), 1), message);
    }

    private static void add(ObjectMapper mapper, String file, JsonNode object, List<SwitchStatement> statements)
            throws JsonProcessingException, BadInputException {
        if (!object.path("kind").asText().equals(KIND)) {
            return;
        }
        JsonNode metadata = object.path("metadata");
        String name = metadata.path("name").asText();
        FabricSwitchSpec spec = mapper.treeToValue(object.path("spec"), FabricSwitchSpec.class);
        String missing = spec == null ? "spec" : missing(spec);
        if (missing != null) {
            throw new BadInputException(file, 1, KIND + " '" + name + "': " + missing + " is missing");
        }
        statements.add(new SwitchStatement.WholeObject(
                name,
                metadata.path("labels").path(FabricApi.LABEL_SOURCE).asText(),
                metadata.path("annotations").path(FabricApi.ANNOTATION_ORIGIN).asText(null),
                SwitchMapper.toSwitch(Objects.requireNonNull(spec)),
                null,
                null));
    }

    /** What the schema would ask for, had the object come from a cluster; {@code null} for nothing. */
    private static @Nullable String missing(FabricSwitchSpec spec) {
        if (spec.id() == null || spec.id().isEmpty()) {
            return "spec.id";
        }
        for (int i = 0; i < spec.ports().size(); i++) {
            SwitchPortSpec port = spec.ports().get(i);
            String field = "spec.ports[" + i + "]";
            if (port == null || port.number() == null) {
                return field + ".number";
            }
            if (port.peer() != null
                    && (port.peer().id() == null || port.peer().id().isEmpty())) {
                return field + ".peer.id";
            }
            if (port.peer() != null && port.peer().port() == null) {
                return field + ".peer.port";
            }
        }
        return null;
    }

    private static List<Adapter> adapters(Map<String, Switch> switches) {
        Map<String, Map<Integer, AdapterPort>> portsOf = new TreeMap<>();
        Map<String, SwitchPort> saysOf = new HashMap<>();
        for (Switch node : switches.values()) {
            for (SwitchPort port : node.ports()) {
                PortPeer peer = port.peer();
                if (peer != null && port.peerType() != NodeType.Switch && !switches.containsKey(peer.id())) {
                    saysOf.put(peer.id(), port);
                    portsOf.computeIfAbsent(peer.id(), id -> new TreeMap<>())
                            .put(
                                    peer.port(),
                                    new AdapterPort(
                                            peer.port(),
                                            null,
                                            null,
                                            port.speedBitsPerSecond(),
                                            port.width(),
                                            new PortPeer(node.id(), port.number())));
                }
            }
        }
        List<Adapter> adapters = new ArrayList<>();
        portsOf.forEach((id, ports) -> {
            SwitchPort says = saysOf.get(id);
            adapters.add(new Adapter(
                    id,
                    says == null ? null : says.peerHost(),
                    says == null ? null : says.peerOsName(),
                    null,
                    null,
                    null,
                    null,
                    List.copyOf(ports.values())));
        });
        return adapters;
    }
}
