/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.junit;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.platform.engine.ConfigurationParameters;
import org.junit.platform.engine.support.hierarchical.ParallelExecutionConfiguration;
import org.junit.platform.engine.support.hierarchical.ParallelExecutionConfigurationStrategy;

/**
 * How many classes run side by side: four, less one for each processor that other processes use when the run begins, and two at least. The tests' waits are for
 * a machine with two processors; where the tests have one of them, as many classes as before would take what each other's servers need to answer in time.
 */
public final class ThreadsOfIdleProcessors implements ParallelExecutionConfigurationStrategy {
    private static final int MOST = 4;
    private static final int FEWEST = 2;
    private static final long SAMPLE_NANOS = 2_000_000_000;

    /** Threads that wait are not replaced: else each one that waits for an answer would let another class begin. */
    private record Threads(int count) implements ParallelExecutionConfiguration {
        @Override
        public int getParallelism() {
            return count;
        }

        @Override
        public int getMinimumRunnable() {
            return count;
        }

        @Override
        public int getMaxPoolSize() {
            return count;
        }

        @Override
        public int getCorePoolSize() {
            return count;
        }

        @Override
        public int getKeepAliveSeconds() {
            return 30;
        }

        @Override
        public Predicate<ForkJoinPool> getSaturatePredicate() {
            return pool -> true;
        }
    }

    static int threads(double processorsInUse) {
        return (int) Math.clamp(MOST - Math.round(processorsInUse), FEWEST, MOST);
    }

    @Override
    public ParallelExecutionConfiguration createConfiguration(ConfigurationParameters parameters) {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        system.getCpuLoad();
        LockSupport.parkNanos(SAMPLE_NANOS);
        int threads = threads(system.getCpuLoad() * system.getAvailableProcessors());
        if (threads < MOST) {
            System.err.println("other processes use this machine's processors: " + threads
                    + " test classes at a time, not " + MOST);
        }
        return new Threads(threads);
    }
}
