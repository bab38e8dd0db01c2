/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench;

import dev.fabricoperator.e2e.bench.BenchFabrics.Tree;
import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.IbnetdiscoverReader;
import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.classify.Classifier;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.cost.CostModel;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.fabric.topology.Vertex;
import java.io.StringReader;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** How long it takes from a dump to a fabric's model, from its topology to its costs, and to one row of them. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class TopologyBenchmark {
    private static final int HOSTS_PER_LEAF = 25;
    private static final int HOSTS_PER_STORAGE_LEAF = 1000;

    /** A dump as text, and as cabling. */
    @State(Scope.Benchmark)
    public static class RecordedFabric {
        @Param({"sim/ft3-k18", "fabric/ib-hdr-selene-storage"})
        String dump = "";

        String text = "";
        Cabling cabling = new Cabling("", List.of(), List.of(), 0, List.of());

        @Setup
        public void read() throws Exception {
            text = BenchFabrics.dump(dump);
            cabling = IbnetdiscoverReader.read(dump, new StringReader(text));
        }
    }

    /** Fat trees made in code: of 2,000 switches (k=40), and of 65,536 devices (k=64). */
    @State(Scope.Benchmark)
    public static class LargeTree {
        @Param({"40", "64"})
        int k;

        Tree tree = new Tree(List.of(), List.of());
        Topology topology = Topology.of(List.of(), List.of());
        CostMatrix cost = CostModel.of(topology);
        short[] row = new short[0];
        int from;

        @Setup
        public void make() {
            tree = BenchFabrics.fatTree(k, k / 2);
            topology = Topology.of(tree.switches(), tree.vertices());
            cost = CostModel.of(topology);
            row = new short[cost.vertices()];
        }
    }

    /** Trees of 5,000 (k=20) and 20,000 (k=40) hosts, with and without storage on the same fabric. */
    @State(Scope.Benchmark)
    public static class Recognized {
        @Param({"20", "40"})
        int k;

        /** One adapter for each host; two which are for computing, as people say; two of which one shows as one of storage. */
        @Param({"one", "two", "storage"})
        String adapters = "";

        Topology topology = Topology.of(List.of(), List.of());

        @Setup
        public void make() {
            Tree tree = adapters.equals("one")
                    ? BenchFabrics.fatTree(k, HOSTS_PER_LEAF)
                    : BenchFabrics.fatTreeWithStorage(
                            k,
                            HOSTS_PER_LEAF,
                            HOSTS_PER_STORAGE_LEAF,
                            adapters.equals("two") ? Vertex.Use.Compute : Vertex.Use.Unsaid);
            topology = Topology.of(tree.switches(), tree.vertices());
        }
    }

    @Benchmark
    public Classification recognition(Recognized recognized) {
        return Classifier.classify(recognized.topology);
    }

    @Benchmark
    public List<OfflineFabric> dumpToModel(RecordedFabric recorded) throws Exception {
        return OfflineFabrics.of(IbnetdiscoverReader.read(recorded.dump, new StringReader(recorded.text)));
    }

    @Benchmark
    public List<OfflineFabric> cablingToModel(RecordedFabric recorded) {
        return OfflineFabrics.of(recorded.cabling);
    }

    @Benchmark
    public FabricModel largeModel(LargeTree large) {
        return FabricModel.of(large.tree.switches(), large.tree.vertices());
    }

    @Benchmark
    public CostMatrix largeCost(LargeTree large) {
        return CostModel.of(large.topology);
    }

    @Benchmark
    public short[] largeRow(LargeTree large) {
        large.from = (large.from + 4099) % large.cost.vertices();
        large.cost.row(large.from, large.row);
        return large.row;
    }
}
