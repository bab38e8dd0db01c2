/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.launcher.LauncherRun;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.mesh.MeshPort;
import dev.fabricoperator.pmix.server.PmixServer;
import dev.fabricoperator.protocol.job.JobMap;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;

/** What stands around a part of pmixd, and does nothing. */
final class Played {
    private Played() {}

    static <T> T as(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> method.getReturnType() == LauncherRun.class ? LauncherRun.NONE : null));
    }

    /** Of pod 0, which connects to nobody. */
    static Attempt attempt(EventLoop loop, JobMap map) throws IOException {
        MeshPort port = new MeshPort(loop, InetAddress.getLoopbackAddress(), 0, (who, why) -> {});
        return new Attempt(
                loop, port, null, map, map.nspace(), 0, as(PmixServer.class), 1_000, as(Attempt.Listener.class));
    }
}
