/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import dev.fabricoperator.protocol.job.FabricDifference;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;

/** The first pod of a played job: asks for news of the fabric as pmixd does, of another replica where one does not answer, and keeps what ranks would be told. */
final class PlayedFirstPod implements AutoCloseable {
    private static final long PAUSE_MILLIS = 200;

    private final List<PodSide> replicas;
    private final CopyOnWriteArrayList<Told> told = new CopyOnWriteArrayList<>();
    private final Thread thread;
    private JobMap current;
    private JobFabricUpdate.Impaired impaired = new JobFabricUpdate.Impaired(List.of());
    private boolean pending;
    private int replica;
    private volatile Instant answered = Instant.EPOCH;
    private volatile boolean ends;

    /** @param event updated; impaired or restored with pod and device, and what is said of it */
    record Told(Instant when, String event) {}

    /**
     * @param replicas the pod at each of the servers
     * @param map as it was told when it joined
     */
    PlayedFirstPod(List<PodSide> replicas, JobMap map) {
        this.replicas = replicas;
        this.current = map;
        thread = Thread.ofVirtual().name("first-pod").start(this::ask);
    }

    private void ask() {
        while (!ends) {
            PodSide side = replicas.get(replica % replicas.size());
            try {
                take(side, side.watchNews(current, pending, impaired).join());
                continue;
            } catch (CompletionException | IllegalStateException e) {
                // Of a server that ends, or is not ready.
                replica++;
            }
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void take(PodSide side, HttpResponse<byte[]> answer) {
        int status = answer.statusCode();
        if (status == 202) {
            side.tellMap(current).join();
        } else if (status != 204) {
            take(PodSide.update(answer));
        }
        answered = Instant.now();
    }

    private void take(JobFabricUpdate news) {
        pending = news instanceof JobFabricUpdate.Pending || pending && !(news instanceof JobFabricUpdate.Updated);
        switch (news) {
            case JobFabricUpdate.Updated(JobMap next, byte[] encoded) -> {
                JobMap named = next.named(current.nspace()).keepingRoutesOf(current);
                if (!FabricDifference.atMostLearnsRoutes(current, named)) {
                    told.add(new Told(Instant.now(), "updated"));
                }
                current = named;
            }
            case JobFabricUpdate.Impaired now -> {
                tell("restored", impaired, now);
                tell("impaired", now, impaired);
                impaired = now;
            }
            default -> {}
        }
    }

    /** Tells those of one that the other does not have. */
    private void tell(String event, JobFabricUpdate.Impaired one, JobFabricUpdate.Impaired other) {
        one.devices().stream()
                .filter(device -> other.devices().stream()
                        .noneMatch(each ->
                                each.pod() == device.pod() && each.deviceId().equals(device.deviceId())))
                .forEach(device -> told.add(new Told(
                        Instant.now(), event + " " + device.pod() + " " + device.deviceId() + ": " + device.words())));
    }

    List<Told> told() {
        return List.copyOf(told);
    }

    void forget() {
        told.clear();
    }

    /** When a server last answered, with news or without. */
    Instant answered() {
        return answered;
    }

    @Override
    public void close() {
        ends = true;
        thread.interrupt();
    }
}
