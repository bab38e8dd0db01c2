/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.fence.Answer;
import dev.fabricoperator.pmix.pmixd.fence.Ending;
import dev.fabricoperator.pmix.pmixd.fence.JobMesh;
import dev.fabricoperator.pmix.pmixd.fence.RunMessage;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherFacts;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherText;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.mesh.MeshPort;
import dev.fabricoperator.pmix.pmixd.mesh.PodNames;
import dev.fabricoperator.pmix.pmixd.traffic.PodTraffic;
import dev.fabricoperator.pmix.pmixd.traffic.TrafficTree;
import dev.fabricoperator.pmix.server.PmixServer;
import dev.fabricoperator.pmix.server.PodValues;
import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.pmix.server.Reply;
import dev.fabricoperator.pmix.server.TrafficMonitor;
import dev.fabricoperator.protocol.job.JobCodecException;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.job.TrafficReport;
import dev.fabricoperator.protocol.job.TrafficReportCodec;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** This pod's part in one attempt of the job: its ranks at the library, its place among the pods. On the loop. */
final class Attempt implements JobMesh.Listener {
    private static final byte[] CONNECTED = "connected".getBytes(StandardCharsets.US_ASCII);
    /** Between two looks at which connections were closed: the kernel keeps some hundreds of them. */
    private static final long CLOSED_CONNECTIONS_MILLIS = 10_000;

    /** Between two looks while somebody watches... */
    private static final long LIVE_MILLIS = 1_000;
    /** ...or, where a look takes long, so many times what it takes. */
    private static final long LIVE_PAUSES = 20;

    private static final byte[] PMI = "pmi".getBytes(StandardCharsets.US_ASCII);

    /** What happens to an attempt as a whole. */
    interface Listener {
        /** Here or elsewhere; once. */
        void ended(Attempt attempt, Ending ending);

        /** A pod that this one waits for is done. */
        void podLeft(Attempt attempt);

        void warning(String sentence);

        /** To pod 0 alone: what the pods of the attempt have sent, as far as they have told it. */
        void trafficKnown(Attempt attempt, TrafficReport report);

        /** The same while they run and somebody watches. */
        void trafficSoFar(Attempt attempt, TrafficReport report);

        /** Another pod says it of mpirun's run. */
        void onRunMessage(RunMessage message);
    }

    private final EventLoop loop;
    private final JobMap map;
    private final int self;
    private final PmixServer pmix;
    private final Listener listener;
    private final @Nullable AwaitedMap awaited;
    private final JobMesh mesh;
    private final Ranks ranks;
    private final TrafficTree trafficBelow;
    /** {@code null} before its ranks begin, and in a pod that has none. */
    private @Nullable PodTraffic traffic;

    private boolean trafficTold;
    /** Whether somebody beyond this pod watches. */
    private boolean trafficWanted;
    /** Processes of this pod that watch; made at first use: most jobs end without. */
    private @Nullable TrafficMonitors monitors;
    /** Whether pods below this one were told to report since there are such processes. */
    private boolean monitored;
    /** Of the next report while somebody watches, else {@code null}. */
    private EventLoop.@Nullable Timer live;

    private @Nullable JobExchange exchange;
    private @Nullable FabricValues fabric;
    private @Nullable LibraryWatch watch;
    private @Nullable SessionDirectory directory;
    private @Nullable Ending ending;

    /**
     * @param awaited how the map came, {@code null} if straight from the job service
     * @param nspace under which the ranks know the job
     * @param self index of this pod in the map
     * @param patienceMillis how long other pods may be unreachable
     */
    Attempt(
            EventLoop loop,
            MeshPort port,
            @Nullable AwaitedMap awaited,
            JobMap map,
            String nspace,
            int self,
            PmixServer pmix,
            long patienceMillis,
            Listener listener) {
        this.loop = loop;
        this.map = map.named(nspace);
        this.self = self;
        this.pmix = pmix;
        this.listener = listener;
        this.awaited = awaited;
        this.mesh =
                awaited == null ? new JobMesh(loop, port, map, self, patienceMillis, this) : awaited.goOn(map, this);
        this.ranks = new Ranks(pod().firstRank(), pod().rankCount());
        this.trafficBelow = new TrafficTree(mesh.shape());
    }

