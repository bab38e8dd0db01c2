/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.answer;

import dev.fabricoperator.cli.input.FabricSet;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.FoundDevice;
import dev.fabricoperator.cli.input.FoundFabric;
import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.model.Plane;
import dev.fabricoperator.formats.export.SlurmNodeNames;
import dev.fabricoperator.formats.export.SlurmOptions;
import dev.fabricoperator.formats.export.SlurmWriter;
import dev.fabricoperator.formats.map.FabricMap;
import dev.fabricoperator.formats.map.JobRanks;
import dev.fabricoperator.formats.map.MapTraffic;
import dev.fabricoperator.formats.map.RanksByHost;
import dev.fabricoperator.formats.map.Remark;
import dev.fabricoperator.view.question.Devices;
import dev.fabricoperator.view.question.Question;
import dev.fabricoperator.view.question.UnansweredException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Computes every answer from fabrics that have been read as a whole. */
public final class LocalAnswers implements FabricAnswers {
    private final FabricSet found;
    private @Nullable Devices asked;

    public LocalAnswers(FabricSet found) {
        this.found = found;
    }

    @Override
    public <A> A ask(Question<A> question) throws Failure {
        Devices devices = Objects.requireNonNullElseGet(asked, found::asked);
        asked = devices;
        try {
            return question.answer(devices);
        } catch (UnansweredException e) {
            throw Failure.wrongUsage(e.getMessage());
        }
    }

    @Override
    public Matrix matrix(@Nullable String fabric) throws Failure {
        return new LocalMatrix(found.choose(fabric));
    }

    private record LocalMatrix(FoundFabric of) implements Matrix {
        private CostMatrix costs() {
            return of.model().cost();
        }

        @Override
        public String fabric() {
            return of.name();
        }

        @Override
        public int vertices() {
            return costs().vertices();
        }

        @Override
        public long generation() {
            return of.generation();
        }

        @Override
        public String digest() {
            return costs().digest();
        }

        @Override
        public void writeRows(OutputStream out) throws IOException {
            short[] row = new short[vertices()];
            ByteBuffer bytes = ByteBuffer.allocate(2 * row.length).order(ByteOrder.LITTLE_ENDIAN);
            for (int from = 0; from < row.length; from++) {
                costs().row(from, row);
                bytes.asShortBuffer().put(row);
                out.write(bytes.array());
            }
        }
    }

    @Override
    public List<Findings> findings(@Nullable String fabric) throws Failure {
        List<FoundFabric> asked = fabric == null ? found.fabrics() : List.of(found.choose(fabric));
        return asked.stream()
                .map(one -> new Findings(
                        one.name(),
                        one.generation(),
                        one.model().kind().name(),
                        one.model().switches(),
                        one.model().devices(),
                        one.model().hosts(),
                        one.findings(),
                        one.model().unresolved(),
                        one.model().exemptHosts()))
                .toList();
    }

    @Override
    public String slurm(SlurmRequest request) throws Failure, IOException {
        FoundFabric one = found.choose(request.fabric());
        List<String> planes = one.model().planes().stream().map(Plane::id).toList();
        if (request.plane() != null && !planes.contains(request.plane())) {
            throw Failure.wrongUsage("no plane '" + request.plane() + "' in fabric " + one.name() + "; there is "
                    + String.join(", ", planes));
        }
        SlurmOptions options = new SlurmOptions(
                one.name(),
                request.plugin(),
                request.plane(),
                request.everySwitch(),
                new SlurmNodeNames(request.names(), nodeOfHost(one)),
                request.version(),
                request.switchNames());
        if (!request.yaml() && SlurmWriter.isFlat(new SlurmWriter.NamedTopology(one.model(), options))) {
            throw Failure.wrongUsage(
                    "fabric " + one.name() + " has no switch to tell of, and slurmctld ends on a topology.conf"
                            + " without one: leave the file out;"
                            + " --format yaml can say it");
        }
        StringBuilder text = new StringBuilder();
        if (request.yaml()) {
            SlurmWriter.yaml(one.model(), options, text);
        } else {
            SlurmWriter.conf(one.model(), options, text);
        }
        return text.toString();
    }

    private Map<String, String> nodeOfHost(FoundFabric one) {
        Map<String, String> nodes = new HashMap<>();
        for (FoundDevice device : found.devicesOf(one)) {
            String node = device.spec().nodeName();
            if (node != null) {
                nodes.putIfAbsent(device.hostname(), node);
            }
        }
        return nodes;
    }

    @Override
    public String map(MapRequest request) throws Failure {
        FoundFabric one = found.choose(request.fabric());
        JobRanks job = job(request, one);
        if (job != null
                && !request.isThere()
                && job.hosts().stream().allMatch(host -> host.slots().isEmpty())) {
            throw Failure.wrongUsage("fabric " + one.name() + " has none of the hosts '"
                    + HostList.compress(request.ranks().keySet()) + "'; 'kubectl fabric groups' lists its hosts");
        }
        List<Remark> remarks = one.findings().stream()
                .map(finding -> new Remark(
                        finding.type(),
                        Objects.requireNonNullElse(finding.object(), ""),
                        finding.message(),
                        finding.switches()))
                .toList();
        MapTraffic traffic = request.traffic() == null
                ? null
                : request.traffic().getOrDefault(one.name(), new MapTraffic(List.of(), Map.of()));
        return request.form().write(FabricMap.of(one.name(), one.model(), one.switches(), remarks, job, traffic));
    }

    /** A node is found by its own name, a host of a file by its hostname. */
    private @Nullable JobRanks job(MapRequest request, FoundFabric one) {
        if (request.job() == null) {
            return null;
        }
        Map<String, List<Integer>> slots = new HashMap<>();
        for (FoundDevice device : found.devicesOf(one)) {
            String node = device.spec().nodeName();
            slots.computeIfAbsent(node == null ? device.hostname() : node, n -> new ArrayList<>())
                    .add(device.slot());
        }
        return RanksByHost.of(request.job(), request.ranks(), host -> slots.getOrDefault(host, List.of()));
    }

    @Override
    public void close() {
        // Everything has been read.
    }
}
