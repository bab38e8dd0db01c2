/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.fence;

import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.mesh.HeapLimits;
import dev.fabricoperator.pmix.pmixd.mesh.Mesh;
import dev.fabricoperator.pmix.pmixd.mesh.MeshException;
import dev.fabricoperator.pmix.pmixd.mesh.MeshMembership;
import dev.fabricoperator.pmix.pmixd.mesh.MeshPort;
import dev.fabricoperator.pmix.pmixd.mesh.PodNames;
import dev.fabricoperator.protocol.job.JobCodecException;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.MeshShape;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import org.jspecify.annotations.Nullable;

/** One attempt of a job as this pod sees it: fences, direct modex, and the end that concerns all. Everything on the loop. */
public final class JobMesh implements Mesh.Listener, Neighbours, Modexes.Source {
    /** PMIX_ERR_LOST_CONNECTION. */
    static final int LOST_CONNECTION = PmixStatus.PMIX_ERR_LOST_CONNECTION;

    /** What a pod asks for itself. */
    public static final int NO_RANK = -1;

    /** What this pod does for the others, and what it learns of them. */
    public interface Listener {
        /** What {@code rank} of this pod has put; answered when the rank has put it. */
        void modexAsked(int rank, Answer answer);

        /** At pod 0: what another pod, or this one, asks of it by {@link #askRoot}. */
        default void rootAsked(int pod, byte[] body, Answer answer) {
            answer.answer(PmixStatus.PMIX_ERR_NOT_SUPPORTED, new byte[0]);
        }

        /** The attempt has ended, here or elsewhere; once. */
        void ended(Ending ending);

        /** Another pod says it of the run. */
        default void onRunMessage(RunMessage message) {}

        /** The pod above this one has told it; those below are told already. */
        default void fabricChanged(JobFabricUpdate update) {}

        /**
         * A neighbour below this pod tells what it and those below it have sent.
         *
         * @throws JobCodecException where it cannot be read
         */
        default void trafficTold(int child, byte[] report) throws JobCodecException {}

        /** A pod below this one is done. */
        void left();

        void warning(String sentence);
    }

    private final JobMap map;
    private final int self;
    private final Listener listener;
    private final MeshShape shape;
    private final Mesh mesh;
    private final Fences fences;
    private final Modexes modexes;
    private final JobLayout layout;
    private @Nullable RootRequests rootRequests;
    /** What pods below this one are to know, also those that connect later. */
    private byte @Nullable [] fabricUpdate;

    private byte @Nullable [] impaired;
    /** {@code null} while nobody watches. */
    private byte @Nullable [] trafficWanted;

    private boolean ended;
    private boolean unknownTold;
    private int certaintyHeard = -1;

    /** @param patienceMillis how long other pods may be unreachable before the attempt counts as lost */
    public JobMesh(EventLoop loop, MeshPort port, JobMap map, int self, long patienceMillis, Listener listener) {
        this(new Mesh(loop, port, MeshMembership.of(map, self), false, patienceMillis), map, self, listener);
    }

    /** Goes on with connections that may have been begun before the map was known. */
    public JobMesh(Mesh mesh, JobMap map, int self, Listener listener) {
        JobLayout layout = JobLayout.of(map);
        this.map = map;
        this.self = self;
        this.listener = listener;
        this.shape = new MeshShape(layout.pods());
        this.mesh = mesh;
        HeapLimits limits = HeapLimits.ofThisProcess();
        this.fences = new Fences(layout, self, this, limits.fenceBytes(), limits.waitingBytes());
        this.modexes = new Modexes(layout, self, this, this, limits.waitingBytes());
        this.layout = layout;
        mesh.listen(new PodNames(map.pods()), this);
    }

    public void start() {
        mesh.start();
    }

    /** Pods below this one may ask for the map. */
    public void forwardMap(byte[] encodedMap) {
        mesh.forwardMap(encodedMap);
    }

    /** See {@link Fences#enter(int[], byte[], Answer)}. */
    public void fence(int[] ranks, byte[] data, Answer answer) {
        fence(ranks, 0, data, answer);
    }