    JobPod pod() {
        return map.pods().get(self);
    }

    /** Index of this pod in the map. */
    int index() {
        return self;
    }

    JobMap map() {
        return map;
    }

    int firstPodWithRanks() {
        int pod = 0;
        while (map.pods().get(pod).rankCount() == 0) {
            pod++;
        }
        return pod;
    }

    void send(RunMessage message) {
        mesh.send(message);
    }

    Ranks ranks() {
        return ranks;
    }

    @Nullable
    Ending ending() {
        return ending;
    }

    /** Whether its ranks are still served, if need be without the other pods. */
    boolean isServed() {
        return ending == null || ending.kind() == Ending.Kind.PARTED;
    }

    /** {@code pod 3 (name, address, port)}, this one. */
    String name() {
        return new PodNames(map.pods()).nameOf(self);
    }

    /**
     * Connects to the other pods and makes the job known to the library; clients may connect when it returns.
     *
     * @param encoded the map as it came
     * @return what the launcher is to be told, in a pod that has ranks or may have some
     */
    LauncherText.Block start(byte[] encoded, LauncherFacts facts, RoceGids gids, PodSettings settings) {
        if (awaited == null) {
            mesh.start();
        }
        mesh.forwardMap(encoded);
        JobPod pod = pod();
        LauncherText.Block block = new LauncherText.Block(map.nspace(), pod.firstRank(), pod.rankCount());
        if (pod.rankCount() > 0) {
            register(block, facts, gids, settings);
        }
        return block;
    }

    /** What other pods have said before this one had the map; after {@link #start}, when the launcher has been told. */
    void replay() {
        if (awaited != null) {
            awaited.replay(mesh);
        }
    }

    /** Its ranks are about to begin: what they send is counted from now on. */
    void countTraffic(PodSettings settings) {
        if (settings.countsTraffic() && pod().rankCount() > 0 && isServed()) {
            PodTraffic counting = PodTraffic.of(map, self, settings.hostNetwork(), settings.isInOwnContainer());
            traffic = counting;
            counting.read();
            readClosedConnections(counting);
        }
    }

    private void readClosedConnections(PodTraffic counting) {
        loop.after(CLOSED_CONNECTIONS_MILLIS, () -> {
            if (counting == traffic) {
                counting.readClosed();
                readClosedConnections(counting);
            }
        });
    }

    @Override
    public void trafficTold(int child, byte[] report) throws JobCodecException {
        trafficBelow.told(child, report);
    }

    /** Somebody begins to watch what the job sends, or nobody does any more. */
    private void trafficWanted(boolean wanted) {
        trafficWanted = wanted;
        if (!wanted && monitored) {
            // They have been told that nobody beyond watches.
            mesh.tellBelow(new JobFabricUpdate.TrafficWanted(true));
        }
        if (live != null) {
            live.cancel();
            live = null;
        }
        if (wanted || monitored) {
            tellTrafficSoFar();
        }
    }

    /**
     * A process of this pod wants to be told what the job sends.
     *
     * @return a PMIx status
     */
    int monitor(Proc proc, TrafficMonitor monitor) {
        if (traffic == null) {
            return PmixStatus.PMIX_ERR_NOT_SUPPORTED;
        }
        if (monitors == null) {
            monitors = new TrafficMonitors(pmix, map, self);
        }
        if (!monitors.begin(proc, monitor)) {
            return PmixStatus.PMIX_ERR_OUT_OF_RESOURCE;
        }
        if (!monitored) {
            monitored = true;
            if (!trafficWanted) {
                mesh.tellBelow(new JobFabricUpdate.TrafficWanted(true));
            }
        }
        if (live == null) {
            live = loop.after(0, this::tellTrafficSoFar);
        }
        return PmixStatus.PMIX_SUCCESS;
    }

