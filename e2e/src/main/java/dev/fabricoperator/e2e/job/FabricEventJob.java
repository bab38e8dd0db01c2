/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import dev.fabricoperator.e2e.node.NodeFabrics;
import dev.fabricoperator.e2e.node.RealCluster;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

/** A job with the cards of all nodes whose ranks say when events of the fabric reach their handlers. */
public final class FabricEventJob {
    private static final Pattern TOLD =
            Pattern.compile("told rank=(\\d+) event=(\\S+) index=(-?\\d+) routes=([01]) ns=(\\d+)");

    private final int ranks;
    private final Duration limit;
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final CompletableFuture<Integer> code;

    /**
     * An event in one rank's handler.
     *
     * @param name of the status, as {@code PMIx_Error_string} has it
     * @param index PMIX_FABRIC_INDEX of the event
     * @param routesChanged whether it says that packets take another way
     */
    public record Told(int rank, String name, long index, boolean routesChanged, Instant when) {
        public boolean isUpdate() {
            return name.equals("PMIX_FABRIC_UPDATED");
        }
    }

    /** @param updates after how many a rank ends */
    public FabricEventJob(RealCluster cluster, int ranksPerPod, int updates, Duration limit) {
        int pods = cluster.nodes().size();
        this.ranks = pods * ranksPerPod;
        this.limit = limit;
        DirectJob job = new DirectJob(
                cluster.admin(),
                new DirectJob.Wanted(
                        ProofImages.PLAIN,
                        List.of("fabric-events", Integer.toString(updates)),
                        pods,
                        ranksPerPod,
                        List.of(),
                        null,
                        null,
                        false),
                made -> NodeFabrics.withCards(DirectJob.spread(made)));
        PrintStream printed = new PrintStream(output, true, StandardCharsets.UTF_8);
        code = CompletableFuture.supplyAsync(
                () -> job.run(limit, printed), command -> Thread.ofVirtual().start(command));
    }

    public void awaitReady() throws InterruptedException {
        await(() -> lines("ready rank=") == ranks, "ready");
    }

    /** The events so far, when each rank has had as many updates. */
    public List<Told> awaitUpdates(int updates) throws InterruptedException {
        await(() -> told().stream().filter(Told::isUpdate).count() >= (long) ranks * updates, "told");
        return told();
    }

    /** Code of the job's end, as {@link DirectJob#run}. */
    public int await() {
        return code.join();
    }

    private List<Told> told() {
        return TOLD.matcher(output())
                .results()
                .map(found -> new Told(
                        Integer.parseInt(found.group(1)),
                        found.group(2),
                        Long.parseLong(found.group(3)),
                        found.group(4).equals("1"),
                        Instant.ofEpochSecond(0, Long.parseLong(found.group(5)))))
                .toList();
    }

    private long lines(String prefix) {
        return output().lines().filter(line -> line.startsWith(prefix)).count();
    }

    private String output() {
        return output.toString(StandardCharsets.UTF_8);
    }

    private void await(BooleanSupplier condition, String what) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (code.isDone() || System.nanoTime() > deadline) {
                throw new IllegalStateException("not all ranks are " + what + ": " + output());
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }
}
