/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.pmix.pmixd.mesh.MeshException;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FencesTest {
    /** What the pods of one fence were told. */
    private static final class Outcome {
        final List<Integer> statuses = new ArrayList<>();
        final List<byte[]> results = new ArrayList<>();

        Answer answer() {
            return (status, data) -> {
                statuses.add(status);
                results.add(data);
            };
        }
    }

    private static int[] ranksOfPods(int pods, Random random) {
        return IntStream.range(0, pods).map(pod -> 1 + random.nextInt(4)).toArray();
    }

    private static int[] someRanks(JobLayout layout, Random random) {
        int[] ranks = IntStream.range(0, layout.size())
                .filter(rank -> random.nextInt(3) == 0)
                .toArray();
        return ranks.length == 0 ? new int[] {random.nextInt(layout.size())} : ranks;
    }

    private static byte[] part(int pod, int fence, Random random) {
        byte[] data = new byte[random.nextInt(3) == 0 ? 0 : random.nextInt(50)];
        Arrays.fill(data, (byte) (pod + 31 * fence));
        return data;
    }

    private static List<Integer> shuffledPods(JobLayout layout, int[] ranks, Random random) {
        List<Integer> pods =
                new ArrayList<>(layout.podsOf(ranks).stream().boxed().toList());
        Collections.shuffle(pods, random);
        return pods;
    }

    @Property(tries = 150)
    void everyParticipantGetsEveryPartInTheOrderOfPodsHoweverMessagesTravel(
            @ForAll @IntRange(min = 1, max = 80) int pods, @ForAll long seed) throws MeshException {
        Random random = new Random(seed);
        SimulatedJob job = new SimulatedJob(ranksOfPods(pods, random), seed);
        List<Outcome> outcomes = new ArrayList<>();
        List<byte[]> expected = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        for (int fence = 0; fence < 6; fence++) {
            // Sometimes the same participants again, while earlier fences are still under way.
            int[] ranks = fence % 2 == 1 ? someRanks(job.layout, new Random(seed)) : someRanks(job.layout, random);
            Outcome outcome = new Outcome();
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            byte[][] parts = new byte[pods][];
            job.layout.podsOf(ranks).stream().forEach(pod -> parts[pod] = part(pod, pod, random));
            for (byte[] part : parts) {
                all.writeBytes(part == null ? new byte[0] : part);
            }
            List<Integer> mixed = new ArrayList<>(Arrays.stream(ranks).boxed().toList());
            for (int pod : shuffledPods(job.layout, ranks, random)) {
                Collections.shuffle(mixed, random);
                job.fences[pod].enter(
                        mixed.stream().mapToInt(Integer::intValue).toArray(), parts[pod], outcome.answer());
                if (random.nextInt(10) == 0) {
                    job.run();
                }
            }
            outcomes.add(outcome);
            expected.add(all.toByteArray());
            sizes.add(job.layout.podsOf(ranks).cardinality());
        }
        job.run();
        for (int fence = 0; fence < outcomes.size(); fence++) {
            assertThat(outcomes.get(fence).statuses).hasSize(sizes.get(fence)).containsOnly(PmixStatus.PMIX_SUCCESS);
            for (byte[] result : outcomes.get(fence).results) {
                assertThat(result).isEqualTo(expected.get(fence));
            }
        }
        for (Fences each : job.fences) {
            assertThat(each.pending()).isZero();
        }
    }

    @Test
    void aThousandPodsFenceInTwoMessagesForEachConnection() throws MeshException {
        int pods = 1024;
        SimulatedJob job =
                new SimulatedJob(IntStream.range(0, pods).map(pod -> 1).toArray(), 1);
        Outcome outcome = new Outcome();
        int[] all = IntStream.range(0, pods).toArray();
        for (int pod = 0; pod < pods; pod++) {
            job.fences[pod].enter(all, new byte[] {(byte) pod}, outcome.answer());
        }
        job.run();
        assertThat(outcome.results)
                .hasSize(pods)
                .allSatisfy(result -> assertThat(result).hasSize(pods));
        assertThat(job.delivered).isEqualTo(2 * (pods - 1));
    }

    @Property(tries = 100)
    void aFenceThatDoesNotFitIsAnsweredWithOutOfResourceByAllAndTheNextOneWorks(
            @ForAll @IntRange(min = 1, max = 80) int pods, @ForAll long seed) throws MeshException {
        SimulatedJob job =
                new SimulatedJob(IntStream.range(0, pods).map(pod -> 1).toArray(), seed, 10 * pods);
        int[] all = IntStream.range(0, pods).toArray();
        List<Integer> order = new ArrayList<>(IntStream.range(0, pods).boxed().toList());
        Collections.shuffle(order, new Random(seed));
        Outcome tooLarge = new Outcome();
        Outcome fits = new Outcome();
        for (int pod : order) {
            job.fences[pod].enter(all, new byte[11], tooLarge.answer());
        }
        job.run();
        for (int pod : order) {
            job.fences[pod].enter(all, new byte[10], fits.answer());
        }
        job.run();
        assertThat(tooLarge.statuses).hasSize(pods).containsOnly(PmixStatus.PMIX_ERR_OUT_OF_RESOURCE);
        assertThat(fits.statuses).hasSize(pods).containsOnly(PmixStatus.PMIX_SUCCESS);
        assertThat(fits.results).allSatisfy(result -> assertThat(result).hasSize(10 * pods));
    }

    @Property(tries = 100)
    void aFenceOfWhichAParticipantIsGoneFailsInAllPodsAndTheNextOneWorks(
            @ForAll @IntRange(min = 2, max = 40) int pods, @ForAll long seed) throws MeshException {
        SimulatedJob job =
                new SimulatedJob(IntStream.range(0, pods).map(pod -> 1).toArray(), seed, 1 << 20);
        int[] all = IntStream.range(0, pods).toArray();
        int incomplete = new Random(seed).nextInt(pods);
        Outcome first = new Outcome();
        Outcome second = new Outcome();
        for (int pod : all) {
            job.fences[pod].enter(
                    all, pod == incomplete ? PmixStatus.PMIX_ERR_PARTIAL_SUCCESS : 0, new byte[1], first.answer());
        }
        job.run();
        for (int pod : all) {
            job.fences[pod].enter(all, new byte[1], second.answer());
        }
        job.run();
        assertThat(first.statuses).hasSize(pods).containsOnly(PmixStatus.PMIX_ERR_PARTIAL_SUCCESS);
        assertThat(second.statuses).hasSize(pods).containsOnly(PmixStatus.PMIX_SUCCESS);
    }

    @Property(tries = 100)
    void nothingIsKeptOfFencesThatFailedOnceEverybodyHasEnteredThem(
            @ForAll @IntRange(min = 1, max = 80) int pods, @ForAll long seed) throws MeshException {
        Random random = new Random(seed);
        SimulatedJob job =
                new SimulatedJob(IntStream.range(0, pods).map(pod -> 1).toArray(), seed, 10 * pods);
        int[] all = IntStream.range(0, pods).toArray();
        int fences = 20;
        Outcome outcome = new Outcome();
        int[] entered = new int[pods];
        for (int left = pods * fences; left > 0; left--) {
            int pod = random.nextInt(pods);
            while (entered[pod] == fences) {
                pod = (pod + 1) % pods;
            }
            entered[pod]++;
            job.fences[pod].enter(all, new byte[random.nextInt(3) == 0 ? 10 * pods + 1 : 1], outcome.answer());
            if (random.nextInt(10) == 0) {
                job.run();
            }
        }
        job.run();
        assertThat(outcome.statuses).hasSize(pods * fences).contains(PmixStatus.PMIX_ERR_OUT_OF_RESOURCE);
        for (Fences each : job.fences) {
            assertThat(each.pending()).isZero();
            assertThat(each.keptStatuses()).isZero();
        }
    }

    @Test
    void aFenceAmongPodsOfOneBranchDoesNotDisturbTheRoot() throws MeshException {
        SimulatedJob job =
                new SimulatedJob(IntStream.range(0, 300).map(pod -> 1).toArray(), 1);
        Outcome outcome = new Outcome();
        // Pods 17 to 32 are the children of pod 1.
        for (int pod : new int[] {1, 17, 32}) {
            job.fences[pod].enter(new int[] {1, 17, 32}, new byte[] {(byte) pod}, outcome.answer());
        }
        job.run();
        assertThat(outcome.results)
                .hasSize(3)
                .allSatisfy(result -> assertThat(result).containsExactly(1, 17, 32));
        assertThat(job.delivered).isEqualTo(4);
    }

    @Property(tries = 100)
    void aFenceWithAPodThatHasLeftFailsForEverybodyWhoEverEntersIt(
            @ForAll @IntRange(min = 2, max = 60) int pods, @ForAll long seed) throws MeshException {
        Random random = new Random(seed);
        SimulatedJob job =
                new SimulatedJob(IntStream.range(0, pods).map(pod -> 1).toArray(), seed);
        int[] all = IntStream.range(0, pods).toArray();
        int gone = pods - 1;
        int parent = pods <= 32 ? 0 : (gone - 1) / 16;
        Outcome outcome = new Outcome();
        List<Integer> entering =
                new ArrayList<>(IntStream.range(0, gone).boxed().toList());
        Collections.shuffle(entering, random);
        int before = random.nextInt(pods);
        for (int i = 0; i < entering.size(); i++) {
            if (i == before) {
                job.left[gone] = true;
                job.fences[parent].left(gone);
                job.run();
            }
            job.fences[entering.get(i)].enter(all, new byte[1], outcome.answer());
        }
        if (before >= entering.size()) {
            job.left[gone] = true;
            job.fences[parent].left(gone);
        }
        job.run();
        assertThat(outcome.statuses).hasSize(gone).containsOnly(PmixStatus.PMIX_ERR_UNREACH);
    }

    @Test
    void ranksThatTheJobDoesNotHaveAreUnreachable() {
        SimulatedJob job = new SimulatedJob(new int[] {1, 1}, 1);
        for (int[] ranks : new int[][] {{}, {0, 2}, {-1, 0}}) {
            Outcome outcome = new Outcome();
            job.fences[0].enter(ranks, new byte[0], outcome.answer());
            assertThat(outcome.statuses).containsExactly(PmixStatus.PMIX_ERR_UNREACH);
        }
    }

    @Test
    void partsFromElsewhereAndContradictionsAreRefused() {
        SimulatedJob job = new SimulatedJob(IntStream.range(0, 40).map(pod -> 1).toArray(), 1);
        FenceKey key = new FenceKey(1, 2, 3);
        BitSet pods = new BitSet();
        pods.set(0, 3);
        for (int elsewhere : new int[] {2, -1, 1 << 30}) {
            Wire.FenceUp up = new Wire.FenceUp(key, 0, pods, List.of(Wire.Part.of(elsewhere, new byte[0])));
            assertThatThrownBy(() -> job.fences[1].received(up, 17)).hasMessageContaining("not below it");
        }
        BitSet others = new BitSet();
        others.set(1, 4);
        assertThatThrownBy(() -> job.fences[1].received(new Wire.FenceUp(key, 0, others, List.of()), 17))
                .hasMessageContaining("other participants");
        BitSet beyond = new BitSet();
        beyond.set(40);
        for (BitSet wrong : List.of(beyond, new BitSet())) {
            for (Wire fence :
                    List.of(new Wire.FenceUp(key, 0, wrong, List.of()), Wire.FenceDown.of(key, 0, wrong, List.of()))) {
                assertThatThrownBy(() -> Wire.decode(fence.encode(), 40)).hasMessageContaining("does not have");
            }
        }
    }

    /** A part without bytes takes eight of a message and ten times as much of a heap. */
    @Test
    void aFenceOfMorePartsThanPodsIsRefusedBeforeTheyAreRead() {
        BitSet pods = new BitSet();
        pods.set(0, 3);
        List<Wire.Part> parts = Collections.nCopies(4, Wire.Part.of(1, new byte[0]));
        byte[] message = new Wire.FenceUp(new FenceKey(1, 2, 3), 0, pods, parts).encode();
        assertThatThrownBy(() -> Wire.decode(message, 40)).hasMessage("sent 4 parts of a fence of 3 pods");
    }

    private static byte[] name(String text) {
        return (text + '\0').getBytes(StandardCharsets.UTF_8);
    }

    @Property(tries = 100)
    void collectivesOfOtherNamesAreCountedApartAndNothingIsKeptOfThem(
            @ForAll @IntRange(min = 1, max = 80) int pods, @ForAll long seed) throws MeshException {
        Random random = new Random(seed);
        SimulatedJob job = new SimulatedJob(ranksOfPods(pods, random), seed);
        for (int round = 0; round < 3; round++) {
            int[] ranks = someRanks(job.layout, random);
            Map<String, Outcome> outcomes = Map.of("a", new Outcome(), "b", new Outcome(), "", new Outcome());
            for (int pod : shuffledPods(job.layout, ranks, random)) {
                List<String> names = new ArrayList<>(outcomes.keySet());
                Collections.shuffle(names, random);
                for (String each : names) {
                    byte[] part = each.getBytes(StandardCharsets.UTF_8);
                    Answer answer = outcomes.getOrDefault(each, new Outcome()).answer();
                    if (each.isEmpty()) {
                        job.fences[pod].enter(ranks, part, answer);
                    } else {
                        job.fences[pod].enter(name(each), ranks, 0, part, answer);
                    }
                }
            }
            job.run();
            int taking = job.layout.podsOf(ranks).cardinality();
            outcomes.forEach((each, outcome) -> {
                assertThat(outcome.statuses).hasSize(taking).containsOnly(PmixStatus.PMIX_SUCCESS);
                assertThat(outcome.results)
                        .allSatisfy(result -> assertThat(new String(result, StandardCharsets.UTF_8))
                                .isEqualTo(each.repeat(taking)));
            });
        }
        for (Fences each : job.fences) {
            assertThat(each.pending()).isZero();
            assertThat(each.keptSeries()).isLessThanOrEqualTo(3);
        }
    }

    @Property(tries = 150)
    void aCollectiveThatExpiresInOnePodFailsForAllOrSucceedsForAllAndTheNextOneWorks(
            @ForAll @IntRange(min = 2, max = 80) int pods, @ForAll long seed) throws MeshException {
        Random random = new Random(seed);
        SimulatedJob job =
                new SimulatedJob(IntStream.range(0, pods).map(pod -> 1).toArray(), seed);
        int[] all = IntStream.range(0, pods).toArray();
        List<Integer> order = shuffledPods(job.layout, all, random);
        int expiring = random.nextInt(pods);
        int expiresAfter = order.indexOf(expiring) + random.nextInt(pods - order.indexOf(expiring));
        boolean deliverBefore = random.nextBoolean();
        Outcome first = new Outcome();
        FenceKey key = null;
        for (int i = 0; i < pods; i++) {
            FenceKey entered = job.fences[order.get(i)].enter(name("g"), all, 0, new byte[1], first.answer());
            key = order.get(i) == expiring ? entered : key;
            if (deliverBefore) {
                job.run();
            }
            if (i == expiresAfter && key != null) {
                job.fences[expiring].expire(key);
                if (deliverBefore) {
                    job.run();
                }
            }
        }
        job.run();
        assertThat(first.statuses).hasSize(pods);
        assertThat(Set.copyOf(first.statuses))
                .hasSize(1)
                .isSubsetOf(Set.of(PmixStatus.PMIX_SUCCESS, PmixStatus.PMIX_ERR_TIMEOUT));
        if (deliverBefore && expiresAfter < pods - 1) {
            assertThat(first.statuses).containsOnly(PmixStatus.PMIX_ERR_TIMEOUT);
        }
        Outcome second = new Outcome();
        for (int pod : order) {
            job.fences[pod].enter(name("g"), all, 0, new byte[1], second.answer());
        }
        job.run();
        assertThat(second.statuses).hasSize(pods).containsOnly(PmixStatus.PMIX_SUCCESS);
    }

    @Property(tries = 100)
    void whatPod0IsAskedItAnswersToWhoHasAsked(@ForAll @IntRange(min = 1, max = 80) int pods, @ForAll long seed)
            throws MeshException {
        SimulatedJob job = new SimulatedJob(ranksOfPods(pods, new Random(seed)), seed);
        List<Outcome> outcomes = new ArrayList<>();
        for (int pod = 0; pod < pods; pod++) {
            Outcome outcome = new Outcome();
            job.rootRequests[pod].ask(job.layout.firstRank(pod), new byte[] {7}, outcome.answer());
            outcomes.add(outcome);
        }
        job.run();
        for (int pod = 0; pod < pods; pod++) {
            assertThat(outcomes.get(pod).results).singleElement().isEqualTo(new byte[] {0, (byte) pod, 7});
        }
    }

    @Property(tries = 100)
    void aModexIsAnsweredByTheRanksOwnPod(@ForAll @IntRange(min = 1, max = 80) int pods, @ForAll long seed)
            throws MeshException {
        Random random = new Random(seed);
        SimulatedJob job = new SimulatedJob(ranksOfPods(pods, random), seed);
        for (int i = 0; i < 5; i++) {
            int rank = random.nextInt(job.layout.size());
            Outcome outcome = new Outcome();
            job.modexes[random.nextInt(pods)].ask(rank, outcome.answer());
            job.run();
            assertThat(outcome.results).hasSize(1);
            assertThat(outcome.results.get(0)).containsExactly((byte) job.layout.podOf(rank), (byte) rank);
        }
        Outcome none = new Outcome();
        job.modexes[0].ask(job.layout.size(), none.answer());
        assertThat(none.statuses).containsExactly(PmixStatus.PMIX_ERR_NOT_FOUND);
    }

    /** Three pods with two ranks each. Rank 2, of pod 1, takes all that it gets; the others are ranks 0, 1, 3, 4 and 5. */
    private static SimulatedJob attacked() {
        return new SimulatedJob(new int[] {2, 2, 2}, 1, 1 << 20, 1 << 16);
    }

    private static final int ATTACKS = 20_000;

    private static void enterAll(SimulatedJob job, String name, int[] ranks, Outcome outcome) {
        for (int pod : job.layout.podsOf(ranks).stream().toArray()) {
            job.fences[pod].enter(name(name), ranks, 0, new byte[1], outcome.answer());
        }
    }

    private static void assertOthersAreServed(SimulatedJob job) throws MeshException {
        for (int[] ranks : new int[][] {{0, 1, 2, 3, 4, 5}, {3, 5}, {0, 3}, {0, 4}, {3, 4, 5}}) {
            Outcome outcome = new Outcome();
            for (int round = 0; round < 3; round++) {
                for (int pod : job.layout.podsOf(ranks).stream().toArray()) {
                    job.fences[pod].enter(ranks, new byte[1], outcome.answer());
                }
                enterAll(job, "group " + round, ranks, outcome);
                job.run();
            }
            assertThat(outcome.statuses)
                    .hasSize(6 * job.layout.podsOf(ranks).cardinality())
                    .containsOnly(PmixStatus.PMIX_SUCCESS);
        }
    }

    private static void assertLittleIsKept(SimulatedJob job) {
        for (Fences each : job.fences) {
            assertThat(each.pending() + each.keptSeries()).isLessThan(1000);
            assertThat(each.keptStatuses()).isLessThan(4 * 600);
        }
    }

    /** As PMIx_Group_construct under ever new names, with a member that never comes. */
    @Test
    void aRankThatEntersCollectivesWithoutEndIsRefusedAndTheOthersGoOn() throws MeshException {
        for (int partner : new int[] {0, 4}) {
            SimulatedJob job = attacked();
            Outcome attack = new Outcome();
            for (int i = 0; i < ATTACKS; i++) {
                job.fences[1].enter(name("g" + i), new int[] {2, partner}, 0, new byte[1], attack.answer());
                if (i % 100 == 0) {
                    job.run();
                }
            }
            job.run();
            assertLittleIsKept(job);
            assertThat(attack.statuses)
                    .hasSizeGreaterThan(ATTACKS - 200)
                    .containsOnly(PmixStatus.PMIX_ERR_OUT_OF_RESOURCE);
            assertOthersAreServed(job);
        }
    }

    /** A rank that enters fences of ever new sets, one after the other, and a partner that is far behind: the partner gets an answer for each. */
    @ParameterizedTest
    @ValueSource(ints = {0, 4})
    void whoIsRefusedForItsManySetsDoesNotRunAheadOfTheOthers(int partner) throws MeshException {
        int sets = 3000;
        SimulatedJob job = new SimulatedJob(new int[] {2, 14, 2}, 1, 1 << 20, 1 << 16);
        int partnersPod = job.layout.podOf(partner == 0 ? 0 : 16);
        Outcome ahead = new Outcome();
        Outcome behind = new Outcome();
        for (int i = 1; i <= sets; i++) {
            // Rank 2, those of ranks 3 to 15 that are bits of i, and the partner.
            int members = i;
            int[] ranks = IntStream.range(0, 18)
                    .filter(rank -> rank == 2
                            || rank == (partner == 0 ? 0 : 16)
                            || rank > 2 && rank < 16 && (members >> (rank - 3) & 1) != 0)
                    .toArray();
            job.fences[1].enter(ranks, new byte[1], ahead.answer());
            job.run();
            assertThat(ahead.statuses)
                    .as("refused before set %d has come together", i)
                    .hasSize(i - 1);
            job.fences[partnersPod].enter(ranks, new byte[1], behind.answer());
            job.run();
            assertThat(ahead.statuses).hasSize(i);
        }
        assertThat(behind.statuses).isEqualTo(ahead.statuses);
        assertThat(ahead.statuses).contains(PmixStatus.PMIX_SUCCESS, PmixStatus.PMIX_ERR_OUT_OF_RESOURCE);
        assertLittleIsKept(job);
    }

    /** One refused set waits for its partner while so many others are refused that its count is forgotten. */
    @Test
    void whoWaitsWhileItsCountIsForgottenStaysInStep() throws MeshException {
        SimulatedJob job = new SimulatedJob(new int[] {2, 14, 2}, 1, 1 << 20, 1 << 16);
        int[] waiting = {2, 16};
        Outcome ahead = new Outcome();
        Outcome late = new Outcome();
        for (int i = 1; i <= 2000; i++) {
            if (i == 1000) {
                job.fences[1].enter(waiting, new byte[1], ahead.answer());
            }
            int members = i;
            int[] ranks = IntStream.range(0, 18)
                    .filter(rank ->
                            rank == 2 || rank == 17 || rank > 2 && rank < 16 && (members >> (rank - 3) & 1) != 0)
                    .toArray();
            Outcome outcome = new Outcome();
            job.fences[1].enter(ranks, new byte[1], outcome.answer());
            job.fences[2].enter(ranks, new byte[1], outcome.answer());
            job.run();
            assertThat(outcome.statuses).hasSize(2);
        }
        assertThat(ahead.statuses).isEmpty();
        for (int round = 1; round <= 3; round++) {
            job.fences[2].enter(waiting, new byte[1], late.answer());
            job.run();
            assertThat(late.statuses).as("round %d", round).hasSize(round).isEqualTo(ahead.statuses);
            job.fences[1].enter(waiting, new byte[1], ahead.answer());
            job.run();
        }
        assertThat(late.statuses).containsOnly(PmixStatus.PMIX_ERR_OUT_OF_RESOURCE);
    }

    @Test
    void ofCollectivesThatFailWithoutEndLittleIsKeptAndTheOthersGoOn() throws MeshException {
        SimulatedJob job = attacked();
        Outcome attack = new Outcome();
        for (int i = 0; i < ATTACKS; i++) {
            job.fences[1].enter(
                    name("g" + i), new int[] {2, 4}, PmixStatus.PMIX_ERR_TIMEOUT, new byte[1], attack.answer());
            if (i % 100 == 0) {
                job.run();
            }
        }
        job.run();
        assertLittleIsKept(job);
        assertThat(attack.statuses)
                .hasSize(ATTACKS)
                .containsOnly(PmixStatus.PMIX_ERR_TIMEOUT, PmixStatus.PMIX_ERR_OUT_OF_RESOURCE);
        assertOthersAreServed(job);
    }

    /** Of the same participants: one of them is gone, another never calls. */
    @Test
    void ofFencesThatFailBeforeARankComesFewStatusesAreKept() throws MeshException {
        SimulatedJob job = attacked();
        int[] participants = {0, 2, 4};
        Outcome attack = new Outcome();
        for (int i = 0; i < ATTACKS; i++) {
            job.fences[1].enter(participants, PmixStatus.PMIX_ERR_PARTIAL_SUCCESS, new byte[1], attack.answer());
            job.run();
        }
        assertLittleIsKept(job);
        Outcome late = new Outcome();
        for (int i = 0; i < ATTACKS; i++) {
            job.fences[2].enter(participants, new byte[1], late.answer());
        }
        job.run();
        assertThat(attack.statuses).hasSize(ATTACKS).doesNotContain(PmixStatus.PMIX_SUCCESS);
        assertThat(late.statuses)
                .as("all of one kind are one run of statuses, so that none is forgotten")
                .hasSize(ATTACKS)
                .containsOnly(PmixStatus.PMIX_ERR_PARTIAL_SUCCESS);
        assertOthersAreServed(job);
    }

    @Test
    void aRankThatIsAheadOfTheOthersByManyFencesIsRefused() throws MeshException {
        SimulatedJob job = attacked();
        int[] participants = {2, 4};
        Outcome attack = new Outcome();
        for (int i = 0; i < ATTACKS; i++) {
            job.fences[1].enter(participants, new byte[1], attack.answer());
        }
        job.run();
        assertLittleIsKept(job);
        int open = ATTACKS - attack.statuses.size();
        assertThat(open).isPositive();
        Outcome late = new Outcome();
        for (int i = 0; i < open; i++) {
            job.fences[2].enter(participants, new byte[1], late.answer());
            job.run();
        }
        assertThat(late.statuses).hasSize(open).containsOnly(PmixStatus.PMIX_SUCCESS);
        assertOthersAreServed(job);
    }

    private static final int[] RANKS_OF_PODS_1_AND_2 = {2, 4};

    /** @return what the two pods are told of one collective */
    private static List<Integer> statusesOf(SimulatedJob job, String name, int status) throws MeshException {
        Outcome outcome = new Outcome();
        byte[] encoded = name.isEmpty() ? new byte[0] : name(name);
        job.fences[1].enter(encoded, RANKS_OF_PODS_1_AND_2, status, new byte[1], outcome.answer());
        job.fences[2].enter(encoded, RANKS_OF_PODS_1_AND_2, 0, new byte[1], outcome.answer());
        job.run();
        return outcome.statuses;
    }

    /**
     * Rank 2 enters collectives of rank 0, which does not come, until it has nothing left.
     *
     * @return the names of those that wait
     */
    private static List<byte[]> takeAllOfRank2(SimulatedJob job) throws MeshException {
        int[] ranks = {0, 2};
        List<byte[]> waiting = new ArrayList<>();
        Outcome refused = new Outcome();
        for (int i = 0; refused.statuses.isEmpty(); i++) {
            byte[] name = name("waits " + i);
            if (job.fences[1].enter(name, ranks, 0, new byte[1], refused.answer()) != null) {
                waiting.add(name);
            }
        }
        // Of one that is refused, but has no name, the count stays: of the share nothing is left over.
        job.fences[1].enter(ranks, new byte[1], refused.answer());
        job.run();
        return waiting;
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "group"})
    void participantsOfWhomOneIsRefusedStayInStep(String name) throws MeshException {
        SimulatedJob job = attacked();
        List<byte[]> waiting = takeAllOfRank2(job);
        for (int round = 0; round < 3; round++) {
            assertThat(statusesOf(job, name, 0))
                    .as("round %d, without room", round)
                    .hasSize(2)
                    .containsOnly(PmixStatus.PMIX_ERR_OUT_OF_RESOURCE);
        }
        for (byte[] each : waiting) {
            job.fences[0].enter(each, new int[] {0, 2}, 0, new byte[1], new Outcome().answer());
        }
        job.run();
        for (int round = 0; round < 3; round++) {
            assertThat(statusesOf(job, name, 0))
                    .as("round %d, with room", round)
                    .containsExactly(PmixStatus.PMIX_SUCCESS, PmixStatus.PMIX_SUCCESS);
        }
    }

    @Test
    void participantsOfWhomOneIsRefusedAfterAFailureStayInStep() throws MeshException {
        SimulatedJob job = attacked();
        int gone = PmixStatus.PMIX_ERR_PARTIAL_SUCCESS;
        assertThat(statusesOf(job, "group", gone)).containsExactly(gone, gone);
        List<byte[]> waiting = takeAllOfRank2(job);
        assertThat(statusesOf(job, "group", 0)).hasSize(2).containsOnly(PmixStatus.PMIX_ERR_OUT_OF_RESOURCE);
        for (byte[] each : waiting) {
            job.fences[0].enter(each, new int[] {0, 2}, 0, new byte[1], new Outcome().answer());
        }
        job.run();
        assertThat(statusesOf(job, "group", 0)).containsExactly(PmixStatus.PMIX_SUCCESS, PmixStatus.PMIX_SUCCESS);
    }

    /** Pod 0 hands on what the others do, and remembers that it failed. */
    @Test
    void aCollectiveWithANameThatFailedAndThenSucceededWorksAgain() throws MeshException {
        SimulatedJob job = attacked();
        int gone = PmixStatus.PMIX_ERR_PARTIAL_SUCCESS;
        for (int status : new int[] {gone, gone, 0, 0, gone, 0, 0}) {
            assertThat(statusesOf(job, "group", status)).containsExactly(status, status);
        }
    }

    /** The first 32 wait, the others are refused at once; in the second case the first one waits, and the others fail for two reasons in turn. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void participantsOfWhomOneIsAheadByManyFencesStayInStep(boolean failing) throws MeshException {
        SimulatedJob job = new SimulatedJob(new int[] {2, 2, 2}, 1);
        int fences = 500;
        Outcome ahead = new Outcome();
        for (int i = 0; i < fences; i++) {
            int reason = i % 2 == 0 ? PmixStatus.PMIX_ERR_TIMEOUT : PmixStatus.PMIX_ERR_PARTIAL_SUCCESS;
            job.fences[1].enter(RANKS_OF_PODS_1_AND_2, failing && i > 0 ? reason : 0, new byte[1], ahead.answer());
            job.run();
        }
        int waiting = failing ? 1 : 32;
        assertThat(ahead.statuses).hasSize(fences - waiting).doesNotContain(PmixStatus.PMIX_SUCCESS);
        assertLittleIsKept(job);
        Outcome late = new Outcome();
        for (int i = 0; i < fences; i++) {
            job.fences[2].enter(RANKS_OF_PODS_1_AND_2, new byte[1], late.answer());
            job.run();
        }
        assertThat(late.statuses).hasSize(fences);
        assertThat(late.statuses.subList(0, waiting)).containsOnly(PmixStatus.PMIX_SUCCESS);
        assertThat(late.statuses.subList(waiting, fences)).doesNotContain(PmixStatus.PMIX_SUCCESS);
        assertThat(ahead.statuses).hasSize(fences);
        assertThat(statusesOf(job, "", 0)).containsExactly(PmixStatus.PMIX_SUCCESS, PmixStatus.PMIX_SUCCESS);
    }

    /** With little room, and with pods that are ahead of others by more than may wait. */
    @Property(tries = 50)
    void everyFenceSucceedsForAllOrFailsForAllHoweverManyAreRefused(
            @ForAll @IntRange(min = 2, max = 40) int pods, @ForAll long seed) throws MeshException {
        Random random = new Random(seed);
        SimulatedJob job =
                new SimulatedJob(IntStream.range(0, pods).map(pod -> 1).toArray(), seed, 1 << 20, 1 << 12);
        Map<String, int[]> distinct = new TreeMap<>();
        for (int i = 0; i < 8; i++) {
            int[] ranks = someRanks(job.layout, random);
            distinct.put(Arrays.toString(ranks), ranks);
        }
        List<int[]> sets = List.copyOf(distinct.values());
        int fences = 40;
        Map<Integer, List<int[]>> toEnter = new HashMap<>();
        List<List<Outcome>> outcomes = new ArrayList<>();
        for (int[] set : sets) {
            outcomes.add(Stream.generate(Outcome::new).limit(fences).toList());
            for (int pod : set) {
                toEnter.computeIfAbsent(pod, key -> new ArrayList<>()).add(new int[] {outcomes.size() - 1, 0});
            }
        }
        while (!toEnter.isEmpty()) {
            List<Integer> behind = new ArrayList<>(toEnter.keySet());
            int pod = behind.get(random.nextInt(behind.size()));
            List<int[]> ofPod = toEnter.getOrDefault(pod, List.of());
            int[] next = ofPod.get(random.nextInt(ofPod.size()));
            int set = next[0];
            job.fences[pod].enter(
                    sets.get(set), new byte[1], outcomes.get(set).get(next[1]++).answer());
            if (next[1] == fences) {
                ofPod.remove(next);
            }
            if (ofPod.isEmpty()) {
                toEnter.remove(pod);
            }
            if (random.nextInt(10) == 0) {
                job.run();
            }
        }
        job.run();
        for (int set = 0; set < sets.size(); set++) {
            for (Outcome outcome : outcomes.get(set)) {
                assertThat(outcome.statuses).hasSize(sets.get(set).length);
                assertThat(Set.copyOf(outcome.statuses)).hasSize(1);
            }
        }
        for (Fences each : job.fences) {
            assertThat(each.pending()).isZero();
        }
    }

    @Test
    void whoAsksWithoutEndForARankThatNeverCommitsIsRefusedAndTheOthersGetTheirAnswers() throws MeshException {
        SimulatedJob job = attacked();
        job.silent.set(4);
        Outcome attack = new Outcome();
        for (int i = 0; i < ATTACKS; i++) {
            job.modexes[1].ask(4, attack.answer());
        }
        job.run();
        assertThat(job.held).isLessThan(300);
        assertThat(job.modexes[1].pending()).isLessThan(300);
        assertThat(attack.statuses).hasSizeGreaterThan(ATTACKS - 300).containsOnly(PmixStatus.PMIX_ERR_OUT_OF_RESOURCE);
        for (int pod = 0; pod < 3; pod++) {
            Outcome outcome = new Outcome();
            job.modexes[pod].ask(5, outcome.answer());
            job.modexes[pod].ask(3, outcome.answer());
            job.run();
            assertThat(outcome.statuses).containsExactly(PmixStatus.PMIX_SUCCESS, PmixStatus.PMIX_SUCCESS);
        }
        int before = job.held;
        job.modexes[0].ask(4, new Outcome().answer());
        job.run();
        assertThat(job.held).as("the question of another pod waits, too").isEqualTo(before + 1);
    }

    @Test
    void aRankThatAsksPod0WithoutEndIsRefusedAndTheOthersGetTheirAnswers() throws MeshException {
        SimulatedJob job = attacked();
        Outcome attack = new Outcome();
        for (int i = 0; i < ATTACKS; i++) {
            job.rootRequests[1].ask(2, new byte[] {SimulatedJob.WAITS}, attack.answer());
        }
        job.run();
        assertThat(job.held).isLessThan(400);
        assertThat(attack.statuses).hasSize(ATTACKS - job.held).containsOnly(PmixStatus.PMIX_ERR_OUT_OF_RESOURCE);
        Outcome others = new Outcome();
        job.rootRequests[1].ask(3, new byte[] {7}, others.answer());
        job.rootRequests[1].ask(JobMesh.NO_RANK, new byte[] {7}, others.answer());
        job.run();
        assertThat(others.statuses).containsExactly(PmixStatus.PMIX_SUCCESS, PmixStatus.PMIX_SUCCESS);
    }

    @Property(tries = 200)
    void whatSeveralHoldIsBoundedAndWhoHoldsNothingGetsSomething(
            @ForAll @IntRange(min = 1, max = 50) int parties,
            @ForAll @IntRange(min = 0, max = 500) int most,
            @ForAll long seed) {
        Random random = new Random(seed);
        FairShares shares = new FairShares(most, parties, 1);
        int greedy = random.nextInt(parties);
        int taken = 0;
        while (shares.take(1, greedy)) {
            taken++;
        }
        assertThat(taken).isLessThanOrEqualTo(Math.max(most, most / 2 + parties));
        for (int party = 0; party < parties; party++) {
            assertThat(party == greedy || shares.take(1, greedy, party)).isTrue();
        }
        for (int party = 0; party < parties; party++) {
            shares.giveBack(
                    party == greedy ? taken : 1, party == greedy ? new int[] {greedy} : new int[] {greedy, party});
        }
        assertThat(shares.take(1, greedy)).isTrue();
    }

    @Property(tries = 300)
    void noMessageHoweverDamagedThrowsAnythingButItsName(
            @ForAll byte[] garbage, @ForAll @IntRange(min = 8, max = 18) int kind) {
        byte[] message = garbage.length == 0 ? new byte[] {(byte) kind} : garbage.clone();
        message[0] = (byte) kind;
        try {
            Wire.decode(message, 40);
        } catch (MeshException e) {
            assertThat(e).hasMessageStartingWith("sent ");
        }
    }
}