    /** @param id empty for all of that process */
    void cancelMonitor(Proc proc, String id) {
        if (monitors != null) {
            monitors.cancel(proc, id);
        }
    }

    private void tellTrafficSoFar() {
        live = null;
        if (trafficTold) {
            return;
        }
        TrafficMonitors watching = monitors;
        if (monitored && (watching == null || watching.isEmpty())) {
            monitored = false;
            if (!trafficWanted) {
                mesh.tellBelow(new JobFabricUpdate.TrafficWanted(false));
            }
        }
        if (!trafficWanted && !monitored) {
            return;
        }
        long start = loop.nowMillis();
        PodTraffic counting = traffic;
        if (counting != null && !ranks.allEnded()) {
            counting.readWatched();
        }
        TrafficReport sum = trafficSum(counting);
        if (trafficWanted) {
            tell(sum, listener::trafficSoFar);
        }
        if (watching != null) {
            watching.report(sum, start);
        }
        live = loop.after(Math.max(LIVE_MILLIS, LIVE_PAUSES * (loop.nowMillis() - start)), this::tellTrafficSoFar);
    }

    /** This pod's ranks have ended, or the attempt has: the last look. */
    private void endTraffic() {
        PodTraffic counting = traffic;
        if (counting != null) {
            counting.read();
        }
    }

    /** Once: when all below this pod have told what they have to tell, or nobody waits for them. */
    private void tellTraffic() {
        if (trafficTold) {
            return;
        }
        trafficTold = true;
        PodTraffic counting = traffic;
        traffic = null;
        tell(trafficSum(counting), listener::trafficKnown);
        if (counting != null) {
            counting.close();
        }
    }

    private TrafficReport trafficSum(@Nullable PodTraffic counting) {
        return trafficBelow.sum(counting == null ? TrafficReport.NONE : counting.report());
    }

    /** @param service where this pod is the first; others tell the pod above them */
    private void tell(TrafficReport sum, BiConsumer<Attempt, TrafficReport> service) {
        if (sum.pods().isEmpty()) {
            return;
        }
        if (self == 0) {
            service.accept(this, sum.named(map.pods().stream().map(JobPod::name).toList()));
        } else {
            mesh.tellTraffic(TrafficReportCodec.encode(sum));
        }
    }

    private void register(LauncherText.Block block, LauncherFacts facts, RoceGids gids, PodSettings settings) {
        JobPod pod = pod();
        JobMap known = map.forRanks();
        int index = known.indexOf(pod.name());
        pmix.registerResources(known, index);
        // An application that no launcher starts does not have pmixd's volume.
        if (settings.fixedRank() == null) {
            directory = SessionDirectory.make(
                    settings.directory(),
                    "session-" + Integer.toHexString(map.sessionId()),
                    facts.uid(),
                    pod.firstRank(),
                    pod.rankCount());
        }
        PodValues values = new PodValues(
                facts.bindings(),
                CpuPackages.isOne(CpuPackages.SYS, facts.cpus()),
                facts.directory(),
                facts.arguments(),
                facts.memoryBytes(),
                directory == null ? null : directory.toString());
        pmix.registerJob(known, index, values);
        Consumer<JobMap> place = one -> {
            if (settings.fixedRank() == null) {
                PlaceFile.write(settings.directory(), one.forRanks(), index);
            }
        };
        place.accept(map);
        fabric = new FabricValues(loop, pmix, map, self, values, place);
        watch = new LibraryWatch(loop, pmix, LibraryWatch.EVERY_MILLIS, LibraryWatch.LIMIT_MILLIS);
        for (int rank = pod.firstRank(); rank < pod.firstRank() + pod.rankCount(); rank++) {
            pmix.registerClient(map.nspace(), rank, facts.uid(), facts.gid());
            boolean first = rank == pod.firstRank();
            for (Map.Entry<String, String> each :
                    pmix.clientEnvironment(map.nspace(), rank).entrySet()) {
                if (each.getKey().equals("PMIX_RANK")) {
                    block.rank(rank, each.getKey(), each.getValue());
                } else if (first) {
                    block.set(each.getKey(), each.getValue());
                }
            }
        }
        if (settings.libraryVariables()) {
            String own = LibraryVariables.ownInterface(facts, settings.address().getHostAddress());
            block.byDefault(LibraryVariables.of(known, index, facts, own, settings.devices(), gids::indexForLibraries));
            TorchVariables.add(block, known, pod);
        }
        if (known.fabric() != null) {
            // Of two defaults the last counts.
            block.byDefault(known.fabric().environment());
        }
        OpenMpiVariables.add(block, known, pod, facts);
    }

