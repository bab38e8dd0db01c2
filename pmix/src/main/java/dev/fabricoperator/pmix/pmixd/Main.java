/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.foreign.Native;
import dev.fabricoperator.pmix.libpmix.HandshakeFilter.Clients;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherFacts;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.loop.Log;
import dev.fabricoperator.pmix.server.PmixServer;
import dev.fabricoperator.pmix.server.ServerConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * The PMIx server of one pod; with two paths as arguments what {@link HostOrder} does with them. Settings come from the environment (see {@link PodSettings}); PMIX_MCA_gds=hash must be in it too.
 * Exit codes: 0 in order, also where ranks failed; 1 likewise where the kubelet is to start the pod's containers again; 2 for
 * settings that make no sense; 70 for a fault of its own.
 */
public final class Main {
    private static final int BAD_SETTINGS = 2;
    private static final int FAULT = 70;
    /** System property of the run that the AOT cache is made from: the JVM writes it when it ends in its own way. */
    private static final String TRAINING = "fabric-operator.training";
    /** Of the release; the image's options have it. */
    private static final String VERSION = "fabric-operator.version";

    private Main() {}

    public static void main(String[] arguments) {
        Log.begin();
        // A pmixd that has lost a thread would look well and serve nobody.
        Thread.setDefaultUncaughtExceptionHandler((thread, fault) -> {
            tell(fault);
            leave(FAULT);
        });
        int code;
        CountDownLatch ended = new CountDownLatch(1);
        try {
            PodSettings settings = PodSettings.from(System.getenv());
            if (arguments.length == 2) {
                leave(HostOrder.write(settings.service(), Path.of(arguments[0]), Path.of(arguments[1])) ? 0 : FAULT);
            }
            EventLoop loop = new EventLoop();
            PodServer pod = new PodServer(loop, settings);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                loop.execute(pod::terminate);
                // While ranks run, or other pods need this one: whoever ends the pod kills in his own time.
                await(ended);
                leave(pod.exitCode());
            }));
            pod.serveWith(start(
                    settings, new Upcalls(loop, pod), reason -> loop.execute(() -> pod.refusedConnection(reason))));
            FixedRank rank = settings.fixedRank();
            if (rank != null) {
                LauncherFacts facts = rank.facts();
                loop.execute(() -> pod.greeted(facts));
            }
            Log.line("ready for the launcher at " + settings.directory());
            loop.run();
            code = pod.exitCode();
        } catch (IllegalArgumentException e) {
            Log.line("cannot start: " + e.getMessage());
            code = BAD_SETTINGS;
        } catch (IOException | RuntimeException e) {
            tell(e);
            code = FAULT;
        }
        // The library's threads and the kernel's buffers need no farewell, and ranks that finished are gone.
        ended.countDown();
        leave(code);
    }

    private static void tell(Throwable fault) {
        Log.line("ends by a fault in " + Thread.currentThread().getName() + ": " + fault);
        for (StackTraceElement frame : fault.getStackTrace()) {
            Log.line("  at " + frame);
        }
    }

    private static void leave(int code) {
        if (System.getProperty(TRAINING) == null) {
            Native.exit(code);
        }
        Runtime.getRuntime().halt(code);
    }

    private static void await(CountDownLatch ended) {
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static PmixServer start(PodSettings settings, Upcalls upcalls, Consumer<String> refused)
            throws IOException {
        FixedRank rank = settings.fixedRank();
        String nspace = rank != null ? FixedRank.SERVER : "pmixd." + settings.podNamespace() + '.' + settings.podName();
        ServerConfig config = new ServerConfig(
                nspace,
                0,
                rank == null ? 0 : rank.port(),
                settings.podName(),
                PrivateDirectory.in(settings.privateDirectory()).toString(),
                settings.directory().toString(),
                System.getProperty(VERSION),
                settings.clusterId());
        return GuardedServer.start(config, clients(settings), upcalls, refused);
    }

    /** In a container of its own it sees no process of the ranks, and knows them by their user alone. */
    private static Clients clients(PodSettings settings) {
        return settings.hostNetwork() && !settings.isInOwnContainer() ? Clients.OfContainer : Clients.OfNetwork;
    }
}
