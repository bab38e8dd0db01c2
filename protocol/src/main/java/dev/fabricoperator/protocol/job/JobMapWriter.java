/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import dev.fabricoperator.protocol.pmix.PmixType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes the payload of one {@link JobMap}: the tables become known while the rest is written. */
final class JobMapWriter {
    private final Map<String, Integer> textNumbers = new HashMap<>();
    private final List<String> texts = new ArrayList<>();
    private final Map<DeviceAttribute, Integer> attributeNumbers = new HashMap<>();
    private final MessageWriter attributes = new MessageWriter();
    private final MessageWriter body = new MessageWriter();

    private final boolean withPortAndUse;
    private final boolean withRoutes;
    private final boolean withLevels;
    private boolean severalFabrics;

    /**
     * @param withPortAndUse whether readers know which port a device is, and whether it carries jobs
     * @param withRoutes whether they know the digest of a fabric's routes
     * @param withLevels whether they know its levels of service and its kind
     */
    JobMapWriter(boolean withPortAndUse, boolean withRoutes, boolean withLevels) {
        this.withPortAndUse = withPortAndUse;
        this.withRoutes = withRoutes;
        this.withLevels = withLevels;
    }

    byte[] payload(JobMap map) {
        if (map.key().length != JobMapReader.KEY_BYTES) {
            throw new IllegalArgumentException("a key has 32 bytes, not " + map.key().length);
        }
        severalFabrics = !map.otherFabrics().isEmpty();
        text(map.nspace());
        body.writeCount(map.attempt());
        body.writeBytes(map.key());
        writePods(map.pods(), writeApps(map.apps()));
        if (map.fabric() == null) {
            body.writeByte(JobMapReader.NO_FABRIC);
        }
        map.fabrics().forEach(this::writeWithForm);
        if (severalFabrics) {
            body.writeByte(JobMapReader.NO_FABRIC);
        }
        MessageWriter out = new MessageWriter();
        out.writeCount(texts.size());
        for (String text : texts) {
            out.writeText(text);
        }
        out.writeCount(attributeNumbers.size());
        out.writeAll(attributes);
        out.writeAll(body);
        return out.toBytes();
    }

    /** @return the apps' sizes */
    private int[] writeApps(List<JobApp> apps) {
        int[] sizes = new int[apps.size()];
        body.writeCount(apps.size());
        for (int i = 0; i < apps.size(); i++) {
            if (apps.get(i).number() != i) {
                throw new IllegalArgumentException("app " + apps.get(i).number() + " is in place " + i);
            }
            text(apps.get(i).name());
            body.writeCount(apps.get(i).size());
            sizes[i] = apps.get(i).size();
        }
        return sizes;
    }

    private void writePods(List<JobPod> pods, int[] sizes) {
        body.writeCount(pods.size());
        int rank = 0;
        for (JobPod pod : pods) {
            if (pod.firstRank() != rank || pod.app() >= sizes.length) {
                throw new IllegalArgumentException("pod " + pod.name() + " of app " + pod.app() + " begins with rank "
                        + pod.firstRank() + ", not " + rank);
            }
            rank += pod.rankCount();
            sizes[pod.app()] -= pod.rankCount();
            text(pod.name());
            text(pod.host());
            body.writeCount(pod.app());
            body.writeCount(pod.rankCount());
            body.writeCounted(pod.address());
            body.writeShort(pod.port());
            text(pod.cpuset());
            body.writeCount(pod.devices().size());
            for (JobDevice device : pod.devices()) {
                write(device);
            }
        }
        for (int i = 0; i < sizes.length; i++) {
            if (sizes[i] != 0) {
                throw new IllegalArgumentException(
                        "the size of app " + i + " is " + sizes[i] + " more than its pods' ranks");
            }
        }
    }

