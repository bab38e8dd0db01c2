/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import dev.fabricoperator.protocol.pmix.PmixType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the payload of one {@link JobMap}. */
final class JobMapReader {
    static final int KEY_BYTES = 32;
    static final int NO_FABRIC = 0;
    static final int FABRIC = 1;
    static final int FABRIC_WITH_ENVIRONMENT = 2;

    private static final int LONGEST_NSPACE = 255;
    private static final int UNSIGNED_16_BIT = 0xffff;
    private static final int LEAST_APP_BYTES = 2;
    private static final int LEAST_POD_BYTES = 13;
    private static final int LEAST_DEVICE_BYTES = 12;
    private static final int LEAST_PLANE_BYTES = 4;
    private static final int LEAST_ATTRIBUTE_BYTES = 4;

    private final MessageReader in;
    private final boolean severalFabrics;
    private final boolean withPortAndUse;
    private final boolean withRoutes;
    private final boolean withLevels;
    /** Highest position of a device's fabric. */
    private int lastFabric = -1;

    JobMapReader(
            byte[] payload, boolean severalFabrics, boolean withPortAndUse, boolean withRoutes, boolean withLevels) {
        this.in = new MessageReader(payload, 0);
        this.severalFabrics = severalFabrics;
        this.withPortAndUse = withPortAndUse;
        this.withRoutes = withRoutes;
        this.withLevels = withLevels;
    }

    JobMap map() throws JobCodecException {
        String[] texts = texts();
        DeviceAttribute[] attributes = attributes(texts);
        String nspace = text(texts);
        if (nspace.isEmpty() || nspace.length() > LONGEST_NSPACE) {
            throw new JobCodecException("an nspace of " + nspace.length() + " characters");
        }
        int attempt = in.readNumber("the attempt", Integer.MAX_VALUE);
        byte[] key = in.readBytes(KEY_BYTES);
        List<JobApp> apps = apps(texts);
        List<JobPod> pods = pods(texts, attributes, apps);
        JobFabric fabric = optionalFabric(texts);
        List<JobFabric> others = new ArrayList<>();
        if (severalFabrics) {
            JobFabric other = optionalFabric(texts);
            while (other != null) {
                others.add(other);
                if (others.size() >= JobMap.MOST_FABRICS) {
                    throw new JobCodecException("more than " + JobMap.MOST_FABRICS + " fabrics");
                }
                other = optionalFabric(texts);
            }
            if (fabric == null || others.isEmpty() || lastFabric > others.size()) {
                throw new JobCodecException("a device of fabric " + lastFabric + " of " + (others.size() + 1)
                        + ", or other fabrics without a first");
            }
        }
        in.end();
        return new JobMap(nspace, attempt, key, apps, pods, fabric, others);
    }

