/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaderElectionRecord;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A Lease that expires when whoever would follow its holder has seen nothing of it change for its duration, as client-go has it.
 *
 * <p>The library's elector compares the time that the holder has written with its own clock: it follows a holder whose clock is behind while
 * that lives, and waits for a dead one whose clock was ahead. What it is given here instead is when this process saw the last change, by a
 * clock that does not jump. See docs/upstream/kubernetes-client-leader-election-clocks.md.
 */
public final class ObservedLeaseLock extends LeaseLock {
    private final LongSupplier nanoTime;
    private @Nullable LeaseSpec observed;
    private long observedNanos;

    /** @param identity of this process, which no other has or had */
    public ObservedLeaseLock(String namespace, String name, String identity) {
        this(namespace, name, identity, System::nanoTime);
    }

    ObservedLeaseLock(String namespace, String name, String identity, LongSupplier nanoTime) {
        super(namespace, name, identity);
        this.nanoTime = nanoTime;
    }

    /** Called for each answer of the API server, by one thread at a time. */
    @Override
    protected LeaderElectionRecord toRecord(Lease lease) {
        long now = nanoTime.getAsLong();
        if (!Objects.equals(lease.getSpec(), observed)) {
            observed = lease.getSpec();
            observedNanos = now;
        }
        LeaderElectionRecord written = super.toRecord(lease);
        return new LeaderElectionRecord(
                written.getHolderIdentity(),
                written.getLeaseDuration(),
                written.getAcquireTime(),
                ZonedDateTime.now(ZoneOffset.UTC).minus(Duration.ofNanos(now - observedNanos)),
                written.getLeaderTransitions());
    }
}
