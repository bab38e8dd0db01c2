/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import dev.fabricoperator.view.answer.JobTrafficAnswer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How fast the pods of a job send: from the report before to the last one, or since their ranks began where there is no other report of the same attempt.
 *
 * @param secondsOfPods the time that its rates are the mean of, by name of the pod
 */
record JobRates(List<OfPair> pairs, List<OfDevice> devices, Map<String, Double> secondsOfPods) {
    /** A pod to another, over TCP, bytes in a second. */
    record OfPair(String from, String to, double perSecond) {}

    /** A FabricDevice of a pod, bytes in a second. */
    record OfDevice(String pod, String deviceId, boolean isOwn, double sentPerSecond, double receivedPerSecond) {}

    private record Names(String from, String to) {}

    private record Bytes(long sent, long received) {
        static final Bytes NONE = new Bytes(0, 0);
    }

    /** From what moment a pod is looked at. */
    private record Base(double beganSeconds, double seconds) {}

    JobRates {
        pairs = List.copyOf(pairs);
        devices = List.copyOf(devices);
        secondsOfPods = Map.copyOf(secondsOfPods);
    }

    /** The longest time that a rate is the mean of. */
    double seconds() {
        return secondsOfPods.values().stream()
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(0);
    }

    int entries() {
        return pairs.size() + devices.size() + secondsOfPods.size();
    }

    /**
     * O(pods, devices and pairs of both).
     *
     * @param before the report before, {@code null} for none
     * @param rates that followed from it: a pod that has told nothing new since is as fast as it was
     */
    static JobRates of(JobTrafficAnswer now, @Nullable JobTrafficAnswer before, @Nullable JobRates rates) {
        boolean isOfSameAttempt = before != null && before.attempt() == now.attempt();
        Map<String, Double> beganAt = new HashMap<>();
        Map<Names, Bytes> base = new HashMap<>();
        if (before != null && isOfSameAttempt) {
            before.pods().forEach(pod -> {
                beganAt.put(pod.pod(), pod.seconds());
                pod.devices()
                        .forEach(device -> base.put(
                                new Names(pod.pod(), "device " + device.name()),
                                new Bytes(device.sentBytes(), device.receivedBytes())));
            });
            before.pairs()
                    .forEach(pair -> base.put(new Names(pair.from(), "pod " + pair.to()), new Bytes(pair.bytes(), 0)));
        }
        Map<String, Base> news = new HashMap<>();
        Map<String, Double> secondsOfPods = new HashMap<>();
        for (JobTrafficAnswer.Pod pod : now.pods()) {
            double began = beganAt.getOrDefault(pod.pod(), 0.0);
            if (pod.seconds() > began) {
                news.put(pod.pod(), new Base(began, pod.seconds() - began));
                secondsOfPods.put(pod.pod(), pod.seconds() - began);
            } else if (rates != null && isOfSameAttempt && rates.secondsOfPods().containsKey(pod.pod())) {
                secondsOfPods.put(pod.pod(), rates.secondsOfPods().get(pod.pod()));
            }
        }
        List<OfPair> pairs = new ArrayList<>();
        List<OfDevice> devices = new ArrayList<>();
        if (rates != null && isOfSameAttempt) {
            // Of those alone that this report has, too: else one report after the other could add to them.
            Set<Names> told = new HashSet<>();
            now.pairs().forEach(pair -> told.add(new Names(pair.from(), "pod " + pair.to())));
            now.pods()
                    .forEach(pod ->
                            pod.devices().forEach(device -> told.add(new Names(pod.pod(), "id " + device.deviceId()))));
            rates.pairs().stream()
                    .filter(each ->
                            !news.containsKey(each.from()) && told.contains(new Names(each.from(), "pod " + each.to())))
                    .forEach(pairs::add);
            rates.devices().stream()
                    .filter(each -> !news.containsKey(each.pod())
                            && told.contains(new Names(each.pod(), "id " + each.deviceId())))
                    .forEach(devices::add);
        }
        for (JobTrafficAnswer.Pair pair : now.pairs()) {
            Base from = news.get(pair.from());
            Bytes known = base.get(new Names(pair.from(), "pod " + pair.to()));
            // One that was among those left out has sent nobody knows how much since the report before.
            if (from != null && (known != null || from.beganSeconds() == 0)) {
                long since = known == null ? 0 : known.sent();
                if (pair.bytes() >= since) {
                    pairs.add(new OfPair(pair.from(), pair.to(), rate(pair.bytes(), since, from)));
                }
            }
        }
        for (JobTrafficAnswer.Pod pod : now.pods()) {
            Base from = news.get(pod.pod());
            for (JobTrafficAnswer.Device device : pod.devices()) {
                Bytes known = base.get(new Names(pod.pod(), "device " + device.name()));
                String id = device.deviceId();
                if (from != null && id != null && (known != null || from.beganSeconds() == 0)) {
                    Bytes since = known == null ? Bytes.NONE : known;
                    if (device.sentBytes() >= since.sent() && device.receivedBytes() >= since.received()) {
                        devices.add(new OfDevice(
                                pod.pod(),
                                id,
                                isOwn(device),
                                rate(device.sentBytes(), since.sent(), from),
                                rate(device.receivedBytes(), since.received(), from)));
                    }
                }
            }
        }
        return new JobRates(pairs, devices, secondsOfPods);
    }

    /** Whether it is an interface in the pod's own network. */
    static boolean isOwn(JobTrafficAnswer.Device device) {
        return device.basis().equals("interface");
    }

    private static double rate(long bytes, long before, Base from) {
        return (bytes - before) / from.seconds();
    }
}