    private String[] texts() throws JobCodecException {
        String[] texts = new String[in.readCount("texts", 1)];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = in.readText("a text");
        }
        return texts;
    }

    private DeviceAttribute[] attributes(String[] texts) throws JobCodecException {
        DeviceAttribute[] attributes = new DeviceAttribute[in.readCount("attributes", LEAST_ATTRIBUTE_BYTES)];
        for (int i = 0; i < attributes.length; i++) {
            String key = text(texts);
            PmixType type = type(text(texts));
            boolean isText = in.readByte() != 0;
            if (isText != (type == PmixType.STRING)) {
                throw new JobCodecException("the value of " + key + " is not of its type " + type);
            }
            attributes[i] = new DeviceAttribute(key, type, isText ? text(texts) : in.readSigned());
        }
        return attributes;
    }

    private static PmixType type(String name) throws JobCodecException {
        try {
            return PmixType.valueOf(name);
        } catch (IllegalArgumentException e) {
            throw new JobCodecException("an attribute of the unknown type " + name);
        }
    }

    private List<JobApp> apps(String[] texts) throws JobCodecException {
        int count = in.readCount("apps", LEAST_APP_BYTES);
        List<JobApp> apps = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            apps.add(new JobApp(i, text(texts), in.readNumber("an app's size", Integer.MAX_VALUE)));
        }
        return apps;
    }

    private List<JobPod> pods(String[] texts, DeviceAttribute[] attributes, List<JobApp> apps)
            throws JobCodecException {
        int count = in.readCount("pods", LEAST_POD_BYTES);
        List<JobPod> pods = new ArrayList<>(count);
        long[] ranks = new long[apps.size()];
        int rank = 0;
        for (int i = 0; i < count; i++) {
            String name = text(texts);
            String host = text(texts);
            int app = in.readNumber("a pod's app", apps.size() - 1);
            int rankCount = in.readNumber("a pod's number of ranks", Integer.MAX_VALUE - rank);
            byte[] address = in.readAddress("a pod's address");
            int port = in.readShort();
            String cpuset = text(texts);
            pods.add(new JobPod(name, host, app, rank, rankCount, address, port, cpuset, devices(texts, attributes)));
            rank += rankCount;
            ranks[app] += rankCount;
        }
        for (JobApp app : apps) {
            if (app.size() != ranks[app.number()]) {
                throw new JobCodecException(
                        "app " + app.name() + " has " + app.size() + " ranks, its pods " + ranks[app.number()]);
            }
        }
        return pods;
    }

    private List<JobDevice> devices(String[] texts, DeviceAttribute[] attributes) throws JobCodecException {
        int count = in.readCount("devices", LEAST_DEVICE_BYTES);
        List<JobDevice> devices = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            String deviceId = text(texts);
            String osName = text(texts);
            long typeBits = in.readLong();
            List<DeviceAttribute> its = chosen(attributes);
            int index = in.readNumber("a device's index", Integer.MAX_VALUE) - 1;
            int fabric = severalFabrics ? in.readNumber("a device's fabric", UNSIGNED_16_BIT) - 1 : index < 0 ? -1 : 0;
            lastFabric = Math.max(lastFabric, fabric);
            devices.add(new JobDevice(
                    deviceId,
                    osName,
                    typeBits,
                    its,
                    fabric,
                    index,
                    optional(texts),
                    optional(texts),
                    numbers("coordinates"),
                    numbers("coordinates"),
                    in.readNumber("a distance", UNSIGNED_16_BIT),
                    in.readNumber("a distance", UNSIGNED_16_BIT),
                    EndpointCodec.read(in),
                    withPortAndUse ? in.readNumber("a device's port", UNSIGNED_16_BIT) : 0,
                    !withPortAndUse || in.readByte() != 0));
        }
        return devices;
    }

    private List<DeviceAttribute> chosen(DeviceAttribute[] attributes) throws JobCodecException {
        int count = in.readCount("attributes of a device", 1);
        List<DeviceAttribute> chosen = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            chosen.add(attributes[in.readNumber("an attribute's number", attributes.length - 1)]);
        }
        return chosen;
    }

    private @Nullable JobFabric optionalFabric(String[] texts) throws JobCodecException {
        int form = in.readByte();
        return switch (form) {
            case NO_FABRIC -> null;
            case FABRIC -> fabric(texts, false);
            case FABRIC_WITH_ENVIRONMENT -> fabric(texts, true);
            default -> throw new JobCodecException("a fabric of the unknown form " + form);
        };
    }

    private JobFabric fabric(String[] texts, boolean withEnvironment) throws JobCodecException {
        String name = text(texts);
        String vendor = optional(texts);
        String identifier = text(texts);
        int index = in.readNumber("the fabric's index", Integer.MAX_VALUE);
        long generation = in.readLong();
        int planeCount = in.readCount("planes", LEAST_PLANE_BYTES);
        List<JobFabric.Plane> planes = new ArrayList<>(planeCount);
        for (int i = 0; i < planeCount; i++) {
            planes.add(new JobFabric.Plane(
                    text(texts), in.readNumber("dims", UNSIGNED_16_BIT), numbers("sizes"), text(texts)));
        }
        int switchCount = in.readCount("switches", 1);
        List<String> switches = new ArrayList<>(switchCount);
        for (int i = 0; i < switchCount; i++) {
            switches.add(text(texts));
        }
        String groups = text(texts);
        int devices = in.readNumber("the number of devices", Integer.MAX_VALUE);
        short[] costs = in.readByte() == 0 ? null : costs(devices);
        return new JobFabric(
                name,
                vendor,
                identifier,
                index,
                generation,
                planes,
                switches,
                groups,
                devices,
                costs,
                withEnvironment ? environment(texts) : Map.of(),
                withRoutes ? optional(texts) : null,
                withLevels ? levels(texts) : JobFabric.Levels.NONE,
                withLevels ? optional(texts) : null);
    }

    private JobFabric.Levels levels(String[] texts) throws JobCodecException {
        int count = in.readCount("levels", 1);
        List<String> offered = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            offered.add(text(texts));
        }
        int size = in.readCount("channels", 2);
        List<JobFabric.Channel> channels = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            channels.add(new JobFabric.Channel(text(texts), text(texts)));
        }
        return new JobFabric.Levels(offered, channels);
    }

    private Map<String, String> environment(String[] texts) throws JobCodecException {
        int count = in.readCount("variables", 2);
        Map<String, String> variables = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            variables.put(text(texts), text(texts));
        }
        return variables;
    }

    private short[] costs(int devices) throws JobCodecException {
        long count = (long) devices * devices;
        if (count > in.left() / 2) {
            throw new JobCodecException(
                    "the costs of " + devices + " devices cannot be in the " + in.left() + " bytes that are left");
        }
        short[] costs = new short[(int) count];
        for (int i = 0; i < costs.length; i++) {
            costs[i] = (short) in.readShort();
        }
        return costs;
    }

    private int[] numbers(String what) throws JobCodecException {
        int[] numbers = new int[in.readCount(what, 1)];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = in.readNumber(what, Integer.MAX_VALUE);
        }
        return numbers;
    }

    private String text(String[] texts) throws JobCodecException {
        return texts[in.readNumber("a text's number", texts.length - 1)];
    }

    private @Nullable String optional(String[] texts) throws JobCodecException {
        int number = in.readNumber("a text's number", texts.length);
        return number == 0 ? null : texts[number - 1];
    }
}