    private void writeWithForm(JobFabric fabric) {
        // Readers of a release before know the variables not, and refuse no map without them.
        boolean variables = !fabric.environment().isEmpty();
        body.writeByte(variables ? JobMapReader.FABRIC_WITH_ENVIRONMENT : JobMapReader.FABRIC);
        write(fabric);
        if (variables) {
            body.writeCount(fabric.environment().size());
            fabric.environment().forEach((name, value) -> {
                text(name);
                text(value);
            });
        }
        if (withRoutes) {
            optional(fabric.routes());
        }
        if (withLevels) {
            body.writeCount(fabric.levels().offered().size());
            fabric.levels().offered().forEach(this::text);
            body.writeCount(fabric.levels().channels().size());
            fabric.levels().channels().forEach(channel -> {
                text(channel.id());
                text(channel.level());
            });
            optional(fabric.kind());
        }
    }

    private void write(JobDevice device) {
        text(device.deviceId());
        text(device.osName());
        body.writeCount(device.typeBits());
        body.writeCount(device.attributes().size());
        for (DeviceAttribute attribute : device.attributes()) {
            body.writeCount(numberOf(attribute));
        }
        // In a map of one fabric a device of another one has no index.
        body.writeCount(severalFabrics || device.fabric() == 0 ? device.index() + 1L : 0);
        if (severalFabrics) {
            body.writeCount(device.fabric() + 1L);
        }
        optional(device.plane());
        optional(device.switchId());
        numbers(device.logical());
        numbers(device.physical());
        body.writeCount(device.minimumDistance());
        body.writeCount(device.maximumDistance());
        EndpointCodec.write(device.endpoint(), body);
        if (withPortAndUse) {
            body.writeCount(device.port());
            body.writeByte(device.carriesJobs() ? 1 : 0);
        }
    }

    private void write(JobFabric fabric) {
        text(fabric.name());
        optional(fabric.vendor());
        text(fabric.identifier());
        body.writeCount(fabric.index());
        body.writeCount(fabric.generation());
        body.writeCount(fabric.planes().size());
        for (JobFabric.Plane plane : fabric.planes()) {
            text(plane.id());
            body.writeCount(plane.dims());
            numbers(plane.sizes());
            text(plane.shape());
        }
        body.writeCount(fabric.switches().size());
        for (String id : fabric.switches()) {
            text(id);
        }
        text(fabric.groups());
        body.writeCount(fabric.devices());
        short[] costs = fabric.costs();
        body.writeByte(costs == null ? 0 : 1);
        if (costs != null) {
            if (costs.length != fabric.devices() * fabric.devices()) {
                throw new IllegalArgumentException(costs.length + " costs of " + fabric.devices() + " devices");
            }
            for (short cost : costs) {
                body.writeShort(cost);
            }
        }
    }

    private int numberOf(DeviceAttribute attribute) {
        Integer known = attributeNumbers.get(attribute);
        if (known != null) {
            return known;
        }
        Object value = attribute.value();
        boolean isText = attribute.type() == PmixType.STRING;
        attributes.writeCount(numberOf(attribute.key()));
        attributes.writeCount(numberOf(attribute.type().name()));
        attributes.writeByte(isText ? 1 : 0);
        if (isText) {
            attributes.writeCount(numberOf((String) value));
        } else {
            attributes.writeSigned((Long) value);
        }
        int number = attributeNumbers.size();
        attributeNumbers.put(attribute, number);
        return number;
    }

    private int numberOf(String text) {
        Integer known = textNumbers.putIfAbsent(text, texts.size());
        if (known != null) {
            return known;
        }
        texts.add(text);
        return texts.size() - 1;
    }

    private void text(String text) {
        body.writeCount(numberOf(text));
    }

    private void optional(@Nullable String text) {
        body.writeCount(text == null ? 0 : numberOf(text) + 1L);
    }

    private void numbers(int[] numbers) {
        body.writeCount(numbers.length);
        for (int number : numbers) {
            body.writeCount(number);
        }
    }
}
