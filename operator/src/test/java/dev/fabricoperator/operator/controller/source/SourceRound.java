/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.TextsBeside;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.operator.cluster.UploadPart;
import dev.fabricoperator.operator.model.SourceProblem;
import dev.fabricoperator.operator.model.SourceState;
import dev.fabricoperator.view.mapping.SwitchMapper;
import io.fabric8.kubernetes.api.model.ConfigMap;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one look at uploads comes to, without an API server.
 *
 * @param believed what each source that could be read and is believed makes its objects
 */
public record SourceRound(List<SourceState> states, Map<String, List<FabricSwitch>> believed) {
    /** @param stores what the sources said before */
    public static SourceRound of(List<ConfigMap> maps, FactStores stores) {
        Map<String, ConfigMap> byName = new TreeMap<>();
        Map<String, List<UploadPart>> uploads = new TreeMap<>();
        for (ConfigMap map : maps) {
            byName.put(map.getMetadata().getName(), map);
            UploadPart part = UploadPart.of(map);
            uploads.computeIfAbsent(part.upload(), u -> new ArrayList<>()).add(part);
        }
        List<SourceState> states = new ArrayList<>();
        Map<String, List<FabricSwitch>> believed = new TreeMap<>();
        LossWatch losses = new LossWatch();
        uploads.forEach((name, parts) -> {
            switch (UploadPlan.of(name, parts, SourceType.ibnetdiscover)) {
                case UploadPlan.Faulty faulty -> states.add(state(name, faulty.problem()));
                case UploadPlan.Several several -> throw new IllegalArgumentException("not played here: " + several);
                case UploadPlan.Whole whole -> {
                    try {
                        Cabling cabling = SourceText.read(
                                SourceType.ibnetdiscover,
                                whole.file(),
                                new ByteArrayInputStream(bytes(whole, byName)),
                                whole.digest(),
                                TextsBeside.NONE);
                        Reading.Success good = new Reading.Success(
                                SourceType.ibnetdiscover, whole.file(), cabling, Reading.Evidence.Record);
                        SourceProblem loss = losses.decide(name, good, switchesOf(name, stores), stores, false);
                        if (loss == null) {
                            believed.put(
                                    name,
                                    cabling.switches().stream()
                                            .map(said -> SwitchMapper.toObject(name, "ibnetdiscover", said))
                                            .toList());
                        }
                        states.add(state(name, loss, TopologySources.warnings(good)));
                    } catch (BadInputException | IOException e) {
                        states.add(state(name, SourceText.problem(whole.file(), e)));
                    }
                }
            }
        });
        return new SourceRound(states, believed);
    }

    private static List<Switch> switchesOf(String name, FactStores stores) {
        return stores.switches().facts().stream()
                .filter(facts -> facts.source().equals(name))
                .map(SwitchFacts::cabling)
                .toList();
    }

    private static SourceState state(String name, @Nullable SourceProblem problem) {
        return state(name, problem, List.of());
    }

    private static SourceState state(String name, @Nullable SourceProblem problem, List<String> warnings) {
        return new SourceState(
                name,
                "ibnetdiscover",
                problem == null,
                problem,
                null,
                warnings,
                null,
                null,
                null,
                null,
                null,
                List.of());
    }

    private static byte[] bytes(UploadPlan.Whole whole, Map<String, ConfigMap> maps) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (UploadPlan.Slice slice : whole.slices()) {
            ConfigMap map = maps.get(slice.configMap());
            if (map == null) {
                throw new IllegalStateException(slice + " names no ConfigMap");
            }
            String value = slice.binary()
                    ? map.getBinaryData().get(slice.key())
                    : map.getData().get(slice.key());
            if (value == null) {
                throw new IllegalStateException(slice + " names no key");
            }
            bytes.writeBytes(
                    slice.binary() ? Base64.getDecoder().decode(value) : value.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }
}