    /** See {@link Fences#enter(int[], int, byte[], Answer)}. */
    public void fence(int[] ranks, int status, byte[] data, Answer answer) {
        if (ended) {
            answer.answer(LOST_CONNECTION, new byte[0]);
        } else {
            fences.enter(ranks, status, data, answer);
        }
    }

    /**
     * A fence under a name, which is counted apart from all others: see {@link Fences#enter(byte[], int[], int, byte[], Answer)}.
     *
     * @param status as of {@link #fence(int[], int, byte[], Answer)}
     * @return what ends it with PMIX_ERR_TIMEOUT for all, unless it has its answer
     */
    public Runnable collective(byte[] name, int[] ranks, int status, byte[] data, Answer answer) {
        if (ended) {
            answer.answer(LOST_CONNECTION, new byte[0]);
            return () -> {};
        }
        FenceKey key = fences.enter(name, ranks, status, data, answer);
        return () -> {
            if (key != null) {
                fences.expire(key);
            }
        };
    }

    /**
     * Asks pod 0, which may be this one.
     *
     * @param rank of this pod that wants to know, or {@link #NO_RANK}; one that has more questions open than is its share gets PMIX_ERR_OUT_OF_RESOURCE
     */
    public void askRoot(int rank, byte[] body, Answer answer) {
        if (ended) {
            answer.answer(LOST_CONNECTION, new byte[0]);
        } else {
            rootRequests().ask(rank, body, answer);
        }
    }

    /** Made at first use: most jobs end without. */
    private RootRequests rootRequests() {
        if (rootRequests == null) {
            rootRequests = new RootRequests(
                    layout,
                    self,
                    this,
                    listener::rootAsked,
                    2 * HeapLimits.ofThisProcess().publishedBytes());
        }
        return rootRequests;
    }

    public void modex(int rank, Answer answer) {
        if (ended) {
            answer.answer(LOST_CONNECTION, new byte[0]);
        } else {
            modexes.ask(rank, answer);
        }
    }

    /** Says something of the run to where its kind goes. */
    public void send(RunMessage message) {
        byte[] encoded = new Wire.Run(message).encode();
        RunMessage.Way way = message.kind().way();
        if (way == RunMessage.Way.UP) {
            sendUnlessLeft(shape.parent(self), encoded);
        } else if (way == RunMessage.Way.TO_POD) {
            sendUnlessLeft(shape.nextHop(self, message.pod()), encoded);
        } else {
            for (int child = shape.firstChild(self); child < shape.endOfChildren(self); child++) {
                sendUnlessLeft(child, encoded);
            }
        }
    }

    /** Tells those below this pod; to one that is not connected yet only the last is told, which links are impaired, and that somebody watches. */
    public void tellBelow(JobFabricUpdate update) {
        byte[] message = new Wire.Fabric(update.encoded()).encode();
        if (update instanceof JobFabricUpdate.Impaired) {
            impaired = message;
        } else if (update instanceof JobFabricUpdate.TrafficWanted(boolean wanted)) {
            trafficWanted = wanted ? message : null;
        } else {
            fabricUpdate = message;
        }
        for (int child = shape.firstChild(self); child < shape.endOfChildren(self); child++) {
            tellFabric(child, message);
        }
    }

    private void tellFabric(int child, byte @Nullable [] message) {
        if (message != null && mesh.isConnected(child)) {
            sendUnlessLeft(child, message);
        }
    }

    @Override
    public void connected(int neighbour) {
        if (neighbour != shape.parent(self)) {
            tellFabric(neighbour, fabricUpdate);
            tellFabric(neighbour, impaired);
            tellFabric(neighbour, trafficWanted);
        }
    }

    private void sendUnlessLeft(int pod, byte[] message) {
        if (!ended && !mesh.hasLeft(pod)) {
            mesh.send(pod, message);
        }
    }

    /** Tells the pod above this one what this one and those below it have sent. */
    public void tellTraffic(byte[] report) {
        if (self > 0) {
            sendUnlessLeft(shape.parent(self), new Wire.Traffic(report).encode());
        }
    }

    public MeshShape shape() {
        return shape;
    }