    void fence(List<Proc> participants, int status, byte[] data, Reply<byte[]> reply) {
        int[] wanted = ranksOf(participants);
        if (wanted.length == 0) {
            reply.fail(PmixStatus.PMIX_ERR_NOT_SUPPORTED);
        } else {
            PodTraffic counting = traffic;
            if (counting != null) {
                counting.beforeFence();
            }
            mesh.fence(wanted, status, data, answerTo(reply));
            if (counting != null) {
                counting.afterFence();
            }
        }
    }

    /** Made at first use: most jobs end without. */
    JobExchange exchange() {
        if (exchange == null) {
            exchange = new JobExchange(loop, mesh, this);
        }
        return exchange;
    }

    /** The job service tells this pod, which is the first. */
    void tellFabric(JobFabricUpdate update) {
        mesh.tellBelow(update);
        fabricChanged(update);
    }

    @Override
    public void fabricChanged(JobFabricUpdate update) {
        if (update instanceof JobFabricUpdate.TrafficWanted(boolean wanted)) {
            trafficWanted(wanted);
        } else if (fabric != null) {
            fabric.changed(update);
        }
    }

    @Override
    public void rootAsked(int from, byte[] body, Answer answer) {
        exchange().asked(from, body, answer);
    }

    void started(int localRank, int pid) {
        pmix.started(pod().firstRank() + localRank, pid);
    }

    /** A rank has called PMIx_Finalize. */
    void finalized(int rank) {
        ranks.finalized(rank);
        cancelMonitor(new Proc(map.nspace(), rank), "");
        if (exchange != null) {
            exchange.finalized(rank);
        }
    }

    /** Every rank that is named or stood for; none if one is of another namespace. */
    int[] ranksOf(List<Proc> participants) {
        int[] wanted = new int[participants.size()];
        for (int i = 0; i < wanted.length; i++) {
            Proc proc = participants.get(i);
            if (!proc.nspace().equals(map.nspace())) {
                return new int[0];
            }
            if (proc.rank() == Proc.WILDCARD) {
                return allRanks();
            }
            wanted[i] = proc.rank();
        }
        return wanted;
    }

    private int[] allRanks() {
        JobPod last = map.pods().getLast();
        int[] all = new int[last.firstRank() + last.rankCount()];
        for (int rank = 0; rank < all.length; rank++) {
            all[rank] = rank;
        }
        return all;
    }

    void directModex(Proc proc, Reply<byte[]> reply) {
        if (proc.nspace().equals(map.nspace())) {
            mesh.modex(proc.rank(), answerTo(reply));
        } else {
            reply.fail(PmixStatus.PMIX_ERR_NOT_FOUND);
        }
    }

    private static Answer answerTo(Reply<byte[]> reply) {
        return (status, data) -> reply.answer(status, status == PmixStatus.PMIX_SUCCESS ? data : null);
    }

    @Override
    public void modexAsked(int rank, Answer answer) {
        pmix.requestModex(
                map.nspace(),
                rank,
                (status, data) -> loop.executeHere(() -> answer.answer(status, data == null ? new byte[0] : data)));
    }

