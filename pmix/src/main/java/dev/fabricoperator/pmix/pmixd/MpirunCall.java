/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.fence.RunMessage;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherRun;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherSocket;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherText;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.job.RunRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call of mpirun, in the launcher's pod, which is pod 0 and has no ranks: asks for the run, hands it to the pods of workers, and hands
 * their output to the launcher that plays mpirun. It ends with the run, or when no worker has ranks any more. On the loop.
 */
final class MpirunCall implements LauncherRun {
    /** A failure may be the echo of another pod's loss, whose news takes a moment. */
    private static final long FAILURE_DELAY_MILLIS = 500;

    /** What the launcher has not read: when it is more, workers are told nothing of what they have sent. */
    private static final long MOST_UNREAD_BYTES = 1 << 20;

    /** Of what a launcher says. */
    private static final int LONGEST_LINE_BYTES = 256 << 10;

    private static final long RETRY_MILLIS = 5;

    /** What becomes of it. */
    interface Listener {
        /** mpirun has said what it wants. */
        void runWanted(RunRequest request);

        /** The run is over, and this is what mpirun ends with. */
        void runEnded(int code, String text);
    }

    private final EventLoop loop;
    private final LauncherSocket launcher;
    private final boolean requiresPmix;
    private final Listener listener;
    /** Of standard input, before the pods are known. */
    private final List<String> early = new ArrayList<>();

    private final BitSet starting = new BitSet();
    private final BitSet running = new BitSet();
    private @Nullable String lines;
    private @Nullable Attempt attempt;
    /** By pod: bytes of its output that it has not been told are taken. */
    private int[] received = {};

    private int windowBytes;
    private boolean draining;
    /** Of a pod that has said how its ranks ended. */
    private boolean anyConnected;

    private int code = -1;
    private String text = "";
    /** Of the failure that the run ends for while its ranks have not been told, -1: for none. */
    private int certainty = -1;

    /** @param requiresPmix whether a run of which no rank has called PMIx_Init is to fail */
    MpirunCall(EventLoop loop, LauncherSocket launcher, boolean requiresPmix, Listener listener) {
        this.loop = loop;
        this.launcher = launcher;
        this.requiresPmix = requiresPmix;
        this.listener = listener;
    }

    @Override
    public void asked(RunRequest request, String newLines) {
        if (lines != null) {
            throw new IllegalArgumentException("a second run");
        }
        lines = newLines;
        listener.runWanted(request);
    }

    /** The pods are known, and are told what to run. */
    void begin(Attempt begun) {
        attempt = begun;
        List<JobPod> pods = begun.map().pods();
        received = new int[pods.size()];
        windowBytes = RunWorker.windowBytes(pods.size());
        for (int pod = 0; pod < pods.size(); pod++) {
            if (pods.get(pod).rankCount() > 0) {
                starting.set(pod);
                running.set(pod);
            }
        }
        String run = lines == null ? "" : lines;
        begun.send(new RunMessage(RunMessage.Kind.START, 0, 0, run.getBytes(StandardCharsets.UTF_8)));
        early.forEach(this::input);
        early.clear();
        if (code >= 0) {
            stopRanks();
        }
    }

    private void send(RunMessage message) {
        Attempt current = attempt;
        if (current != null) {
            current.send(message);
        }
    }

    @Override
    public void input(String line) {
        Attempt current = attempt;
        if (current == null) {
            early.add(line);
        } else {
            byte[] text = line.getBytes(StandardCharsets.UTF_8);
            current.send(new RunMessage(RunMessage.Kind.INPUT, current.firstPodWithRanks(), 0, text));
        }
    }

    /** There is no rank yet that could take one that comes before the pods are known. */
    @Override
    public void signal(int number) {
        send(new RunMessage(RunMessage.Kind.SIGNAL, 0, number));
    }

    @Override
    public void stop(int wanted, String why) {
        if (attempt == null) {
            listener.runEnded(wanted, why);
        } else if (code < 0) {
            end(wanted, why);
            stopRanks();
        }
    }

    private void end(int newCode, String why) {
        code = newCode;
        text = why;
    }

    private void stopRanks() {
        certainty = -1;
        byte[] line = LauncherText.stop(code, "").getBytes(StandardCharsets.UTF_8);
        send(new RunMessage(RunMessage.Kind.STOP, 0, code, line));
    }

    /** A worker's pod says it. */
    void onRunMessage(RunMessage message) {
        int pod = message.pod();
        switch (message.kind()) {
            case STARTED -> {
                starting.clear(pod);
                if (starting.isEmpty()) {
                    launcher.send("started\n");
                }
            }
            case OUTPUT -> {
                String output = new String(message.text(), StandardCharsets.UTF_8);
                // Another line would be another thing that pmixd says.
                if (output.indexOf('\n') < 0) {
                    launcher.send("output " + message.number() + ' ' + output + '\n');
                }
                received[pod] += message.text().length;
                tellTaken(pod);
                if (received[pod] > windowBytes + LONGEST_LINE_BYTES) {
                    lose(pod);
                }
            }
            case INPUT_TAKEN -> launcher.send("taken " + message.number() + "\n");
            case FAILED -> failed(message);
            case DONE -> {
                anyConnected |= running.get(pod) && message.number() == RunMessage.CONNECTED;
                running.clear(pod);
                if (running.isEmpty()) {
                    runEnded();
                }
            }
            default -> {}
        }
    }

    private void runEnded() {
        if (requiresPmix && !anyConnected && code < 0) {
            listener.runEnded(PodServer.WITHOUT_PMIX_CODE, PodServer.WITHOUT_PMIX);
        } else {
            listener.runEnded(Math.max(code, 0), text);
        }
    }

    /** A worker that goes on while its output is not taken would fill the heap. */
    private void lose(int pod) {
        Attempt current = attempt;
        if (current != null) {
            current.lose("pod " + pod + " sends more output than it may before it is taken");
        }
    }

    private void failed(RunMessage message) {
        boolean first = code < 0;
        if (first || (certainty >= 0 && message.certainty() > certainty)) {
            certainty = message.certainty();
            end(message.code(), new String(message.text(), StandardCharsets.UTF_8));
        }
        if (first) {
            loop.after(FAILURE_DELAY_MILLIS, this::stopRanks);
        }
    }

    /** In halves of the window, so that not every line is answered. */
    private void tellTaken(int pod) {
        Attempt current = attempt;
        if (current == null || received[pod] < windowBytes / 2) {
            return;
        }
        if (launcher.unsentBytes() > MOST_UNREAD_BYTES) {
            drain();
            return;
        }
        current.send(new RunMessage(RunMessage.Kind.OUTPUT_TAKEN, pod, received[pod]));
        received[pod] = 0;
    }

    private void drain() {
        if (!draining) {
            draining = true;
            loop.after(RETRY_MILLIS, () -> {
                draining = false;
                for (int pod = 0; pod < received.length; pod++) {
                    tellTaken(pod);
                }
            });
        }
    }
}
