/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import dev.fabricoperator.protocol.pmix.PmixType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Maps and reports of every shape that the records allow, by seed. */
final class RandomJobs {
    private final Random random;

    RandomJobs(long seed) {
        random = new Random(seed);
    }

    JobMap map() {
        int appCount = 1 + random.nextInt(3);
        JobFabric fabric = random.nextBoolean() ? fabric() : null;
        List<JobFabric> others = new ArrayList<>();
        for (int i = fabric == null ? 0 : random.nextInt(3); i > 0; i--) {
            others.add(fabric());
        }
        int[] sizes = new int[appCount];
        List<JobPod> pods = new ArrayList<>();
        int rank = 0;
        for (int i = random.nextInt(12); i >= 0; i--) {
            int app = random.nextInt(appCount);
            int ranks = random.nextInt(70);
            pods.add(new JobPod(
                    "job-" + i + "-" + text(5),
                    text(8),
                    app,
                    rank,
                    ranks,
                    address(),
                    random.nextInt(65536),
                    random.nextBoolean() ? "" : "0-3,8",
                    devices(others.size())));
            rank += ranks;
            sizes[app] += ranks;
        }
        List<JobApp> apps = new ArrayList<>();
        for (int i = 0; i < appCount; i++) {
            apps.add(new JobApp(i, text(6), sizes[i]));
        }
        return new JobMap("space." + text(20), random.nextInt(5), bytes(32), apps, pods, fabric, others);
    }

    PodReport report() {
        List<PodReport.OpenDevice> devices = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            devices.add(new PodReport.OpenDevice(
                    text(6), optional(), optional(), optional(), random.nextBoolean(), endpoint()));
        }
        RunRequest run = random.nextInt(4) > 0
                ? null
                : new RunRequest(random.nextInt(1 << 20), random.nextInt(1 << 10), random.nextBoolean());
        return new PodReport(
                        bytes(16),
                        random.nextInt(6) - 1,
                        address(),
                        1 + random.nextInt(65535),
                        run == null ? 1 + random.nextInt(256) : 0,
                        random.nextBoolean() ? "" : "0-127",
                        random.nextBoolean() ? "" : "0-1,3",
                        devices)
                .asking(run);
    }

    private List<JobDevice> devices(int otherFabrics) {
        List<JobDevice> devices = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            int index = random.nextInt(9) - 1;
            devices.add(new JobDevice(
                    "fab://" + text(19),
                    "mlx5_" + i,
                    random.nextLong() >>> 1,
                    attributes(),
                    index < 0 ? -1 : random.nextInt(otherFabrics + 1),
                    index,
                    optional(),
                    optional(),
                    numbers(),
                    numbers(),
                    random.nextInt(65536),
                    random.nextInt(65536),
                    endpoint(),
                    random.nextInt(65536),
                    random.nextBoolean()));
        }
        return devices;
    }

    private List<DeviceAttribute> attributes() {
        List<DeviceAttribute> attributes = new ArrayList<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            attributes.add(
                    random.nextBoolean()
                            ? new DeviceAttribute("pmix.a" + i, PmixType.STRING, text(random.nextInt(20)))
                            : new DeviceAttribute("pmix.b" + i, PmixType.SIZE, random.nextLong()));
        }
        return attributes;
    }

    @SuppressWarnings("NullAway") // a class file does not say that an array component of a record may be null
    private JobFabric fabric() {
        int devices = random.nextInt(20);
        short[] costs = new short[devices * devices];
        for (int i = 0; i < costs.length; i++) {
            costs[i] = (short) random.nextInt();
        }
        return new JobFabric(
                text(6),
                optional(),
                text(6),
                random.nextInt(1000),
                random.nextLong() >>> 1,
                List.of(new JobFabric.Plane("0", 3, numbers(), "4x8x2")),
                List.of(text(16), text(16)),
                "0:" + text(9) + ";1:" + text(9),
                devices,
                random.nextBoolean() ? null : costs,
                random.nextBoolean() ? Map.of() : Map.of(text(8), text(30)),
                optional(),
                random.nextBoolean()
                        ? JobFabric.Levels.NONE
                        : new JobFabric.Levels(
                                List.of(text(8), text(8)), List.of(new JobFabric.Channel(text(4), text(8)))),
                optional());
    }

    private @Nullable EndpointTemplate endpoint() {
        EndpointTemplate.Format[] formats = EndpointTemplate.Format.values();
        int format = random.nextInt(formats.length + 1);
        return format == formats.length
                ? null
                : new EndpointTemplate(formats[format], address(), random.nextInt(65536), random.nextInt(65536));
    }

    private int[] numbers() {
        return random.ints(random.nextInt(4), 0, Integer.MAX_VALUE).toArray();
    }

    private byte[] address() {
        return bytes(random.nextBoolean() ? 4 : 16);
    }

    private byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    private @Nullable String optional() {
        return random.nextBoolean() ? null : text(12);
    }

    private String text(int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(random.nextInt(20) == 0 ? 'ß' : (char) ('a' + random.nextInt(26)));
        }
        return text.toString();
    }
}