    /**
     * Tells the other pods, once, whether a rank of this one has called PMIx_Init or PMI_Init.
     *
     * @param answer for {@link #isAnyConnected}, when every pod that has ranks has told it
     */
    void tellConnected(boolean connected, Answer answer) {
        mesh.collective(
                CONNECTED, firstRanks(), PmixStatus.PMIX_SUCCESS, new byte[] {(byte) (connected ? 1 : 0)}, answer);
    }

    /**
     * A fence of all ranks of the job, of this pod's at once, apart from those of PMIx.
     *
     * @param answer gets the pods' data, one behind the other
     */
    void pmiFence(byte[] data, Answer answer) {
        mesh.collective(PMI, firstRanks(), PmixStatus.PMIX_SUCCESS, data, answer);
    }

    /** One rank of each pod that has some. */
    private int[] firstRanks() {
        return map.pods().stream()
                .filter(pod -> pod.rankCount() > 0)
                .mapToInt(JobPod::firstRank)
                .toArray();
    }

    static boolean isAnyConnected(byte[] told) {
        for (byte pod : told) {
            if (pod != 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether a failure is known by now, of this pod or another, that is as sure to have begun with its rank. */
    boolean hasHeardOf(Ranks.Certainty certainty) {
        return mesh.certaintyHeard() >= certainty.ordinal();
    }

    boolean hasHeardOfSurerThan(Ranks.Certainty certainty) {
        return mesh.certaintyHeard() > certainty.ordinal();
    }

    /** Tells the other pods. */
    void suspect(Ranks.Failure failure) {
        mesh.rankFailed(failure.certainty().ordinal());
    }

    void fail(Ranks.Failure failure) {
        mesh.end(new Ending(
                Ending.Kind.FAILED, self, failure.rank(), failure.code(), failure.text() + " in pod " + pod().name()));
    }

    /** mpirun's run is over. */
    void finish(int code, String text) {
        tellTraffic();
        mesh.end(new Ending(Ending.Kind.FINISHED, self, -1, code, text));
    }

    /** This pod's ranks are done, and it does not wait for those of pods below it. */
    void part() {
        tellTraffic();
        mesh.end(new Ending(
                Ending.Kind.PARTED,
                self,
                -1,
                0,
                "the ranks of pod " + pod().name() + " are done, and the job's successPolicy may need no others"));
    }

    void lose(String reason) {
        mesh.end(new Ending(Ending.Kind.LOST, self, -1, 0, reason));
    }

    @Override
    public void ended(Ending newEnding) {
        ending = newEnding;
        endTraffic();
        tellTraffic();
        closeLibrary();
        if (exchange != null) {
            exchange.close();
        }
        listener.ended(this, newEnding);
    }

    private void closeLibrary() {
        if (fabric != null) {
            fabric.close();
            fabric = null;
        }
        if (watch != null) {
            watch.close();
            watch = null;
        }
    }

    @Override
    public void left() {
        if (ranks.allEnded() && mesh.mayLeave()) {
            tellTraffic();
        }
        listener.podLeft(this);
    }

    @Override
    public void warning(String sentence) {
        listener.warning(sentence);
    }

    @Override
    public void onRunMessage(RunMessage message) {
        listener.onRunMessage(message);
    }

    /** This pod's ranks are done and well. */
    void doneHere() {
        endTraffic();
        if (mesh.mayLeave()) {
            tellTraffic();
        }
        if (map.apps().size() > 1) {
            exchange().podDone();
        }
        mesh.doneHere();
    }

    boolean mayLeave() {
        return mesh.mayLeave();
    }

    void leave() {
        mesh.leave();
    }

    /** Whose owner removes it when no rank of this attempt runs any more; {@code null} where the ranks were told of none. */
    @Nullable
    SessionDirectory directory() {
        return directory;
    }

    void close() {
        mesh.close();
    }

    boolean isFlushed() {
        return mesh.isFlushed();
    }

    /** The library forgets the attempt's ranks. */
    void forget() {
        closeLibrary();
        if (pod().rankCount() > 0) {
            pmix.deregister(map.nspace());
        }
    }
}
