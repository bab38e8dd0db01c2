/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.mesh;

import dev.fabricoperator.pmix.pmixd.loop.Backoff;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.mesh.NeighbourSet.Neighbour;
import dev.fabricoperator.pmix.pmixd.mesh.UnprovenLinks.UnprovenLink;
import dev.fabricoperator.protocol.job.JobPeer;
import dev.fabricoperator.protocol.job.MeshShape;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * This pod's connections to its neighbours in one attempt of a job: one that it makes, to its parent, and those of its
 * children, which it takes. A connection is made until it succeeds or patience ends; once it has been open, its end without a
 * farewell is the loss of that neighbour.
 *
 * <p>A pod that has a ticket in place of the job's map asks its parent for it, who hands it on when it has it.
 */
public final class Mesh implements Link.Holder {
    /** What happens to neighbours; all on the loop. */
    public interface Listener {
        /** @param message as it was given to {@link #send}; its first byte is at least {@value #FIRST_FREE_TYPE} */
        void received(int neighbour, byte[] message);

        /** The neighbour and all below it are done, and the connection ends. */
        void left(int neighbour);

        /** The neighbour is gone, or was never there. Reported once for each. */
        void lost(int neighbour, String reason);

        /** There is a connection. */
        default void connected(int neighbour) {}

        /** The parent has handed on what it says is the encoded map; only to who waits for it. */
        default void mapped(byte[] encoded) {}

        /** The neighbour has sent what no pmixd of this version sends; it is left aside. */
        default void unknown(int neighbour, int kind) {}

        /** There is still no connection. */
        void waiting(int neighbour, String sentence);

        /** Somebody connected who does not belong to the job, or did it wrongly. */
        void refused(String sentence);
    }

    /** First byte of a message that the mesh does not keep for itself. */
    public static final int FIRST_FREE_TYPE = 8;

    private static final byte PING = 0;
    private static final byte FAREWELL = 1;

    private static final long CONNECT_MILLIS = 2_000;
    private static final int LONGEST_MESSAGE = HeapLimits.ofThisProcess().messageBytes();
    private static final long PING_MILLIS = 5_000;
    private static final long SILENCE_MILLIS = 30_000;
    private static final int FIRST_PAUSE_MILLIS = 5;
    private static final int LAST_PAUSE_MILLIS = 500;

    private final EventLoop loop;
    private final MeshPort port;
    private final @Nullable JobPeer parentPeer;
    private final byte[] jobKey;
    private final byte[] job;
    private final int self;
    private final MeshShape shape;
    private final long patienceMillis;
    private final long startedAtMillis;
    private final NeighbourSet neighbours;
    private final MapForwarding mapForwarding;
    private final UnprovenLinks unprovenLinks;
    private final Backoff reconnect = new Backoff(FIRST_PAUSE_MILLIS, LAST_PAUSE_MILLIS);
    private PodNames names;
    private @Nullable Listener listener;
    private @Nullable Greeting mine;
    private long nextReportMillis = 3_000;
    private boolean leaving;
    private boolean closed;

    /**
     * @param wantsMap whether the parent shall be asked for the job's map
     * @param patienceMillis how long a neighbour may be unreachable before it counts as lost
     */
    public Mesh(EventLoop loop, MeshPort port, MeshMembership membership, boolean wantsMap, long patienceMillis) {
        this.loop = loop;
        this.port = port;
        this.parentPeer = membership.parent();
        this.names = membership.names();
        this.jobKey = membership.key();
        this.job = Greeting.digestOf(membership.nspace());
        this.self = membership.self();
        this.shape = new MeshShape(membership.pods());
        this.patienceMillis = patienceMillis;
        this.startedAtMillis = loop.nowMillis();
        this.neighbours = NeighbourSet.of(shape, self);
        this.mapForwarding = new MapForwarding(neighbours, wantsMap);
        this.unprovenLinks = new UnprovenLinks(shape.parent(self));
    }

    public void start() {
        port.serve(this);
        if (self != 0) {
            connect();
        }
        if (shape.pods() > 1) {
            loop.after(1_000, this::tick);
        }
    }

    /** Before {@link #start}, and once more when the map is known. */
    public void listen(PodNames newNames, Listener newListener) {
        names = newNames;
        listener = newListener;
    }

    private Listener listener() {
        return Objects.requireNonNull(listener);
    }

    /** Hands the map to every child that asks for it, or has asked. */
    public void forwardMap(byte[] encodedMap) {
        mapForwarding.know(encodedMap);
    }

