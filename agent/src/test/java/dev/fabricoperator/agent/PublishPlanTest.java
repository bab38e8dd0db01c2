/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.crds.FabricDeviceSpec;
import dev.fabricoperator.fabric.device.Accelerator;
import dev.fabricoperator.fabric.device.AcceleratorPath;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.DeviceBuilder;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.Neighbor;
import dev.fabricoperator.fabric.device.NumaDistance;
import dev.fabricoperator.fabric.device.PciFunction;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.ReadError;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.fabric.discovery.DiscoveryResult;
import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.fabric.traffic.LinkFault;
import dev.fabricoperator.view.mapping.DeviceMapper;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PublishPlanTest {

    private static final Instant NOON = Instant.parse("2026-11-21T12:00:00.123Z");
    private static final String PORT = "/sys/devices/pci0000:80/x/infiniband/mlx5_0/ports/1/";

    private static final Impairment SIGN =
            new Impairment(LinkFault.SymbolErrors, PORT + "counters/symbol_error", 40, 10, 2, 60, 300, Instant.EPOCH);

    private static DeviceBuilder device(String osName) {
        return DeviceBuilder.builder()
                .hostname("host1")
                .osName(osName)
                .port(1)
                .deviceId("fab://" + osName)
                .source("sysfs")
                .type(DeviceType.OpenFabrics)
                .family(Family.InfiniBand)
                .function(Function.Physical)
                .role(Role.Fabric)
                .pci(new PciFunction("0000:81:00.0", "15b3", "1021", "0207"))
                .nodeGuid("506b4b03003ceee8")
                .lid(31)
                .gids(List.of("fe80:0000:0000:0000:506b:4b03:003c:eee8"))
                .speedBitsPerSecond(400_000_000_000L)
                .width(4)
                .state(PortState.Active)
                .numaNode(0)
                .distances(List.of(new NumaDistance(0, 10, 10)))
                .accelerators(List.of(new Accelerator("0000:01:00.0", "10de", "2330", AcceleratorPath.PIX)));
    }

    private static DiscoveryResult look(Device... devices) {
        boolean errorFree =
                List.of(devices).stream().allMatch(d -> d.readErrors().isEmpty());
        return new DiscoveryResult("host1", List.of(devices), true, errorFree, List.of());
    }

    private static DiscoveryResult incomplete(Device... devices) {
        return new DiscoveryResult(
                "host1",
                List.of(devices),
                false,
                false,
                List.of(new ReadError("/sys/class/infiniband", "permission denied")));
    }

    private static Map<String, Map<String, Object>> published(DiscoveryResult look) {
        return PublishPlan.of(look, "node1", Set.of(), Map.of(), NOON).specs();
    }

    @Test
    void theTreeIsWhatDataBindingWrites() throws Exception {
        FabricDeviceSpec spec = DeviceMapper.toSpec(
                "node1",
                device("mlx5_0")
                        .readErrors(List.of(new ReadError("/sys/x", "torn")))
                        .impairments(List.of(SIGN))
                        .build(),
                error -> "2026-11-21T12:00:00Z");
        ObjectMapper binding = new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS);
        Map<String, Object> expected =
                binding.readValue(binding.writeValueAsBytes(spec), new TypeReference<Map<String, Object>>() {});
        assertThat(Json.readObject(Json.write(SpecTree.of(spec)))).isEqualTo(expected);
        assertThat(SpecTree.of(spec)).isEqualTo(expected);
    }

    @Test
    void aSecondLookWithoutChangePlansTheSame() {
        Map<String, Map<String, Object>> first = published(look(device("mlx5_0").build()));
        PublishPlan again =
                PublishPlan.of(look(device("mlx5_0").build()), "node1", Set.of(), first, NOON.plusSeconds(60));
        assertThat(again.specs()).isEqualTo(first);
        assertThat(first).containsOnlyKeys("node1-mlx5-0-1");
    }

    @Test
    void aLinkThatIsWellAgainIsPublishedSoWhateverElseCannotBeRead() {
        Map<String, Map<String, Object>> ill =
                published(look(device("mlx5_0").impairments(List.of(SIGN)).build()));
        assertThat(ill.get("node1-mlx5-0-1")).containsKey("impairments");
        List<ReadError> many = Stream.of("a", "b", "c", "d", "e", "f", "g", "h")
                .map(name -> new ReadError(PORT + name, "torn"))
                .toList();
        Device well = device("mlx5_0").readErrors(many).build();
        assertThat(PublishPlan.of(look(well), "node1", Set.of(), ill, NOON)
                        .specs()
                        .get("node1-mlx5-0-1"))
                .doesNotContainKey("impairments");
    }

    @Test
    void namesThatMeetInDnsFormAreToldApart() {
        Map<String, Map<String, Object>> specs =
                published(look(device("a-b").build(), device("a_b").build()));
        assertThat(specs.keySet()).hasSize(2).allMatch(name -> name.matches("node1-a-b-1-5-[0-9a-f]{8}"));
    }

    @Test
    void aFailedReadKeepsTheLastGoodValueAndSaysSinceWhen() {
        Map<String, Map<String, Object>> good = published(look(device("mlx5_0").build()));
        Device torn = device("mlx5_0")
                .speedBitsPerSecond(null)
                .width(null)
                .lid(null)
                .readErrors(List.of(new ReadError(PORT + "rate", "not a rate")))
                .build();
        Map<String, Map<String, Object>> failing =
                PublishPlan.of(look(torn), "node1", Set.of(), good, NOON).specs();
        assertThat(failing.get("node1-mlx5-0-1"))
                .containsEntry("speedBitsPerSecond", 400_000_000_000L)
                .containsEntry("width", 4L)
                .doesNotContainKey("lid")
                .containsEntry(
                        "readErrors",
                        List.of(Map.of(
                                "file", PORT + "rate", "reason", "not a rate", "since", "2026-11-21T12:00:00Z")));
        assertThat(PublishPlan.of(look(torn), "node1", Set.of(), failing, NOON.plusSeconds(600))
                        .specs())
                .isEqualTo(failing);
        assertThat(PublishPlan.of(look(device("mlx5_0").build()), "node1", Set.of(), failing, NOON)
                        .specs())
                .isEqualTo(good);
    }

    @Test
    void aStateThatCannotBeReadIsTheLastGoodOneAndUnknownWithoutIt() {
        Device torn = device("mlx5_0")
                .state(PortState.Unknown)
                .readErrors(List.of(new ReadError(PORT + "state", "empty")))
                .build();
        assertThat(published(look(torn)).get("node1-mlx5-0-1")).containsEntry("state", "Unknown");
        Map<String, Map<String, Object>> good = published(look(device("mlx5_0").build()));
        assertThat(PublishPlan.of(look(torn), "node1", Set.of(), good, NOON)
                        .specs()
                        .get("node1-mlx5-0-1"))
                .containsEntry("state", "Active");
    }

    @Test
    void errorsOfTheHostAreNamedOnItsDevices() {
        DiscoveryResult look = new DiscoveryResult(
                "host1",
                List.of(device("mlx5_0").distances(List.of()).build()),
                true,
                false,
                List.of(new ReadError("/sys/devices/system/node/node0/distance", "not text")));
        Map<String, Map<String, Object>> good = published(look(device("mlx5_0").build()));
        Map<String, Object> spec =
                PublishPlan.of(look, "node1", Set.of(), good, NOON).specs().get("node1-mlx5-0-1");
        assertThat(spec)
                .containsEntry("distances", good.values().iterator().next().get("distances"));
        assertThat(spec).containsKey("readErrors");
    }

    @Test
    void beyondEightErrorsEverythingThatIsMissingStays() {
        List<ReadError> errors = java.util.stream.IntStream.range(0, 8)
                .mapToObj(i -> new ReadError(PORT + "gids/" + i, "torn"))
                .toList();
        Device torn =
                device("mlx5_0").lid(null).gids(List.of()).readErrors(errors).build();
        Map<String, Map<String, Object>> good = published(look(device("mlx5_0").build()));
        assertThat(PublishPlan.of(look(torn), "node1", Set.of(), good, NOON)
                        .specs()
                        .get("node1-mlx5-0-1"))
                .containsEntry("lid", 31L)
                .containsKey("gids");
    }

    @Test
    void aDeviceIsGoneOnlyAfterACompleteAndErrorFreeLook() {
        Map<String, Map<String, Object>> both =
                published(look(device("mlx5_0").build(), device("mlx5_1").build()));
        Device torn = device("mlx5_0")
                .readErrors(List.of(new ReadError(PORT + "rate", "empty")))
                .build();
        PublishPlan afterError = PublishPlan.of(look(torn), "node1", Set.of(), both, NOON);
        assertThat(afterError.gone()).isEmpty();
        assertThat(afterError.specs().get("node1-mlx5-1-1")).isEqualTo(both.get("node1-mlx5-1-1"));
        PublishPlan afterComplete = PublishPlan.of(look(device("mlx5_0").build()), "node1", Set.of(), both, NOON);
        assertThat(afterComplete.gone()).containsExactly("node1-mlx5-1-1");
        assertThat(afterComplete.specs()).containsOnlyKeys("node1-mlx5-0-1");
    }

    @Test
    void whatAnIncompleteLookDidNotFindSaysWhatCouldNotBeRead() {
        Map<String, Map<String, Object>> good = published(look(device("mlx5_0").build()));
        PublishPlan plan = PublishPlan.of(incomplete(), "node1", Set.of(), good, NOON);
        assertThat(plan.gone()).isEmpty();
        assertThat(plan.specs().get("node1-mlx5-0-1"))
                .containsEntry("lid", 31L)
                .extractingByKey("readErrors")
                .asString()
                .contains("/sys/class/infiniband", "permission denied", "2026-11-21T12:00:00Z");
        assertThat(PublishPlan.of(incomplete(), "node1", Set.of(), plan.specs(), NOON.plusSeconds(9))
                        .specs())
                .isEqualTo(plan.specs());
    }

    @Test
    void aNeighborThatNobodyCouldBeAskedForStaysAndOneThatIsSilentGoes() {
        Device heard = device("mlx5_0")
                .neighbor(new Neighbor("02:00:00:00:00:01", "swp1", "lldp"))
                .build();
        Map<String, Map<String, Object>> good = published(look(heard));
        DiscoveryResult look = look(device("mlx5_0").build());
        assertThat(PublishPlan.of(look, "node1", Set.of("neighbor"), good, NOON).specs())
                .isEqualTo(good);
        assertThat(PublishPlan.of(look, "node1", Set.of(), good, NOON).specs().get("node1-mlx5-0-1"))
                .doesNotContainKey("neighbor");
    }
}