    /** Tells every pod that a rank of this one has failed: those that see one of theirs fail later know that it may be the echo. */
    public void rankFailed(int certainty) {
        rankFailed(certainty, -1);
    }

    private void rankFailed(int certainty, int heardFrom) {
        if (ended || certainty <= certaintyHeard) {
            return;
        }
        certaintyHeard = certainty;
        byte[] message = new Wire.RankFailed((byte) certainty).encode();
        int parent = shape.parent(self);
        if (parent >= 0 && parent != heardFrom) {
            sendUnlessLeft(parent, message);
        }
        for (int child = shape.firstChild(self); child < shape.endOfChildren(self); child++) {
            if (child != heardFrom) {
                sendUnlessLeft(child, message);
            }
        }
    }

    /** Of the surest failure of any pod so far; -1 for none. */
    public int certaintyHeard() {
        return certaintyHeard;
    }

    /** Tells every pod that the attempt has ended; the first to say so is heard. */
    public void end(Ending ending) {
        end(ending, -1);
    }

    private void end(Ending ending, int heardFrom) {
        if (ended) {
            return;
        }
        ended = true;
        byte[] message = new Wire.End(ending).encode();
        int parent = shape.parent(self);
        if (parent >= 0 && parent != heardFrom && !mesh.hasLeft(parent)) {
            mesh.send(parent, message);
        }
        for (int child = shape.firstChild(self); child < shape.endOfChildren(self); child++) {
            if (child != heardFrom && !mesh.hasLeft(child)) {
                mesh.send(child, message);
            }
        }
        fences.fail(LOST_CONNECTION);
        modexes.fail(LOST_CONNECTION);
        if (rootRequests != null) {
            rootRequests.fail(LOST_CONNECTION);
        }
        listener.ended(ending);
    }

    /** This pod's ranks are done and well; fences that still want them fail. */
    public void doneHere() {
        fences.leaveSelf();
    }

    /** Whether nothing below this pod needs it any more. */
    public boolean mayLeave() {
        return ended || mesh.allChildrenHaveLeft();
    }

    /** Says farewell unless the attempt has ended; {@link #isFlushed} tells when all has been sent. */
    public void leave() {
        if (!ended) {
            ended = true;
            mesh.farewell();
        }
        mesh.leave();
    }

    /** Ends without what could not be sent so far. */
    public void close() {
        ended = true;
        mesh.close();
    }

    public boolean isFlushed() {
        return mesh.isFlushed();
    }

    @Override
    public void received(int neighbour, byte[] message) {
        try {
            Wire decoded = Wire.decode(message, layout.pods());
            if (decoded == null) {
                unknown(neighbour, message[0]);
            } else {
                decoded.handTo(new From(neighbour));
            }
        } catch (MeshException e) {
            lost(neighbour, nameOf(neighbour) + e.getMessage());
        }
    }

    @Override
    public void unknown(int neighbour, int kind) {
        if (!unknownTold) {
            unknownTold = true;
            listener.warning(
                    "a message of kind " + kind + " of "
                            + map.pods().get(neighbour).name()
                            + " is left aside, and all others that this version of pmixd does not know: that pod began after an upgrade of the operator");
        }
    }

    private String nameOf(int pod) {
        return "pod " + pod + " (" + map.pods().get(pod).name() + ") ";
    }

    /** Messages of one neighbour. */
    private final class From implements Wire.Receiver {
        private final int neighbour;

        From(int neighbour) {
            this.neighbour = neighbour;
        }

        @Override
        public void received(Wire.FenceUp up) throws MeshException {
            if (isParent()) {
                throw new MeshException("sent a part of a fence to a pod below it");
            }
            fences.received(up, neighbour);
        }

        @Override
        public void received(Wire.FenceDown down) throws MeshException {
            if (!isParent()) {
                throw new MeshException("sent the result of a fence to a pod above it");
            }
            fences.received(down);
        }

        private boolean isParent() {
            return neighbour == shape.parent(self);
        }

        @Override
        public void received(Wire.ModexRequest request) throws MeshException {
            modexes.check(request.origin());
            modexes.received(request);
        }

