/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench;

import dev.fabricoperator.e2e.bench.BenchFabrics.Tree;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.model.FabricModel;
import java.io.PrintStream;
import java.util.Collection;
import java.util.Locale;
import java.util.TreeMap;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs the benchmarks of topology and prints one table; {@code e2e/bench/topology.sh} starts it. */
public final class TopologyReport {
    private TopologyReport() {}

    public static void main(String[] args) throws Exception {
        String fixtures = System.getProperty("fixtures", "fixtures");
        Options options = new OptionsBuilder()
                .include(TopologyBenchmark.class.getName())
                .jvmArgsAppend(
                        "--sun-misc-unsafe-memory-access=allow", "-Dfixtures=" + fixtures, "-Xmx2g", "-XX:+UseSerialGC")
                .verbosity(VerboseMode.SILENT)
                .build();
        print(new Runner(options).run(), System.out);
        printMemory(BenchFabrics.fatTree(64, 32), System.out);
    }

    private static void print(Collection<RunResult> results, PrintStream out) {
        TreeMap<String, String> rows = new TreeMap<>();
        for (RunResult result : results) {
            String benchmark = result.getParams().getBenchmark();
            StringBuilder what = new StringBuilder(benchmark.substring(benchmark.lastIndexOf('.') + 1));
            for (String key : result.getParams().getParamsKeys()) {
                what.append(' ')
                        .append(key)
                        .append('=')
                        .append(result.getParams().getParam(key));
            }
            double mean = result.getPrimaryResult().getScore();
            double error = result.getPrimaryResult().getStatistics().getStandardDeviation();
            rows.put(what.toString(), String.format(Locale.ROOT, "%10.3f ms  +- %.3f", mean, error));
        }
        rows.forEach((what, time) -> out.printf(Locale.ROOT, "%-52s %s%n", what, time));
    }

    private static void printMemory(Tree tree, PrintStream out) {
        FabricModel model = FabricModel.of(tree.switches(), tree.vertices());
        CostMatrix cost = model.cost();
        long dense = 2L * cost.vertices() * cost.vertices();
        out.printf(
                Locale.ROOT,
                "matrix of %,d vertices (%s, %,d switches)%n  kept  %,15d bytes%n  dense %,15d bytes, %.0f times as much%n",
                cost.vertices(),
                model.defaultShape().string(),
                model.switches(),
                cost.bytes(),
                dense,
                (double) dense / cost.bytes());
    }
}