    byte[] job() {
        return job;
    }

    /** To a neighbour; waits while there is no connection yet. The array must not be changed afterwards. */
    public void send(int pod, byte[] message) {
        Neighbour neighbour = neighbours.at(pod);
        if (neighbour.link != null) {
            neighbour.link.send(message);
        } else if (!neighbour.gone) {
            neighbour.unsent.add(message);
        }
    }

    public boolean hasLeft(int pod) {
        return neighbours.at(pod).gone;
    }

    public boolean isConnected(int pod) {
        return neighbours.at(pod).link != null;
    }

    /** Whether all children have said farewell, so that this pod may go. */
    public boolean allChildrenHaveLeft() {
        return neighbours.allChildrenHaveLeft();
    }

    private void connect() {
        Neighbour parent = neighbours.parent();
        if (closed || parent.gone) {
            return;
        }
        try {
            Link link = linkTo(Objects.requireNonNull(parentPeer));
            Greeting greeting = Greeting.fresh(job, self, parent.pod);
            mine = greeting;
            unprovenLinks.add(link, parent.pod, loop.nowMillis());
            link.greet(greeting);
            loop.after(CONNECT_MILLIS, () -> link.closeIfConnecting("no answer to its connection requests"));
        } catch (IOException e) {
            parent.lastFailure = String.valueOf(e.getMessage());
            again();
        }
    }

    private Link linkTo(JobPeer pod) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
            boolean done = channel.connect(new InetSocketAddress(InetAddress.getByAddress(pod.address()), pod.port()));
            return new Link(loop, channel, this, !done);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private void again() {
        loop.after(reconnect.nextMillis(), this::connect);
    }

    /** A connection whose greeting names this attempt; whether it is a child's shows when it has the key. */
    void accept(Link link, Greeting theirs) {
        if (closed
                || theirs.to() != self
                || theirs.from() <= 0
                || theirs.from() >= shape.pods()
                || shape.parent(theirs.from()) != self) {
            link.close("greets pod " + theirs.to() + " as pod " + theirs.from());
            listener()
                    .refused("a connection greets pod " + theirs.to() + " as pod " + theirs.from() + ", this is pod "
                            + self);
            return;
        }
        unprovenLinks.add(link, theirs.from(), loop.nowMillis());
        Greeting answer = Greeting.fresh(job, self, theirs.from());
        if (link.answer(this, answer)) {
            Greeting.Seals seals = Greeting.seals(jobKey, theirs, answer);
            link.seal(seals.toInitiator(), seals.toResponder(), LONGEST_MESSAGE);
        }
    }

    @Override
    public void greeted(Link link, Greeting greeting) {
        Greeting initiator = mine;
        if (initiator != null) {
            Greeting.Seals seals = Greeting.seals(jobKey, initiator, greeting);
            link.seal(seals.toResponder(), seals.toInitiator(), LONGEST_MESSAGE);
        }
    }

    @Override
    public void opened(Link link) {
        UnprovenLink unproven = unprovenLinks.take(link);
        if (unproven == null) {
            return;
        }
        Neighbour neighbour = neighbours.at(unproven.pod());
        if (neighbour.link != null || neighbour.gone) {
            link.close("pod " + unproven.pod() + " is connected already");
            listener().refused("a second connection of pod " + unproven.pod());
            return;
        }
        neighbour.link = link;
        mapForwarding.opened(neighbour);
        // Its end may show while this is sent, and what is left is dropped then.
        byte[] message = neighbour.unsent.poll();
        while (message != null) {
            link.send(message);
            message = neighbour.unsent.poll();
        }
        if (leaving) {
            settle();
        } else if (neighbour.link == link) {
            listener().connected(neighbour.pod);
        }
    }

    @Override
    public void received(Link link, byte[] message) {
        Neighbour from = neighbours.of(link);
        if (from == null || closed || leaving) {
            return;
        }
        byte type = message.length == 0 ? -1 : message[0];
        if (type == FAREWELL) {
            farewell(from, link);
        } else if (type >= FIRST_FREE_TYPE) {
            listener().received(from.pod, message);
        } else if (type == MapForwarding.WANT_MAP) {
            mapForwarding.asked(from);
        } else if (type == MapForwarding.MAP) {
            listener().mapped(MapForwarding.mapIn(message));
        } else if (type != PING) {
            listener().unknown(from.pod, type);
        }
    }

