/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.coordinate.CoordinateContract;
import dev.fabricoperator.fabric.cost.Weights;
import dev.fabricoperator.fabric.finding.Finding;
import dev.fabricoperator.fabric.testdata.Damage;
import dev.fabricoperator.fabric.testdata.Damage.Damaged;
import dev.fabricoperator.fabric.testdata.Damage.FabricMaker;
import dev.fabricoperator.fabric.testdata.Dragonflies;
import dev.fabricoperator.fabric.testdata.Dragonflies.Arrangement;
import dev.fabricoperator.fabric.testdata.Lattices;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.fabric.topology.Vertex;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * How often a fabric that lost a part, grows, or was joined to another is still recognised, keeps unique coordinates, and has findings about just
 * what is gone. Rates of a fixed seed stand in {@code recognition-rates.csv}: none may fall, and a better one is written there by
 * {@code -Dgolden.update=true}.
 */
class RecognitionUnderDamageTest {
    private static final Path RATES = Path.of("src/test/resources/recognition-rates.csv");
    private static final long SEED = 20_261_126;
    private static final int TRIES = 8;
    private static final int LONG_TRIES = 100;

    private enum Plan {
        FAT_TREE_2(FabricKind.FatTree, seed -> Wiring.twoLevels(seed, 12, 6, 8, 2)),
        FAT_TREE_3(FabricKind.FatTree, seed -> Wiring.threeLevels(seed, 6, 5, 4, 3, 6, 2)),
        RAILS(FabricKind.RailOptimized, seed -> Wiring.rails(seed, 4, 8, 8, 6, 2)),
        TORUS(FabricKind.Torus, seed -> Lattices.torus(seed, 2, 1, 5, 5, 5)),
        MESH(FabricKind.Mesh, seed -> Lattices.mesh(seed, 2, 1, 5, 6)),
        HYPERX(FabricKind.HyperX, seed -> Lattices.hyperX(seed, 2, 1, 5, 6)),
        DRAGONFLY(FabricKind.Dragonfly, seed -> Dragonflies.canonical(seed, 9, 4, 2, 2, 1, Arrangement.ABSOLUTE)),
        DRAGONFLY_PLUS(FabricKind.DragonflyPlus, seed -> Dragonflies.plus(seed, 5, 4, 4, 2, 4, 1));

        private final FabricKind kind;
        private final FabricMaker maker;

        Plan(FabricKind kind, FabricMaker maker) {
            this.kind = kind;
            this.maker = maker;
        }
    }

    /**
     * Counts of tries.
     *
     * @param named tries in which each pair of switches that lost a cable is in a finding
     * @param quiet tries in which nothing is in a finding that lost nothing
     */
    private record Rates(int tries, int kind, int unique, int named, int quiet) {
        private static final Rates NONE = new Rates(0, 0, 0, 0, 0);

        Rates plus(boolean rightKind, boolean isUnique, boolean allNamed, boolean isQuiet) {
            return new Rates(
                    tries + 1,
                    kind + (rightKind ? 1 : 0),
                    unique + (isUnique ? 1 : 0),
                    named + (allNamed ? 1 : 0),
                    quiet + (isQuiet ? 1 : 0));
        }

        static Rates read(String[] cells) {
            return new Rates(
                    Integer.parseInt(cells[2]),
                    Integer.parseInt(cells[3]),
                    Integer.parseInt(cells[4]),
                    Integer.parseInt(cells[5]),
                    Integer.parseInt(cells[6]));
        }

        boolean isBelow(Rates other) {
            return kind < other.kind || unique < other.unique || named < other.named || quiet < other.quiet;
        }

        @Override
        public String toString() {
            return tries + "," + kind + "," + unique + "," + named + "," + quiet;
        }
    }

