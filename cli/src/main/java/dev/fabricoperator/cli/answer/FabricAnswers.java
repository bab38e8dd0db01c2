/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.answer;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.crds.answer.BlockAnswer;
import dev.fabricoperator.crds.answer.GeometryAnswer;
import dev.fabricoperator.crds.answer.GroupCostAnswer;
import dev.fabricoperator.crds.answer.GroupsAnswer;
import dev.fabricoperator.crds.answer.NodesCostAnswer;
import dev.fabricoperator.crds.answer.PathAnswer;
import dev.fabricoperator.crds.answer.PeersAnswer;
import dev.fabricoperator.fabric.coordinate.View;
import dev.fabricoperator.fabric.export.SlurmNodeNames;
import dev.fabricoperator.fabric.export.SlurmPlugin;
import dev.fabricoperator.fabric.export.SlurmVersion;
import dev.fabricoperator.fabric.map.MapForm;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Answers about fabrics, whoever gives them: files, the objects of a cluster, or the operator's query API.
 *
 * <p>An ID of a device is looked for in all fabrics. A fabric that is not named is the default one; of hosts, the first one that all of
 * them are on. Every method fails with wrong usage for what is not there or is ambiguous.
 */
public interface FabricAnswers extends AutoCloseable {
    GroupsAnswer groups(@Nullable String fabric) throws Failure, IOException;

    PathBetween path(String from, String to) throws Failure, IOException;

    PeersAnswer peers(String device) throws Failure, IOException;

    /**
     * @param device an ID, or a host for all of its devices
     * @param plane id or name of the only plane that counts; {@code null} for all
     * @return at least one
     */
    List<GeometryAnswer> geometry(String device, View view, @Nullable String plane) throws Failure, IOException;

    PairCost cost(String from, String to) throws Failure, IOException;

    RowCosts row(String from) throws Failure, IOException;

    BlockAnswer block(List<String> rows, List<String> cols) throws Failure, IOException;

    /** Of the best pairs of hosts, each with each. */
    BlockAnswer hosts(@Nullable String fabric, List<String> hosts) throws Failure, IOException;

    NodesCostAnswer nodes(@Nullable String fabric, String from, String to) throws Failure, IOException;

    GroupCostAnswer toGroup(String from, int group) throws Failure, IOException;

    Matrix matrix(@Nullable String fabric) throws Failure, IOException;

    /** @param fabric {@code null} for all */
    List<Findings> findings(@Nullable String fabric) throws Failure, IOException;

    /** Slurm's {@code topology.conf}, or {@code topology.yaml}. */
    String slurm(SlurmRequest request) throws Failure, IOException;

    String map(MapRequest request) throws Failure, IOException;

    @Override
    void close();

    /**
     * @param fabric {@code null} for the default one
     * @param job what the map calls it; {@code null} for a map without one
     * @param ranks of the job by node or host
     * @param isThere whether the job is where the ranks say, wherever its hosts are; otherwise some must be in the fabric
     */
    record MapRequest(
            @Nullable String fabric, MapForm form, @Nullable String job, Map<String, Integer> ranks, boolean isThere) {
        public MapRequest {
            ranks = Collections.unmodifiableMap(new TreeMap<>(ranks));
        }
    }

    /** @param fromDevice name of the first device's object */
    record PathBetween(String fromDevice, String toDevice, PathAnswer path) {}

    /** @param document what is printed as JSON */
    record PairCost(String fromDevice, String toDevice, Document document) {

        /** @param from node GUID, else deviceId */
        @JsonPropertyOrder({"from", "to", "generation", "cost"})
        public record Document(String from, String to, long generation, int cost) {}
    }

    /** @param costs by index */
    @JsonPropertyOrder({"from", "generation", "costs"})
    record RowCosts(String from, long generation, List<Entry> costs) {

        /** @param to node GUID, else deviceId */
        @JsonPropertyOrder({"to", "port", "device", "index", "cost"})
        public record Entry(String to, int port, String device, int index, int cost) {}
    }

    @JsonPropertyOrder({"fabric", "generation", "findings"})
    record Findings(String fabric, long generation, List<FindingStatus> findings) {}

    /**
     * @param fabric {@code null} for the default one
     * @param plane {@code null} for the first
     */
    record SlurmRequest(
            @Nullable String fabric,
            boolean yaml,
            SlurmPlugin plugin,
            @Nullable String plane,
            boolean everySwitch,
            SlurmNodeNames.Form names,
            SlurmVersion version) {}

    /** All costs of a fabric. */
    interface Matrix {
        String fabric();

        int vertices();

        long generation();

        String digest();

        /** Writes unsigned 16 bit, little-endian, row after row. */
        void writeRows(OutputStream out) throws IOException;
    }
}
