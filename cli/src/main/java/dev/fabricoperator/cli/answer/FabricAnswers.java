/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.answer;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.formats.export.SlurmNodeNames;
import dev.fabricoperator.formats.export.SlurmPlugin;
import dev.fabricoperator.formats.export.SlurmVersion;
import dev.fabricoperator.formats.map.MapForm;
import dev.fabricoperator.formats.map.MapTraffic;
import dev.fabricoperator.view.question.Question;
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
 * <p>An ID is a device's; or stands for several: a host, a switch or a port of one, a list of these. It is looked for in all fabrics. A fabric that is not named is the default one; of hosts, the first one that all of
 * them are on. Every method fails with wrong usage for what is not there or is ambiguous.
 */
public interface FabricAnswers extends AutoCloseable {
    <A> A ask(Question<A> question) throws Failure, IOException;

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
     * @param traffic of the job, by name of the Fabric; {@code null} for a map without
     */
    record MapRequest(
            @Nullable String fabric,
            MapForm form,
            @Nullable String job,
            Map<String, Integer> ranks,
            boolean isThere,
            @Nullable Map<String, MapTraffic> traffic) {
        public MapRequest {
            ranks = Collections.unmodifiableMap(new TreeMap<>(ranks));
        }
    }

    /**
     * @param devices of agents, or of a dump
     * @param hosts that hold devices, as far as they are known
     * @param unresolved what kind and groups do not tell, in sentences
     * @param exemptHosts how many hosts of it are not meant to have as many devices as others; {@code null} where none are named
     */
    @JsonPropertyOrder({
        "fabric",
        "generation",
        "kind",
        "switches",
        "devices",
        "hosts",
        "exemptHosts",
        "unresolved",
        "findings"
    })
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Findings(
            String fabric,
            long generation,
            @Nullable String kind,
            int switches,
            int devices,
            int hosts,
            List<FindingStatus> findings,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> unresolved,
            @Nullable Integer exemptHosts) {}

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
            SlurmVersion version,
            boolean switchNames) {}

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