    /** The parent says none: it would leave what is asked through it without an answer. */
    private void farewell(Neighbour from, Link link) {
        if (from == neighbours.parent()) {
            link.close("said farewell to a pod below it");
            return;
        }
        from.gone = true;
        from.link = null;
        link.close("said farewell");
        listener().left(from.pod);
    }

    @Override
    public void closed(Link link, String reason) {
        UnprovenLink unproven = unprovenLinks.take(link);
        if (unproven != null) {
            closedUnproven(unproven, reason);
            return;
        }
        Neighbour neighbour = neighbours.of(link);
        if (neighbour != null && !closed) {
            lose(neighbour, names.nameOf(neighbour.pod) + " is lost: " + reason);
        }
    }

    private void closedUnproven(UnprovenLink unproven, String reason) {
        if (closed) {
            return;
        }
        if (unproven.pod() == shape.parent(self)) {
            neighbours.parent().lastFailure = reason;
            again();
        } else {
            listener().refused("a connection that calls itself pod " + unproven.pod() + ": " + reason);
        }
    }

    private void lose(Neighbour neighbour, String reason) {
        neighbour.gone = true;
        neighbour.link = null;
        neighbour.unsent.clear();
        if (leaving) {
            settle();
        } else {
            listener().lost(neighbour.pod, reason);
        }
    }

    private void tick() {
        if (closed) {
            return;
        }
        long now = loop.nowMillis();
        unprovenLinks.closeOverdue(now);
        long waited = now - startedAtMillis;
        boolean report = waited >= nextReportMillis;
        boolean whole = true;
        for (Neighbour neighbour : neighbours.all()) {
            if (neighbour.pod < 0 || neighbour.gone || closed) {
                continue;
            }
            Link link = neighbour.link;
            if (link != null) {
                keepAlive(link, loop.awakeMillis());
            } else {
                whole = false;
                overdue(neighbour, waited, report);
            }
        }
        if (report) {
            nextReportMillis =
                    nextReportMillis < 10_000 ? 10_000 : nextReportMillis < 30_000 ? 30_000 : waited + 60_000;
        }
        if (!closed) {
            loop.after(whole ? PING_MILLIS : 1_000, this::tick);
        }
    }

    private static void keepAlive(Link link, long now) {
        if (now - link.heardAtMillis() > SILENCE_MILLIS) {
            link.close("silent for " + SILENCE_MILLIS / 1000 + " s");
        } else if (now - link.saidAtMillis() >= PING_MILLIS) {
            link.send(new byte[] {PING});
        }
    }

    private void overdue(Neighbour neighbour, long waited, boolean report) {
        String sentence = neighbour.pod == shape.parent(self)
                ? names.cannotBeReached(neighbour.pod, waited / 1000, neighbour.lastFailure)
                : names.hasNotConnected(neighbour.pod, self, waited / 1000);
        if (waited >= patienceMillis) {
            lose(neighbour, sentence);
        } else if (report) {
            listener().waiting(neighbour.pod, sentence);
        }
    }

    /** Tells the parent that nothing more needs to be asked of this pod or those below it; {@link #leave} follows. */
    public void farewell() {
        Neighbour parent = neighbours.parent();
        if (parent.pod >= 0 && !parent.gone) {
            send(parent.pod, new byte[] {FAREWELL});
        }
    }

    /** Ends when everything queued has been sent, also to neighbours that are not connected yet; the listener hears nothing more. */
    public void leave() {
        leaving = true;
        settle();
    }

    private void settle() {
        boolean sent = true;
        for (Neighbour neighbour : neighbours.all()) {
            if (neighbour.link != null) {
                neighbour.link.closeWhenWritten();
            }
            sent &= neighbour.unsent.isEmpty();
        }
        if (sent) {
            close();
        }
    }

    /** Ends at once, without what could not be sent so far. */
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        port.unserve(this);
        unprovenLinks.close("this attempt has ended");
        for (Neighbour neighbour : neighbours.all()) {
            if (neighbour.link != null) {
                neighbour.link.closeWhenWritten();
            }
        }
    }

    /** Whether everything has been sent that {@link #leave} found queued, and the neighbours have seen it. */
    public boolean isFlushed() {
        if (!closed) {
            return false;
        }
        for (Neighbour neighbour : neighbours.all()) {
            if (neighbour.link != null && !neighbour.link.isClosed()) {
                return false;
            }
        }
        return true;
    }
}
