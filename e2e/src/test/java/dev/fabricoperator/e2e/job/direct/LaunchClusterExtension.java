/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import dev.fabricoperator.e2e.job.DirectJob;
import dev.fabricoperator.e2e.junit.RealNodesExtension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.jupiter.api.extension.support.TypeBasedParameterResolver;

/** Gives test classes on real nodes a {@link FaultCase} there. */
final class LaunchClusterExtension extends TypeBasedParameterResolver<FaultCase> implements TestWatcher {
    private static FaultCase faults(ExtensionContext context) {
        return new FaultCase(RealNodesExtension.cluster(context), DirectJob.NAMESPACE);
    }

    @Override
    public FaultCase resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return faults(context);
    }

    @Override
    public void testFailed(ExtensionContext context, Throwable cause) {
        System.err.println(context.getDisplayName() + " failed; what its cluster says:\n"
                + faults(context).story());
    }
}