        @Override
        public void received(Wire.ModexAnswer answer) throws MeshException {
            modexes.check(answer.origin());
            modexes.received(answer);
        }

        @Override
        public void received(Wire.End end) {
            end(end.ending(), neighbour);
        }

        @Override
        public void received(Wire.RankFailed failed) {
            rankFailed(failed.certainty(), neighbour);
        }

        @Override
        public void received(Wire.FenceFailed failed) throws MeshException {
            if (isParent()) {
                throw new MeshException("sent a failure of its part of a fence to a pod below it");
            }
            fences.received(failed);
        }

        @Override
        public void received(Wire.RootRequest request) throws MeshException {
            if (isParent()) {
                throw new MeshException("sent a question for pod 0 to a pod below it");
            }
            modexes.check(request.origin());
            if (!shape.isBelow(request.origin(), neighbour)) {
                throw new MeshException("asks pod 0 for pod " + request.origin() + ", which is not below it");
            }
            rootRequests().received(request);
        }

        @Override
        public void received(Wire.RootAnswer answer) throws MeshException {
            if (!isParent()) {
                throw new MeshException("sent an answer of pod 0 to a pod above it");
            }
            modexes.check(answer.origin());
            rootRequests().received(answer);
        }

        @Override
        public void received(Wire.Run run) throws MeshException {
            RunMessage message = run.message();
            RunMessage.Way way = message.kind().way();
            if ((way == RunMessage.Way.UP) == isParent()) {
                throw new MeshException("says of a run what comes from the other side");
            }
            if (message.pod() < 0 || message.pod() >= shape.pods()) {
                throw new MeshException("speaks of pod " + message.pod() + ", which the job does not have");
            }
            if (way == RunMessage.Way.UP && !shape.isBelow(message.pod(), neighbour)) {
                throw new MeshException("speaks for pod " + message.pod() + ", which is not below it");
            }
            boolean here = way == RunMessage.Way.UP ? self == 0 : way == RunMessage.Way.DOWN || message.pod() == self;
            if (here && !ended) {
                listener.onRunMessage(message);
            }
            if (way == RunMessage.Way.DOWN || !here) {
                send(message);
            }
        }

        @Override
        public void received(Wire.Traffic traffic) throws MeshException {
            if (isParent()) {
                throw new MeshException("sent a report of traffic to a pod below it");
            }
            if (!ended) {
                trafficTold(neighbour, traffic.report());
            }
        }

        @Override
        public void received(Wire.Fabric fabric) throws MeshException {
            if (!isParent()) {
                throw new MeshException("sent an update of the fabric to a pod above it");
            }
            if (ended) {
                return;
            }
            JobFabricUpdate update;
            try {
                update = JobFabricUpdate.decode(fabric.update());
            } catch (JobCodecException e) {
                listener.warning(
                        nameOf(neighbour) + "sent an update of the fabric that cannot be read: " + e.getMessage());
                return;
            }
            tellBelow(update);
            listener.fabricChanged(update);
        }
    }

    /** Messages of traffic count for nothing but traffic. */
    private void trafficTold(int child, byte[] report) {
        try {
            listener.trafficTold(child, report);
        } catch (JobCodecException e) {
            listener.warning(nameOf(child) + "sent a report of traffic that cannot be read: " + e.getMessage());
        }
    }

    @Override
    public void left(int neighbour) {
        fences.left(neighbour);
        listener.left();
    }

    @Override
    public void lost(int neighbour, String reason) {
        end(new Ending(Ending.Kind.LOST, neighbour, -1, 0, reason));
    }

    @Override
    public void waiting(int neighbour, String sentence) {
        listener.warning(sentence);
    }

    @Override
    public void refused(String sentence) {
        listener.warning("refused " + sentence);
    }

    @Override
    public void send(int pod, byte[] message) {
        mesh.send(pod, message);
    }

    @Override
    public boolean hasLeft(int pod) {
        return mesh.hasLeft(pod);
    }

    @Override
    public void modexAsked(int rank, Answer answer) {
        if (ended) {
            answer.answer(LOST_CONNECTION, new byte[0]);
        } else {
            listener.modexAsked(rank, answer);
        }
    }
}
