/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.testdata.Lattices;
import dev.fabricoperator.fabric.testdata.Wiring;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fabrics as sites have them: of unequal parts, with storage, gateways and service hosts where there was a free port. */
class SiteFabricsTest {
    @ParameterizedTest
    @CsvSource({"1, 0", "2, 0.04", "3, 0.1"})
    void islandsOfUnequalSizeWithAServiceLeafAndGatewaysOnTheCoreAreATree(long seed, double missing) {
        Wiring site = new Wiring(seed);
        Random random = new Random(seed);
        int[] core = site.nodes(12);
        for (int island = 0; island < 4; island++) {
            int[] spines = site.nodes(6);
            long speed = island < 2 ? Wiring.HDR : 2 * Wiring.HDR;
            for (int spine = 0; spine < spines.length; spine++) {
                site.cable(spines[spine], core[2 * spine], 1 + island / 2, speed);
                site.cable(spines[spine], core[2 * spine + 1], 1 + island / 2, speed);
            }
            for (int leaf = 0; leaf < 4 + 4 * island; leaf++) {
                int node = site.node();
                for (int spine : spines) {
                    site.cable(node, spine, 1 + island % 3, speed);
                }
                hosts(site, node, "i" + island + "l" + leaf + "h", 16 + random.nextInt(16));
            }
        }
        int service = site.node();
        for (int top : core) {
            site.cable(service, top, 1);
        }
        hosts(site, service, "io", 8);
        site.device(core[0], "gw0", "mlx5_0").device(core[1], "gw1", "mlx5_0");

        // Four islands, the service leaf, and the two core switches with a gateway.
        assertShape(site.withoutCables(missing), FabricKind.FatTree, 7, 16);
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 0.04", "3, 0.1"})
    void storageLeavesAtTheTopAndALoginLeafAtASpineLeaveThePodsAsTheyAre(long seed, double missing) {
        Wiring site = Wiring.threeLevels(seed, 5, 8, 6, 3, 18, 1);
        int[] storage = site.nodes(2);
        for (int host = 0; host < 12; host++) {
            site.device(storage[host % 2], "oss" + host, "mlx5_0");
        }
        for (int top = 0; top < 18; top += 2) {
            site.cable(storage[top / 2 % 2], top, 1);
        }
        int login = site.node();
        site.cable(login, 20, 2);
        hosts(site, login, "login", 6);

        assertThat(modelOf(site.withoutCables(missing)).defaultShape().sizes().getFirst())
                .isEqualTo(7);
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 0.1"})
    void leavesAtTwoDirectorsOfManyChipsAreATree(long seed, double missing) {
        Wiring site = new Wiring(seed);
        Random random = new Random(seed);
        int[][] lineChips = new int[2][8];
        for (int director = 0; director < 2; director++) {
            int[] spineChips = site.nodes(8);
            for (int chip = 0; chip < 8; chip++) {
                lineChips[director][chip] = site.node();
                for (int spine : spineChips) {
                    site.cable(lineChips[director][chip], spine, 2);
                }
            }
        }
        for (int leaf = 0; leaf < 40; leaf++) {
            int node = site.node();
            for (int director = 0; director < 2; director++) {
                for (int cable = 0; cable < 4; cable++) {
                    site.cable(node, lineChips[director][(leaf + 2 * cable) % 8], 2);
                }
            }
            hosts(site, node, "n" + leaf + "_", 32 - random.nextInt(5));
        }

        assertShape(site.withoutCables(missing), FabricKind.FatTree, 2, 20);
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 0.1"})
    void dragonflyGroupsWithASmallOneAndUnequalBundlesAreGroups(long seed, double missing) {
        Wiring site = new Wiring(seed);
        Random random = new Random(seed);
        int[][] groups = new int[8][];
        for (int group = 0; group < groups.length; group++) {
            groups[group] = site.nodes(group == 7 ? 8 : 16);
            for (int one : groups[group]) {
                for (int other : groups[group]) {
                    if (one < other) {
                        site.cable(one, other, group == 7 ? 2 : 1);
                    }
                }
                if (random.nextInt(12) > 0) {
                    hosts(site, one, "x" + group + "s" + one + "b", group == 7 ? 4 : 16);
                }
            }
            for (int before = 0; before < group; before++) {
                for (int cable = group == 7 ? 8 : 8 + random.nextInt(3); cable > 0; cable--) {
                    site.cable(
                            groups[group][random.nextInt(groups[group].length)], groups[before][random.nextInt(16)], 1);
                }
            }
        }

        assertShape(site.withoutCables(missing), FabricKind.Dragonfly, 8, 16);
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 0.1"})
    void aTorusThatLacksRowsOfNodesIsATorus(long seed, double missing) {
        int x = 8;
        int y = 6;
        int z = 8;
        Wiring site = new Wiring(seed);
        int[] nodes = site.nodes(x * y * z);
        for (int at = 0; at < nodes.length; at++) {
            int column = at / z;
            if (column == 3 * y + 2 || column == 5 * y + 4) {
                continue;
            }
            hosts(site, nodes[at], "c" + at + "_", 2);
            int[] next = {
                (at + y * z) % nodes.length, at / (y * z) * y * z + (at + z) % (y * z), at / z * z + (at + 1) % z
            };
            for (int other : next) {
                int beside = other / z;
                if (beside != 3 * y + 2 && beside != 5 * y + 4) {
                    site.cable(nodes[at], nodes[other], 1);
                }
            }
        }

        FabricModel model = modelOf(site.withoutCables(missing));
        assertThat(model.kind()).isEqualTo(FabricKind.Torus);
        assertThat(model.defaultShape().sizes().subList(0, 3)).containsExactlyInAnyOrder(8, 6, 8);
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 0.1"})
    void aFlattenedButterflyWithIdleSwitchesAndAServiceSwitchIsOne(long seed, double missing) {
        Wiring site = Lattices.hyperX(seed, 0, 1, 12, 8);
        Random random = new Random(seed);
        for (int node = 0; node < 96; node++) {
            hosts(site, node, "h" + node + "_", random.nextInt(10) == 0 ? 0 : 7);
        }
        int service = site.node();
        site.cable(service, 5, 2);
        hosts(site, service, "svc", 6);

        assertThat(modelOf(site.withoutCables(missing)).kind()).isEqualTo(FabricKind.HyperX);
    }

    private static void hosts(Wiring site, int node, String prefix, int count) {
        for (int host = 0; host < count; host++) {
            site.device(node, prefix + host, "mlx5_0");
        }
    }

    private static FabricModel modelOf(Wiring site) {
        return FabricModel.of(site.switches(), site.vertices());
    }

    private static void assertShape(Wiring site, FabricKind kind, int first, int second) {
        FabricModel model = modelOf(site);
        assertThat(model.kind()).isEqualTo(kind);
        assertThat(model.defaultShape().sizes().subList(0, 2)).containsExactly(first, second);
    }
}
