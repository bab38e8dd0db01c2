/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.protocol.pmix.PmixType;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.zip.DeflaterOutputStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class JobMapCodecTest {
    private static final int HEAD = 4;

    @Property(tries = 200)
    void everyMapComesBackAsItWas(@ForAll long seed) throws Exception {
        JobMap map = new RandomJobs(seed).map();

        JobMap back = JobMapCodec.decode(JobMapCodec.encode(map, JobMapCodec.HIGHEST_VERSION));

        assertThat(back).usingRecursiveComparison().isEqualTo(map);
    }

    @Property(tries = 100)
    void readersThatDoNotSayWhatTheyReadGetMapsOfTheReleaseBefore(@ForAll long seed) throws Exception {
        JobMap map = new RandomJobs(seed).map();

        byte[] bytes = JobMapCodec.encode(map);

        assertThat(bytes[HEAD - 1]).isEqualTo((byte) (map.otherFabrics().isEmpty() ? 1 : 2));
        assertThat(JobMapCodec.encode(map, 3)).isEqualTo(bytes);
        assertThat(JobMapCodec.decode(JobMapCodec.encode(map, 5)))
                .usingRecursiveComparison()
                .ignoringFields(
                        "fabric.routes",
                        "otherFabrics.routes",
                        "fabric.levels",
                        "otherFabrics.levels",
                        "fabric.kind",
                        "otherFabrics.kind")
                .isEqualTo(map);
        assertThat(JobMapCodec.decode(JobMapCodec.encode(map, 7)))
                .usingRecursiveComparison()
                .ignoringFields("fabric.levels", "otherFabrics.levels", "fabric.kind", "otherFabrics.kind")
                .isEqualTo(map);
        assertThat(JobMapCodec.decode(bytes))
                .usingRecursiveComparison()
                .ignoringFields(
                        "pods.devices.port",
                        "pods.devices.carriesJobs",
                        "fabric.routes",
                        "otherFabrics.routes",
                        "fabric.levels",
                        "otherFabrics.levels",
                        "fabric.kind",
                        "otherFabrics.kind")
                .isEqualTo(map);
        assertThat(JobMapCodec.decode(bytes).pods().stream().flatMap(pod -> pod.devices().stream()))
                .allMatch(device -> device.carriesJobs() && device.port() == 0);
    }

    @Property(tries = 50)
    void theSameMapGivesTheSameBytes(@ForAll long seed) {
        assertThat(JobMapCodec.encode(new RandomJobs(seed).map()))
                .isEqualTo(JobMapCodec.encode(new RandomJobs(seed).map()));
    }

    @Property(tries = 300)
    void changedBytesGiveAMapOrACheckedError(@ForAll long seed) {
        Random random = new Random(seed);
        byte[] bytes = JobMapCodec.encode(new RandomJobs(seed % 20).map());
        for (int i = random.nextInt(4); i >= 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }

        decodes(bytes);
    }

    @Property(tries = 300)
    void aChangedPayloadGivesAMapOrACheckedError(@ForAll long seed) {
        Random random = new Random(seed);
        boolean withPortAndUse = random.nextBoolean();
        boolean withRoutes = withPortAndUse && random.nextBoolean();
        boolean withLevels = withRoutes && random.nextBoolean();
        byte[] payload =
                new JobMapWriter(withPortAndUse, withRoutes, withLevels).payload(new RandomJobs(seed % 20).map());
        for (int i = random.nextInt(4); i >= 0; i--) {
            payload[random.nextInt(payload.length)] = (byte) random.nextInt();
        }

        decodes(message(payload, withPortAndUse, withRoutes, withLevels));
    }

    @Test
    void everyTornMapIsRefused() {
        byte[] bytes = JobMapCodec.encode(new RandomJobs(3).map());

        for (int length = 0; length < bytes.length; length++) {
            byte[] torn = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> JobMapCodec.decode(torn)).isInstanceOf(JobCodecException.class);
        }
    }

    @Test
    void aPromiseThatTheBytesCannotKeepIsRefusedBeforeMemoryIsTaken() {
        // Payload of nothing but "two billion texts", and one of a gigabyte that is not there.
        byte[] texts = message(new byte[] {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 7}, false, false, false);
        MessageWriter gigabyte = new MessageWriter();
        gigabyte.writeInt(JobMapCodec.MAGIC << 8 | JobMapCodec.VERSION);
        gigabyte.writeCount(JobMapCodec.LONGEST_BYTES);
        gigabyte.writeBytes(new byte[100]);

        assertThatThrownBy(() -> JobMapCodec.decode(texts)).hasMessageContaining("2147483647 texts cannot be in");
        assertThatThrownBy(() -> JobMapCodec.decode(gigabyte.toBytes())).hasMessageContaining("cannot be in 100");
    }

    @Test
    void whatAPodTellsOfItsMapHasNoValuesAndIsBounded() throws Exception {
        List<JobPod> all = new ArrayList<>();
        for (int i = 0; i < 16_000; i++) {
            all.add(pod(i, i, 1));
        }
        JobFabric fabric = new JobFabric(
                "ib", "Mellanox", "ib", 3, 7, List.of(), List.of("leaf"), "0:a", 2, new short[4], Map.of("A", "b"));
        JobMap map =
                new JobMap("space.job-12345678-0", 0, new byte[32], List.of(new JobApp(0, "job", 16_000)), all, fabric);

        byte[] told = JobMapCodec.encode(map.withoutValues());

        assertThat(told.length).isLessThan(JobMapCodec.LONGEST_OF_POD_BYTES);
        JobMap read = JobMapCodec.decode(told, JobMapCodec.LONGEST_OF_POD_BYTES);
        assertThat(FabricDifference.isOfOneJob(map, read)).isTrue();
        JobDevice device = all.getLast().devices().getFirst();
        assertThat(read.pods().getLast().devices()).singleElement().satisfies(bare -> {
            assertThat(bare.deviceId()).isEqualTo(device.deviceId());
            assertThat(bare.endpoint()).usingRecursiveComparison().isEqualTo(device.endpoint());
            assertThat(bare.maximumDistance()).isEqualTo(device.maximumDistance());
            assertThat(bare.attributes()).isEmpty();
            assertThat(bare.index()).isEqualTo(-1);
        });
        assertThat(Objects.requireNonNull(read.fabric()).costs()).isNull();
        assertThatThrownBy(() -> JobMapCodec.decode(told, 100_000)).hasMessageContaining("more than 100000");
    }

    @Test
    void whatIsNoMapIsNamed() {
        byte[] later = JobMapCodec.encode(new RandomJobs(1).map());
        later[HEAD - 1] = 11;
        byte[] longer = Arrays.copyOf(JobMapCodec.encode(new RandomJobs(1).map()), 4000);

        assertThatThrownBy(
                        () -> JobMapCodec.decode("HTTP/1.1 200 OK".getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                .hasMessage("no job map: it begins with other bytes");
        assertThatThrownBy(() -> JobMapCodec.decode(later))
                .hasMessage("a job map of version 11, and this program reads 1 to 8");
        assertThatThrownBy(() -> JobMapCodec.decode(longer)).hasMessage("bytes follow the end of the payload");
    }

    @Test
    void aMapOfOneFabricIsWhatReadersOfTheReleaseBeforeKnow() throws Exception {
        JobFabric fabric = new JobFabric(
                "ib", "Mellanox", "ib", 3, 7, List.of(), List.of("leaf"), "0:a", 0, new short[0], Map.of());
        JobMap one = new JobMap(
                "a.b", 0, new byte[32], List.of(new JobApp(0, "b", 2)), List.of(pod(0, 0, 2)), fabric, List.of());
        JobMap two = new JobMap(one.nspace(), 0, one.key(), one.apps(), one.pods(), fabric, List.of(fabric, fabric));

        assertThat(JobMapCodec.encode(one)[HEAD - 1]).isEqualTo((byte) JobMapCodec.VERSION);
        assertThat(JobMapCodec.encode(two)[HEAD - 1]).isEqualTo((byte) JobMapCodec.VERSION_WITH_FABRICS);
        assertThat(JobMapCodec.decode(JobMapCodec.encode(two)).fabrics()).hasSize(3);
    }

    @Test
    void aDeviceOfAFabricThatIsNotInTheMapIsRefused() {
        JobFabric fabric = new JobFabric("ib", null, "ib", 3, 7, List.of(), List.of(), "", 0, new short[0], Map.of());
        JobDevice stray = new JobDevice(
                "fab://a", "mlx5_0", 8, List.of(), 2, 0, null, null, new int[0], new int[0], 10, 10, null, 0, true);
        JobPod pod = new JobPod("b", "host", 0, 0, 1, new byte[4], 1, "", List.of(stray));
        JobMap map = new JobMap(
                "a.b", 0, new byte[32], List.of(new JobApp(0, "b", 1)), List.of(pod), fabric, List.of(fabric));

        byte[] encoded = JobMapCodec.encode(map);

        assertThatThrownBy(() -> JobMapCodec.decode(encoded)).hasMessageContaining("a device of fabric 2 of 2");
    }

    @Test
    void aMapOfMoreFabricsThanAJobHasIsRefused() {
        JobFabric fabric = new JobFabric("ib", null, "ib", 3, 7, List.of(), List.of(), "", 0, new short[0], Map.of());
        byte[] encoded = JobMapCodec.encode(new JobMap(
                "a.b",
                0,
                new byte[32],
                List.of(new JobApp(0, "b", 2)),
                List.of(pod(0, 0, 2)),
                fabric,
                Collections.nCopies(JobMap.MOST_FABRICS, fabric)));

        assertThatThrownBy(() -> JobMapCodec.decode(encoded)).hasMessageContaining("more than 8 fabrics");
    }

    @Test
    void aMapThatContradictsItselfIsNotWritten() {
        JobPod pod = pod(0, 1, 2);
        JobMap gap = new JobMap("a.b", 0, new byte[32], List.of(new JobApp(0, "b", 2)), List.of(pod), null);
        JobMap size = new JobMap("a.b", 0, new byte[32], List.of(new JobApp(0, "b", 5)), List.of(pod(0, 0, 2)), null);

        assertThatThrownBy(() -> JobMapCodec.encode(gap)).hasMessageContaining("begins with rank 1, not 0");
        assertThatThrownBy(() -> JobMapCodec.encode(size)).hasMessageContaining("3 more than its pods' ranks");
    }

    @Test
    void aRankOfALargeJobTakesSomeFiftyBytesOrLess() {
        int pods = 1024;
        List<JobPod> all = new ArrayList<>();
        for (int i = 0; i < pods; i++) {
            all.add(pod(i, i, 1));
        }
        JobMap map =
                new JobMap("space.job-12345678-0", 0, new byte[32], List.of(new JobApp(0, "job", pods)), all, null);

        assertThat(JobMapCodec.encode(map).length / pods).isLessThan(60);
    }

    /** One device per pod with the attributes of a real one. */
    private static JobPod pod(int number, int firstRank, int ranks) {
        String guid = String.format(Locale.ROOT, "%08x", 0x9a3b0000L + 977L * number);
        String node = "fab://248a:0703:00" + guid.substring(0, 2) + ":" + guid.substring(4);
        List<DeviceAttribute> attributes = List.of(
                new DeviceAttribute("pmix.hname", PmixType.STRING, "node" + number / 2),
                new DeviceAttribute("pmix.fabdev.nm", PmixType.STRING, "mlx5_0"),
                new DeviceAttribute("pmix.fabdev.vndr", PmixType.STRING, "Mellanox"),
                new DeviceAttribute("pmix.fabdev.vendid", PmixType.STRING, "MT4123"),
                new DeviceAttribute("pmix.fabdev.btyp", PmixType.STRING, "PCI"),
                new DeviceAttribute("pmix.fabdev.pcidevid", PmixType.STRING, "0000:3b:00:00"),
                new DeviceAttribute("pmix.fabdev.driver", PmixType.STRING, "mlx5_core"),
                new DeviceAttribute("pmix.fabdev.fmwr", PmixType.STRING, "20.31.1014"),
                new DeviceAttribute("pmix.fabdev.addr", PmixType.STRING, "248a0703" + guid),
                new DeviceAttribute("pmix.fabdev.mtu", PmixType.SIZE, 4096L),
                new DeviceAttribute("pmix.fabdev.speed", PmixType.SIZE, 200_000_000_000L),
                new DeviceAttribute("pmix.fabdev.state", PmixType.LINK_STATE, 2L));
        JobDevice device = new JobDevice(
                node + "::" + node.substring(6),
                "mlx5_0",
                8,
                attributes,
                number,
                "0",
                "248a07030000" + number / 32,
                new int[] {number / 32, number % 32},
                new int[] {number / 32, number % 32},
                10,
                21,
                new EndpointTemplate(
                        EndpointTemplate.Format.FI_SOCKADDR_IN,
                        new byte[] {10, 1, (byte) (number >> 8), (byte) number},
                        27000,
                        0));
        return new JobPod(
                "job-" + number + "-" + guid.substring(3),
                "node" + number / 2,
                0,
                firstRank,
                ranks,
                new byte[] {10, 1, (byte) (number >> 8), (byte) number},
                26999,
                "0-15",
                List.of(device));
    }

    private static void decodes(byte[] bytes) {
        try {
            assertThat(JobMapCodec.decode(bytes).size()).isNotNegative();
        } catch (JobCodecException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    private static byte[] message(byte[] payload, boolean withPortAndUse, boolean withRoutes, boolean withLevels) {
        MessageWriter out = new MessageWriter();
        int more = (withPortAndUse ? JobMapCodec.WITH_PORT_AND_USE : 0)
                + (withRoutes ? JobMapCodec.WITH_ROUTES : 0)
                + (withLevels ? JobMapCodec.WITH_LEVELS : 0);
        out.writeInt(JobMapCodec.MAGIC << 8 | JobMapCodec.VERSION + more);
        out.writeCount(payload.length);
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflater = new DeflaterOutputStream(packed)) {
            deflater.write(payload);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        out.writeBytes(packed.toByteArray());
        return out.toBytes();
    }
}