    @Test
    void noRateFallsBelowTheRecordedOne() throws IOException {
        Map<String, Rates> now = rates(SEED, TRIES);
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(RATES, table(now), StandardCharsets.UTF_8);
        }
        Map<String, Rates> recorded = recorded();
        assertThat(now.keySet()).isEqualTo(recorded.keySet());
        List<String> fallen = new ArrayList<>();
        recorded.forEach((what, before) -> {
            if (now.getOrDefault(what, Rates.NONE).isBelow(before)) {
                fallen.add(what + ": " + now.get(what) + ", recorded " + before);
            }
        });
        assertThat(fallen).isEmpty();
    }

    /** The rates of a hundred tries are those of the recorded ones, but for chance: a fifth of all tries. */
    @Test
    @Tag("long")
    void otherSeedsHaveTheRecordedRates() throws IOException {
        long seed = Long.getLong("recognition.seed", new Random().nextLong());
        Map<String, Rates> now = rates(seed, LONG_TRIES);
        System.out.println("recognition under damage, -Drecognition.seed=" + seed + "\n" + table(now));
        List<String> fallen = new ArrayList<>();
        recorded().forEach((what, before) -> {
            Rates many = now.getOrDefault(what, Rates.NONE);
            int times = LONG_TRIES / TRIES;
            int chance = LONG_TRIES / 5;
            Rates least = new Rates(
                    LONG_TRIES,
                    before.kind * times - chance,
                    before.unique * times - chance,
                    before.named * times - chance,
                    before.quiet * times - chance);
            if (many.isBelow(least)) {
                fallen.add(what + ": " + many + ", recorded " + before);
            }
        });
        assertThat(fallen).as("seed %d", seed).isEmpty();
    }

    private static Map<String, Rates> rates(long seed, int tries) {
        Map<String, Rates> rates = new LinkedHashMap<>();
        for (Plan plan : Plan.values()) {
            for (Damage damage : Damage.values()) {
                for (int i = 0; i < tries; i++) {
                    Damaged damaged = damage.of(plan.maker, seed + i);
                    if (damaged != null) {
                        rates.merge(plan + "," + damage, tried(plan, damaged), RecognitionUnderDamageTest::sum);
                    }
                }
            }
            for (int i = 0; i < tries; i++) {
                Rates grown = grown(plan, seed + i);
                if (grown != null) {
                    rates.merge(plan + ",GROWN_BY_A_POD", grown, RecognitionUnderDamageTest::sum);
                }
            }
        }
        return rates;
    }

    private static Rates sum(Rates one, Rates other) {
        return new Rates(
                one.tries + other.tries,
                one.kind + other.kind,
                one.unique + other.unique,
                one.named + other.named,
                one.quiet + other.quiet);
    }

    private static Rates tried(Plan plan, Damaged damaged) {
        FabricModel model = FabricModel.of(damaged.switches(), damaged.vertices());
        Mentions mentions = new Mentions(model, damaged);
        return Rates.NONE.plus(
                model.kind() == plan.kind, hasUniqueCoordinates(model), mentions.nameAll(), mentions.nameNothingElse());
    }

    /** A group more than before: what stood there before keeps its numbers. {@code null} for a kind without groups that can be added. */
    private static @org.jspecify.annotations.Nullable Rates grown(Plan plan, long seed) {
        Damaged before = Damage.POD.of(plan.maker, seed);
        if (before == null) {
            return null;
        }
        Wiring whole = plan.maker.make(seed);
        FabricModel first = FabricModel.of(before.switches(), before.vertices());
        FabricModel next = FabricModel.of(
                whole.switches(), whole.vertices(), new ModelOptions(first.numbering(), Weights.NONE), first);
        boolean kept = true;
        for (Vertex each : before.vertices()) {
            DevicePosition then = first.device(each.index());
            DevicePosition now = next.device(each.index());
            kept &= then != null && now != null && java.util.Objects.equals(then.group(), now.group());
        }
        return Rates.NONE.plus(
                next.kind() == plan.kind,
                hasUniqueCoordinates(next),
                kept,
                next.findings().isEmpty());
    }

    private static boolean hasUniqueCoordinates(FabricModel model) {
        try {
            CoordinateContract.assertHolds(model.topology(), model.classification());
            return true;
        } catch (AssertionError e) {
            return false;
        }
    }

    /** What the findings of a damaged fabric are about. */
    private static final class Mentions {
        private final Topology topology;
        private final FabricModel model;
        private final Damaged damaged;
        private final Set<String> touched = new TreeSet<>();

        Mentions(FabricModel model, Damaged damaged) {
            this.model = model;
            this.topology = model.topology();
            this.damaged = damaged;
            damaged.lostPairs().forEach(touched::addAll);
        }

        boolean nameAll() {
            for (Set<String> pair : damaged.lostPairs()) {
                if (model.findings().stream().noneMatch(f -> isAbout(f, pair))) {
                    return false;
                }
            }
            return true;
        }

        private boolean isAbout(Finding finding, Set<String> pair) {
            if (pair.stream().allMatch(finding.message()::contains)) {
                return true;
            }
            List<String> groups = new ArrayList<>();
            for (String id : pair) {
                groups.add("group " + group(id));
            }
            String object = finding.object();
            return pair.contains(object)
                    || object.equals(groups.get(0) + " to " + groups.get(1))
                    || object.equals(groups.get(1) + " to " + groups.get(0));
        }

        /** Findings of a switch that is gone may name what it was cabled to, and the group that it was in. */
        boolean nameNothingElse() {
            for (Finding finding : model.findings()) {
                boolean isRight = switch (finding.type()) {
                    case MissingSwitch, Partition -> !damaged.lostSwitches().isEmpty();
                    case Bridge -> damaged.lostPairs().stream().anyMatch(pair -> isAbout(finding, pair));
                    case MissingRail -> damaged.lostHosts().containsAll(finding.hosts());
                    case MissingUplink ->
                        !damaged.lostSwitches().isEmpty()
                                || damaged.lostPairs().stream().anyMatch(pair -> isAbout(finding, pair));
                    default -> false;
                };
                if (!isRight) {
                    return false;
                }
            }
            return true;
        }

        private int group(String id) {
            return model.classification().groupOfSwitch()[topology.switchIndex(id)];
        }
    }

    private static String table(Map<String, Rates> rates) {
        StringBuilder text = new StringBuilder("plan,damage,tries,kind,unique,named,quiet\n");
        rates.forEach((what, each) -> text.append(what).append(',').append(each).append('\n'));
        return text.toString();
    }

    private static Map<String, Rates> recorded() throws IOException {
        Map<String, Rates> rates = new LinkedHashMap<>();
        for (String line : Files.readAllLines(RATES).stream().skip(1).toList()) {
            String[] cells = line.split(",", -1);
            rates.put(cells[0] + "," + cells[1], Rates.read(cells));
        }
        return rates;
    }
}
