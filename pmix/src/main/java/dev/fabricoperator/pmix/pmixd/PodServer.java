/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.openssl.Crypto;
import dev.fabricoperator.pmix.pmixd.fence.Ending;
import dev.fabricoperator.pmix.pmixd.fence.RunMessage;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherFacts;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherPmi;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherRun;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherSocket;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherText;
import dev.fabricoperator.pmix.pmixd.loop.Backoff;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.loop.Log;
import dev.fabricoperator.pmix.pmixd.loop.RateLimitedLog;
import dev.fabricoperator.pmix.pmixd.mesh.MeshPort;
import dev.fabricoperator.pmix.pmixd.service.JobServiceThread;
import dev.fabricoperator.pmix.server.PmixException;
import dev.fabricoperator.pmix.server.PmixServer;
import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.pmix.server.Reply;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.job.PodReport;
import dev.fabricoperator.protocol.job.RunRequest;
import dev.fabricoperator.protocol.job.TrafficReport;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What pmixd decides, from the launcher's greeting to the end of its connection: join the job, serve an attempt, and after its
 * end stop the ranks (a rank failed: so has the job) or wait for the next attempt (a pod was lost). On the loop.
 */
final class PodServer
        implements LauncherSocket.Listener,
                JobEntry.Listener,
                Attempt.Listener,
                PmiClients.Listener,
                MpirunCall.Listener {
    /** After the end of an attempt, for a rank that no launcher has started and that has just called PMIx_Init: it is told that its server has failed. */
    private static final long LATE_RANK_MILLIS = 2_000;

    /** How much longer a failure waits that may be the echo of one in another pod. */
    private static final long ECHO_MILLIS = 2_000;

    /** Of a job of which no rank has called PMIx_Init or PMI_Init, where its namespace wants such a job to fail. */
    static final int WITHOUT_PMIX_CODE = 1;

    /** Why it ends with that code: for the launcher, and for the job service, which knows it from here. */
    static final String WITHOUT_PMIX =
            "no rank of the job has called PMIx_Init or PMI_Init, and its namespace wants such a job to fail (label fabric-operator.dev/require-pmix): take an MPI that"
                    + " speaks PMIx or PMI-1, and keep the variables PMIX_* and PMI_*";

    /** 128 + SIGTERM. */
    private static final int TERMINATED = 143;

    private static final long WATCH_AFTER_MILLIS = 5_000;
    private static final long WATCH_AS_FIRST_AFTER_MILLIS = 1_000;
    private static final long UNREACHABLE_MILLIS = 300_000;
    private static final long FLUSH_MILLIS = 3_000;
    /** In 10 s, of PMIx_Log: the launcher may be slower than its ranks. */
    private static final int RANK_LINES = 500;

    /** In 10 s, of connections. */
    private static final int REFUSED_LINES = 5;

    /** Before a worker asks again that was refused: soon at first, for what was not known may be known in a moment. */
    private static final int FIRST_REFUSED_MILLIS = 500;

    private static final int LAST_REFUSED_MILLIS = 30_000;

    private final EventLoop loop;
    private final RateLimitedLog refusals = new RateLimitedLog();
    private final RateLimitedLog refusedConnections = new RateLimitedLog(REFUSED_LINES, this::unanswered);
    private @Nullable RateLimitedLog rankLines;
    private final PodSettings settings;
    private final MeshPort meshPort;
    private final int port;
    private final LauncherSocket launcher;
    private final PmiClients pmi;
    private final JobEntry entry;
    private final JobServiceThread service;
    private @Nullable PmixServer pmix;
    private final byte[] instance = Crypto.random(16);
    private final @Nullable FixedRank fixedRank;
    /** Of earlier attempts, whose ranks may still have their time to end. */
    private final List<SessionDirectory> directories = new ArrayList<>();

    /** Of a pod that serves mpirun's runs. */
    private final @Nullable RunWorker worker;

    private @Nullable MpirunCall mpirunCall;
    private final Backoff afterRefusal = new Backoff(FIRST_REFUSED_MILLIS, LAST_REFUSED_MILLIS);
    private String lastRefusal = "";
    private @Nullable PodReport report;
    private @Nullable LauncherFacts facts;
    private @Nullable RoceGids gids;
    private @Nullable Attempt attempt;
    private Ranks.@Nullable Failure failure;
    private int lastAttempt = -1;
    private boolean terminating;
    private boolean launcherGone;
    private boolean ranksDone;
    /** Whether the job service knows by which protocol this attempt's ranks find each other. */
    private boolean clientsTold;
    /** Whether its ranks have ended well, none has called PMIx_Init or PMI_Init, and what those of the other pods did is still to be said. */
    private boolean awaitsOthers;

    private boolean failed;
    private boolean leaving;

    PodServer(EventLoop loop, PodSettings settings) throws IOException {
        this.loop = loop;
        this.settings = settings;
        this.fixedRank = settings.fixedRank();
        this.launcher = new LauncherSocket(loop, settings.directory().resolve("pmixd.sock"), this);
        this.pmi = new PmiClients(loop, launcher, this);
        this.port = FreePorts.forMesh(settings.address());
        this.meshPort = new MeshPort(
                loop, settings.address(), port, (who, why) -> refusals.line("refused " + who + ": it " + why));
        this.entry = new JobEntry(loop, settings, meshPort, UNREACHABLE_MILLIS, this);
        this.service = entry.service();
        this.worker = settings.servesRuns() ? new RunWorker(launcher) : null;
    }

    /** The library runs; ranks can be served from now on. */
    void serveWith(PmixServer server) {
        pmix = server;
    }

    /** A rank that has changed its user, for example, would run alone, and nobody knew why. */
    void refusedConnection(String reason) {
        refusedConnections.line("refused a connection to the PMIx port: " + reason);
    }

    /** What the process ends with. */
    int exitCode() {
        return failed && (settings.restartsOnFailure() || fixedRank != null) ? 1 : 0;
    }

    /** The pod is being ended; what its ranks do from now on says nothing about the job. */
    void terminate() {
        terminating = true;
        Attempt current = attempt;
        if (facts == null) {
            loop.stop();
        } else if (fixedRank != null) {
            // The kubelet ends this container when the rank's has ended.
            ranksDone = ranksDone || current == null || !current.ranks().anyConnected();
            if (current != null) {
                tellIfNoneConnected(current);
            }
            gone("has never been, and the rank's container has ended");
        } else {
            ending();
        }
    }

    @Override
    public void ending() {
        terminating = true;
        Attempt current = attempt;
        if (worker != null || current == null || !current.isServed()) {
            return;
        }
        if (failure != null) {
            loseAtOnce(current, failure);
        } else {
            endUndecided(current);
        }
    }

    @Override
    public void greeted(LauncherFacts greeting) {
        facts = greeting;
        // One rank reads it as fast for itself.
        if (greeting.topologyShared() && greeting.ranks() > 1) {
            Objects.requireNonNull(pmix).shareTopology(Log::line);
        }
        try {
            RoceGids own = new RoceGids(Path.of("/sys"), greeting.interfaces());
            gids = own;
            PodReport made = DeviceReport.report(settings, greeting, own, instance, port);
            report = made;
            Log.line("launcher connected: " + greeting.ranks() + " ranks, uid " + greeting.uid() + ", CPUs "
                    + greeting.cpus() + ", " + made.devices().size() + " devices");
            if (greeting.ranks() == 0) {
                mpirunCall = new MpirunCall(loop, launcher, settings.requiresPmix(), this);
            } else {
                entry.join(made);
            }
        } catch (IOException e) {
            stop(125, "pmixd cannot describe this pod: " + e.getMessage());
        }
    }

    @Override
    public LauncherRun run() {
        return mpirunCall != null ? mpirunCall : worker != null ? worker : LauncherRun.NONE;
    }

    @Override
    public LauncherPmi pmi() {
        return pmi;
    }

    @Override
    public void runWanted(RunRequest request) {
        entry.join(Objects.requireNonNull(report).asking(request));
    }

    @Override
    public void runEnded(int code, String text) {
        Attempt current = attempt;
        ranksDone = true;
        if (current == null) {
            stop(code, text);
        } else if (current.ending() == null) {
            reportEnd(code, text);
            current.finish(code, text);
        }
    }

    /** @param why of another code than 0, may be empty */
    private void reportEnd(int code, String why) {
        tellClients();
        service.report(lastAttempt, "finished " + code + (code == 0 || why.isEmpty() ? "" : " " + Ranks.oneLine(why)));
    }

    @Override
    public void onRunMessage(RunMessage message) {
        if (mpirunCall != null) {
            mpirunCall.onRunMessage(message);
        } else if (worker != null) {
            worker.onRunMessage(message);
            Attempt current = attempt;
            if (message.kind() == RunMessage.Kind.START
                    && current != null
                    && current.pod().rankCount() == 0) {
                worker.done(true);
            }
        }
    }

    private void stop(int code, String text) {
        failed = failed || code != 0;
        Log.line("launcher is told to stop with code " + code + ": " + text);
        launcher.send(LauncherText.stop(code, text));
        leaveWithoutLauncher();
    }

    /** A rank that no launcher has started ends when it loses its server. */
    private void leaveWithoutLauncher() {
        if (fixedRank != null) {
            launcherGone = true;
            leaveWhenPossible();
        }
    }

    @Override
    public void unanswered(String sentence) {
        Log.line(sentence);
        launcher.send(LauncherText.warn(sentence));
    }

    @Override
    public void refused(int exitCode, String text) {
        if (worker != null) {
            // Its sshd goes on, and what is refused now need not be for ever.
            if (!text.equals(lastRefusal)) {
                unanswered(text);
            }
            lastRefusal = text;
            loop.after(afterRefusal.nextMillis(), () -> entry.joinAfter(lastAttempt));
            return;
        }
        stop(exitCode, text.isEmpty() ? "the job service refuses this pod" : text);
    }

    @Override
    public void joined(JobMap map, byte[] encoded, @Nullable AwaitedMap awaited) {
        if (launcherGone || terminating) {
            return;
        }
        int self = map.indexOf(settings.podName());
        if (self < 0) {
            stop(125, "the map of " + map.nspace() + " does not have pod " + settings.podName());
            return;
        }
        lastAttempt = map.attempt();
        lastRefusal = "";
        afterRefusal.reset();
        failure = null;
        ranksDone = false;
        clientsTold = false;
        awaitsOthers = false;
        FixedRank fixed = fixedRank;
        if (fixed != null && map.pods().get(self).firstRank() != fixed.rank()) {
            stop(125, "the map gives this pod another rank than " + fixed.rank() + ", which its container has");
            return;
        }
        Attempt started = new Attempt(
                loop,
                meshPort,
                awaited,
                map,
                fixed == null ? map.nspace() : fixed.nspace(),
                self,
                Objects.requireNonNull(pmix),
                UNREACHABLE_MILLIS,
                this);
        attempt = started;
        try {
            LauncherText.Block block =
                    started.start(encoded, Objects.requireNonNull(facts), Objects.requireNonNull(gids), settings);
            if (mpirunCall != null) {
                mpirunCall.begin(started);
            } else {
                PmiClients.addVariables(block, started.map(), started.pod());
                String pmiLines = PmiClients.lines(started.map(), started.pod());
                if (worker != null) {
                    worker.begin(started, block, pmiLines);
                } else {
                    launcher.markReady(true);
                    launcher.send(pmiLines + block.lines());
                }
            }
        } catch (PmixException e) {
            stop(125, "libpmix refuses the job: " + e.getMessage());
            return;
        }
        JobPod pod = started.pod();
        Log.line("serving " + map.nspace() + ": pod " + self + " of "
                + map.pods().size() + ", ranks " + pod.firstRank() + " to " + (pod.firstRank() + pod.rankCount() - 1)
                + " of " + map.size());
        service.report(map.attempt(), "running");
        started.replay();
        loop.execute(() -> {
            if (attempt == started) {
                started.countTraffic(settings);
            }
        });
        // One pod is told of the fabric and of who watches, and tells the others.
        boolean first = self == 0;
        loop.after(first ? WATCH_AS_FIRST_AFTER_MILLIS : WATCH_AFTER_MILLIS, () -> {
            if (attempt == started && started.ending() == null) {
                service.watch(map, first && map.fabric() != null, first);
            }
        });
    }

    private void keepForRemoval(Attempt ended) {
        if (ended.directory() != null) {
            directories.add(ended.directory());
        }
    }

    private void removeDirectories() {
        directories.forEach(SessionDirectory::remove);
        directories.clear();
    }

    /** The launcher has ended all ranks of an earlier attempt before it starts one of the next. */
    @Override
    public void started(int localRank, long pid) {
        removeDirectories();
        Attempt current = attempt;
        if (current != null) {
            current.started(localRank, (int) pid);
            pmi.started(current);
        }
        if (worker != null) {
            worker.started();
        }
    }

    @Override
    public void exited(int localRank, int code, int signal) {
        Attempt current = attempt;
        if (current != null && current.isServed()) {
            Ranks.Failure found = current.ranks().ended(localRank, code, signal);
            if (found != null) {
                failWhenSure(current, found, "exited " + found.rank() + ' ' + code + ' ' + signal);
            }
        }
    }

    @Override
    public void aborted(Proc proc, int status, String message) {
        Attempt current = attempt;
        if (current != null
                && current.isServed()
                && current.map().nspace().equals(proc.nspace())
                && current.ranks().isHere(proc.rank())) {
            Ranks.Failure found = current.ranks().aborted(proc.rank(), status, message);
            failWhenSure(current, found, "abort " + found.rank() + ' ' + found.code() + ' ' + Ranks.oneLine(message));
        }
    }

    /** The surest failure counts, of equals the first; what it means shows in a moment. */
    private void failWhenSure(Attempt current, Ranks.Failure found, String event) {
        if (!found.isSurerThan(failure)) {
            return;
        }
        failure = found;
        Log.line(found.text());
        service.report(lastAttempt, event);
        if (worker != null) {
            // Pod 0 waits for what it means.
            worker.failed(found);
            return;
        }
        launcher.send(LauncherText.HOLD);
        if (terminating) {
            loseAtOnce(current, found);
            return;
        }
        boolean another = current.hasHeardOf(found.certainty());
        current.suspect(found);
        loop.after(found.certainty().patienceMillis(), () -> {
            if (another || current.hasHeardOfSurerThan(found.certainty())) {
                // The pod of that rank ends the job, unless it is lost.
                loop.after(ECHO_MILLIS, () -> judge(current, found));
            } else {
                judge(current, found);
            }
        });
    }

    /** The pod is being ended: whoever wants it to run makes another one, for which the others wait. */
    private void loseAtOnce(Attempt current, Ranks.Failure found) {
        launcher.send(LauncherText.stop(found.code(), found.text()));
        current.lose(current.name() + " is being ended: " + found.text());
    }

    private void judge(Attempt current, Ranks.Failure found) {
        if (attempt != current || !current.isServed() || !found.equals(failure)) {
            return;
        }
        if (current.ending() != null) {
            reportEnd(found.code(), "");
            stop(found.code(), found.text());
        } else if (launcherGone) {
            current.lose(current.name() + " is being ended");
        } else {
            current.fail(found);
        }
    }

    @Override
    public void ended(Attempt which, Ending ending) {
        if (which != attempt) {
            return;
        }
        Log.line("attempt " + which.map().attempt() + " has ended: " + ending.text());
        launcher.markReady(false);
        if (mpirunCall != null && !launcherGone) {
            stop(ending.kind() == Ending.Kind.FINISHED ? ending.code() : 1, ending.text());
        } else if (launcherGone || terminating || ranksDone) {
            leaveWhenPossible();
        } else if (ending.kind() == Ending.Kind.PARTED) {
            which.leave();
        } else if (ending.kind() == Ending.Kind.FAILED) {
            reportEnd(ending.code(), "");
            stop(ending.code(), ending.text() + ": the job is ended");
        } else {
            again(which, ending);
        }
    }

    /** This pod stays, its ranks end, and it asks for the attempt after this one. */
    private void again(Attempt which, Ending ending) {
        if (fixedRank != null) {
            failed = true;
            // One that has not asked for its server yet must find it: without, Open MPI would run alone.
            if (which.ranks().anyConnected()) {
                leaveWithoutLauncher();
            }
            return;
        }
        if (ending.kind() != Ending.Kind.FINISHED) {
            launcher.send(LauncherText.warn(ending.text() + "; waiting for the next attempt"));
        }
        launcher.send(LauncherText.AGAIN);
        if (worker != null) {
            worker.end();
        }
        attempt = null;
        which.leave();
        keepForRemoval(which);
        loop.after(FLUSH_MILLIS, which::close);
        which.forget();
        entry.joinAfter(lastAttempt);
    }

    @Override
    public void trafficKnown(Attempt which, TrafficReport report) {
        service.tellTraffic(which.map().attempt(), report);
    }

    @Override
    public void trafficSoFar(Attempt which, TrafficReport report) {
        service.tellTrafficSoFar(which.map().attempt(), report);
    }

    @Override
    public void newerWanted(int old) {
        Attempt current = attempt;
        if (current != null && old == lastAttempt && current.ending() == null && !ranksDone) {
            current.lose("a pod was replaced");
        }
    }

    @Override
    public void fabricChanged(int of, JobFabricUpdate update) {
        Attempt current = attempt;
        if (current != null && of == lastAttempt && current.ending() == null) {
            current.tellFabric(update);
        }
    }

    /** Every rank has ended. Where all ended well, this pod is done, but pods below it may still need it. */
    @Override
    public void done() {
        Attempt current = attempt;
        if (current == null) {
            if (worker == null && terminating) {
                // They were to run again and are ended instead: nobody else gives them a code.
                launcher.send(LauncherText.stop(TERMINATED, ""));
            }
            return;
        }
        if (worker != null) {
            if (current.ending() == null) {
                tellClients();
                current.doneHere();
                worker.done(current.ranks().noneEverConnected());
            }
        } else if (current.isServed() && failure == null && current.ranks().allEnded()) {
            tellIfNoneConnected(current);
            if (settings.requiresPmix() && current.ranks().noneEverConnected()) {
                endUnconnected(current);
            } else {
                endWell(current);
            }
        } else if (!current.isServed() && terminating) {
            // They ended after the attempt, however well.
            launcher.send(LauncherText.stop(TERMINATED, ""));
        }
    }

    /** Before the end, with which the job may be over. */
    private void tellIfNoneConnected(Attempt current) {
        tellClients();
        if (current.ranks().noneEverConnected()) {
            service.report(lastAttempt, "unconnected");
        }
    }

    /** Once for an attempt: when all of this pod's ranks have called PMIx_Init or PMI_Init, or before its end. */
    private void tellClients() {
        Attempt current = attempt;
        if (current != null && !clientsTold && current.pod().rankCount() > 0) {
            clientsTold = true;
            String clients = current.ranks().clients();
            if (clients != null) {
                service.report(lastAttempt, clients);
            }
        }
    }

    private void tellClientsIfAll(Attempt current) {
        if (current == attempt && current.ranks().allEverConnected()) {
            tellClients();
        }
    }

    /**
     * None of this pod's ranks has called PMIx_Init or PMI_Init, and the job is to fail where none of any pod has. What this pod has told counts also when it has left: so it waits for the others no
     * longer than pods wait for one another elsewhere, and not at all where it is being ended.
     */
    private void endUnconnected(Attempt current) {
        if (settings.partsWhenDone()) {
            endWithoutPmix(current);
            return;
        }
        awaitsOthers = true;
        current.tellConnected(false, (status, connected) -> {
            // The end of the attempt itself follows.
            if (!awaitsOthers || status == PmixStatus.PMIX_ERR_LOST_CONNECTION) {
                return;
            }
            awaitsOthers = false;
            boolean known = status == PmixStatus.PMIX_SUCCESS;
            if (known && !Attempt.isAnyConnected(connected)) {
                endWithoutPmix(current);
            } else {
                endWell(current);
            }
        });
        if (terminating) {
            endUndecided(current);
        } else {
            loop.after(TimeUnit.SECONDS.toMillis(settings.assemblySeconds()), () -> endUndecided(current));
        }
    }

    /** The last pod whose ranks end says whether the job has failed. */
    private void endUndecided(Attempt current) {
        if (attempt == current && awaitsOthers) {
            Log.line(
                    "no rank of this pod has called PMIx_Init or PMI_Init, and ranks of others still run: this pod has ended, and they decide");
            endWell(current);
        }
    }

    private void endWell(Attempt current) {
        awaitsOthers = false;
        reportEnd(0, "");
        launcher.send(LauncherText.stop(0, ""));
        doneWell(current);
    }

    private void endWithoutPmix(Attempt current) {
        reportEnd(WITHOUT_PMIX_CODE, WITHOUT_PMIX);
        stop(WITHOUT_PMIX_CODE, WITHOUT_PMIX);
        doneWell(current);
    }

    private void doneWell(Attempt current) {
        ranksDone = true;
        current.doneHere();
        if (settings.partsWhenDone() && !current.mayLeave()) {
            current.part();
        }
    }

    @Override
    public void gone(String reason) {
        launcherGone = true;
        Attempt current = attempt;
        Log.line("launcher " + reason);
        failed = failed || !ranksDone;
        if (current != null && current.ending() == null && !ranksDone) {
            current.lose(current.name() + " is lost: its launcher has ended");
        } else {
            leaveWhenPossible();
        }
    }

    @Override
    public void podLeft(Attempt which) {
        if (launcherGone) {
            leaveWhenPossible();
        }
    }

    @Override
    public void warning(String sentence) {
        refusals.line(sentence);
    }

    /** Ends the process once nobody needs it: the launcher has gone, and no pod below this one has ranks that run. */
    private void leaveWhenPossible() {
        Attempt current = attempt;
        if (!launcherGone || leaving || (current != null && !current.mayLeave())) {
            return;
        }
        leaving = true;
        if (current != null) {
            current.leave();
            keepForRemoval(current);
        }
        removeDirectories();
        new FlushThenStop(
                        loop,
                        () -> service.isIdle() && (current == null || current.isFlushed()),
                        loop.nowMillis() + FLUSH_MILLIS)
                .run();
    }

    @Override
    public void fence(List<Proc> participants, int status, byte[] data, Reply<byte[]> reply) {
        Attempt current = attempt;
        if (current == null) {
            reply.fail(PmixStatus.PMIX_ERR_LOST_CONNECTION);
        } else {
            current.fence(participants, status, data, reply);
        }
    }

    @Override
    public void directModex(Proc proc, Reply<byte[]> reply) {
        Attempt current = attempt;
        if (current == null) {
            reply.fail(PmixStatus.PMIX_ERR_LOST_CONNECTION);
        } else {
            current.directModex(proc, reply);
        }
    }

    @Override
    public void connected(Proc proc) {
        Attempt current = attemptOf(proc);
        if (current != null) {
            boolean first = current.ranks().noneEverConnected();
            current.ranks().connected(proc.rank());
            tellIfFirst(current, first);
            tellClientsIfAll(current);
            if (current.ending() != null) {
                loop.after(LATE_RANK_MILLIS, this::leaveWithoutLauncher);
            }
        }
    }

    @Override
    public void begunByPmi(Attempt current, int localRank) {
        boolean first = current.ranks().noneEverConnected();
        current.ranks().pmiBegun(localRank);
        tellIfFirst(current, first);
        tellClientsIfAll(current);
    }

    private void tellIfFirst(Attempt current, boolean first) {
        if (first && settings.requiresPmix() && !settings.partsWhenDone() && worker == null) {
            current.tellConnected(true, (status, connected) -> {});
        }
    }

    @Override
    public void finalized(Proc proc) {
        Attempt current = attemptOf(proc);
        if (current != null) {
            current.finalized(proc.rank());
            if (fixedRank != null && !ranksDone && current.isServed()) {
                doneWell(current);
            }
        }
    }

    @Override
    public @Nullable Attempt attempt() {
        return attempt;
    }

    @Override
    public void logged(String line) {
        if (rankLines == null) {
            rankLines = new RateLimitedLog(RANK_LINES, this::logLine);
        }
        rankLines.line(line);
    }

    /** What a rank has for the pod's log: this process's own is seen only where no launcher is. */
    private void logLine(String line) {
        if (fixedRank == null) {
            launcher.send(LauncherText.warn(line));
        } else {
            Log.line(line);
        }
    }

    private @Nullable Attempt attemptOf(Proc proc) {
        Attempt current = attempt;
        return current != null
                        && current.map().nspace().equals(proc.nspace())
                        && current.ranks().isHere(proc.rank())
                ? current
                : null;
    }

    /**
     * Stops the loop once all has been sent, or at the deadline. It is its own task, not a lambda: the run that the AOT cache is made
     * from need not wait here, and a lambda's first use would make classes for 10 ms.
     */
    private record FlushThenStop(EventLoop loop, BooleanSupplier sent, long deadlineMillis) implements Runnable {
        private static final long POLL_MILLIS = 5;

        @Override
        public void run() {
            if (sent.getAsBoolean() || loop.nowMillis() >= deadlineMillis) {
                loop.stop();
            } else {
                loop.after(POLL_MILLIS, this);
            }
        }
    }
}
