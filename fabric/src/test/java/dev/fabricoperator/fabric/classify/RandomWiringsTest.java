/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.finding.FindingType;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.testdata.Lattices;
import dev.fabricoperator.fabric.testdata.Wiring;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wired by chance has no pattern, however dense it is. */
class RandomWiringsTest {
    @Property(seed = "20261121", tries = 250, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void randomRegularGraphsAreIrregular(
            @ForAll long seed,
            @ForAll @IntRange(min = 8, max = 60) int switches,
            @ForAll @IntRange(min = 3, max = 58) int wanted) {
        int atMost = Math.min(wanted, switches - 2);
        int degree = switches % 2 == 1 && atMost % 2 == 1 ? atMost + (atMost == 3 ? 1 : -1) : atMost;
        Wiring wiring = Lattices.exactlyRegular(seed, switches, degree, 1);
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
        if (model.kind() != FabricKind.Irregular) {
            // Of twelve switches one wiring in a hundred is a whole pattern by chance, and then it is one.
            assertThat(switches).as("%s of degree %d", model.kind(), degree).isLessThanOrEqualTo(12);
            assertThat(model.findings())
                    .filteredOn(f -> f.type() == FindingType.MissingUplink || f.type() == FindingType.MissingSwitch)
                    .hasSizeLessThanOrEqualTo(switches * degree / 20);
        }
    }

    /** Each of these was once taken for a dragonfly or for a full mesh that lost cables. */
    @ParameterizedTest
    @CsvSource({"37, 20, 10", "1, 12, 9", "2, 14, 12", "3, 24, 22", "4, 18, 6", "5, 23, 12", "6, 59, 48"})
    void denseRandomGraphsAreNoDragonfliesAndNoFullMeshes(long seed, int switches, int degree) {
        Wiring wiring = Lattices.exactlyRegular(seed, switches, degree, 2);
        assertThat(Classifier.classify(wiring.topology()).kind()).isEqualTo(FabricKind.Irregular);
        Wiring rings = Lattices.regular(seed, switches, degree / 2 * 2, 2);
        if (2 * degree < switches) {
            assertThat(Classifier.classify(rings.topology()).kind()).isEqualTo(FabricKind.Irregular);
        }
    }
}
