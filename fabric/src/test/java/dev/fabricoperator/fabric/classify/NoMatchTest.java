/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.classify.NoMatch.Reason;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.testdata.Dragonflies;
import dev.fabricoperator.fabric.testdata.Lattices;
import dev.fabricoperator.fabric.testdata.Wiring;
import java.util.List;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** What is said of a fabric without a pattern: of each kind, what speaks against it and how much. */
class NoMatchTest {
    private static List<String> why(Wiring wiring) {
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
        assertThat(model.kind()).isEqualTo(FabricKind.Irregular);
        assertThat(model.unresolved().getFirst())
                .startsWith(model.switches() + " switches have no pattern that is known, so that ");
        return model.unresolved().subList(1, model.unresolved().size());
    }

    private static List<NoMatch> reasons(Wiring wiring) {
        return Classifier.reasons(wiring.topology());
    }

    @Test
    void aRandomGraphIsCountedAgainstEachKind() {
        assertThat(why(Lattices.exactlyRegular(1, 40, 4, 2)))
                .containsExactly(
                        "no tree: 80 of 80 cabled pairs of switches both have hosts, and leaves are cabled to spines alone",
                        "no torus, mesh or HyperX: 10 of 207 pairs of cables at one switch are sides of one square of cables,"
                                + " and a grid consists of squares",
                        "no dragonfly: the likeliest division of 40 switches into 10 groups may be chance");
    }

    @Test
    void aRingWithChordsIsNoGrid() {
        Wiring wiring = new Wiring(3);
        int[] ring = wiring.nodes(16);
        for (int at = 0; at < 16; at++) {
            wiring.cable(ring[at], ring[(at + 1) % 16], 1).device(ring[at], "h" + at, "mlx5_0");
        }
        wiring.cable(ring[0], ring[7], 1).cable(ring[2], ring[10], 1).cable(ring[5], ring[13], 1);

        assertThat(why(wiring))
                .contains(
                        "no tree: 19 of 19 cabled pairs of switches both have hosts, and leaves are cabled to spines alone",
                        "no torus, mesh or HyperX: 0 of 28 pairs of cables at one switch are sides of one square of cables,"
                                + " and a grid consists of squares");
    }

    @Test
    void cablesWithinALevelAreCountedAgainstATree() {
        assertThat(reasons(crossed(6))).contains(new NoMatch(Reason.SAME_LEVEL, 15, 51));
    }

    /** A tree of six leaves whose spines are all cabled to one another. */
    private static Wiring crossed(int spines) {
        Wiring wiring = new Wiring(7);
        int[] leaves = wiring.nodes(6);
        int[] above = wiring.nodes(spines);
        for (int leaf = 0; leaf < 6; leaf++) {
            for (int spine = 0; spine < spines; spine++) {
                wiring.cable(leaves[leaf], above[spine], 1);
            }
            wiring.device(leaves[leaf], "h" + leaf, "mlx5_0");
        }
        for (int one = 0; one < spines; one++) {
            for (int other = 0; other < one; other++) {
                wiring.cable(above[one], above[other], 1);
            }
        }
        return wiring;
    }

    @Test
    void aDragonflyThatLostCablesSaysHowManyOfAGroupAreLeft() {
        Wiring wiring = Dragonflies.canonical(1, 5, 6, 2, 2, 1, Dragonflies.Arrangement.values()[0])
                .withoutCables(0.2);
        assertThat(why(wiring)).contains("no dragonfly: only 59 of 75 pairs of switches of one group are cabled");
    }

    @Test
    void aHyperXThatLostCablesSaysHowManyAreLeft() {
        assertThat(why(Lattices.hyperX(1, 2, 1, 6, 6).withoutCables(0.4)))
                .contains("no torus, mesh or HyperX: only 56 of 90 cables along an axis are there");
    }

    @Test
    void leavesThatAreTooFarApartAreCounted() {
        assertThat(reasons(Dragonflies.plus(1, 5, 4, 4, 2, 2, 1))).contains(new NoMatch(Reason.FAR_APART, 30, 190));
    }

    /** Counts are of what is there, sentences are few and short enough for a status, and what has a pattern says nothing. */
    @Property(seed = "20261128", tries = 60, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void whateverIsLeftOfAFabricIsSaidInAFewSentences(
            @ForAll long seed,
            @ForAll @IntRange(min = 0, max = 6) int kind,
            @ForAll @IntRange(min = 0, max = 9) int lost) {
        Random random = new Random(seed);
        int side = 3 + random.nextInt(3);
        Wiring whole = switch (kind) {
            case 0 -> Wiring.twoLevels(seed, 4 * side, side, 2, 1);
            case 1 -> Wiring.threeLevels(seed, side, side, 2, 2, 2, 1);
            case 2 -> Lattices.torus(seed, 1, 1, side, side, side);
            case 3 -> Lattices.hyperX(seed, 1, 1, side, side);
            case 4 -> Dragonflies.plus(seed, side, side, side, 2, 1, 1);
            case 5 -> Wiring.rails(seed, side, 4, 4, 4, 1);
            default -> Lattices.mesh(seed, 1, 1, side, side);
        };
        Wiring wiring = whole.withoutCables(lost / 10.0);
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
        assertThat(model.unresolved()).hasSizeLessThanOrEqualTo(8).allMatch(sentence -> sentence.length() <= 2048);
        assertThat(model.unresolved().stream().anyMatch(sentence -> sentence.startsWith("no ")))
                .isIn(false, model.kind() == FabricKind.Irregular);
        for (NoMatch no : reasons(wiring)) {
            assertThat(no.sentence()).matches("no (tree|torus, mesh or HyperX|dragonfly\\+?): [^%]+");
            boolean isShare = no.sentence().contains(" " + no.count() + " of " + no.of() + " ");
            assertThat(no.count()).isBetween(0L, isShare ? no.of() : Long.MAX_VALUE);
        }
    }
}
