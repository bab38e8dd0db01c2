/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.fence.RunMessage;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherRun;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherSocket;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherText;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The pod of a worker, whose ranks are those of one run of mpirun after the other. On the loop. */
final class RunWorker implements LauncherRun {
    private static final int LEAST_WINDOW_BYTES = 16 << 10;
    private static final int MOST_WINDOW_BYTES = 1 << 20;
    /** Of all pods together, in the pod that takes it. */
    private static final int ALL_WINDOWS_BYTES = 8 << 20;

    private final LauncherSocket launcher;
    private @Nullable Attempt attempt;
    private LauncherText.@Nullable Block block;
    private String pmiLines = "";
    private int started;
    private int windowBytes;
    private long outputBytes;

    RunWorker(LauncherSocket launcher) {
        this.launcher = launcher;
    }

    /** How much of a pod's output may be on its way, by the number of pods. One line more than that may be. */
    static int windowBytes(int pods) {
        return Math.clamp(ALL_WINDOWS_BYTES / pods, LEAST_WINDOW_BYTES, MOST_WINDOW_BYTES);
    }

    @Override
    public boolean isServed() {
        return true;
    }

    @Override
    public boolean holdsBack() {
        return attempt != null && outputBytes >= windowBytes;
    }

    /** The pods are known; what to run is still to be said. */
    void begin(Attempt begun, LauncherText.Block newBlock, String newPmiLines) {
        attempt = begun;
        block = newBlock;
        pmiLines = newPmiLines;
        started = 0;
        outputBytes = 0;
        windowBytes = windowBytes(begun.map().pods().size());
    }

    /** The run is over. */
    void end() {
        attempt = null;
        block = null;
    }

    private void send(RunMessage.Kind kind, int number, String text) {
        Attempt current = attempt;
        if (current != null) {
            current.send(new RunMessage(kind, current.index(), number, text.getBytes(StandardCharsets.UTF_8)));
        }
    }

    /** Pod 0 says it. */
    void onRunMessage(RunMessage message) {
        String text = new String(message.text(), StandardCharsets.UTF_8);
        switch (message.kind()) {
            case START -> start(text);
            case STOP -> launcher.send(text);
            case SIGNAL -> launcher.send("signal " + message.number() + "\n");
            case INPUT -> launcher.send(text + "\n");
            case OUTPUT_TAKEN -> outputBytes -= message.number();
            default -> {}
        }
    }

    private void start(String lines) {
        LauncherText.Block toSend = block;
        block = null;
        if (toSend != null) {
            launcher.markReady(true);
            launcher.send(pmiLines + toSend.lines(lines));
        }
    }

    void started() {
        Attempt current = attempt;
        if (current != null && ++started == current.pod().rankCount()) {
            send(RunMessage.Kind.STARTED, 0, "");
        }
    }

    void failed(Ranks.Failure failure) {
        Attempt current = attempt;
        if (current != null) {
            String sentence = failure.text() + " in pod " + current.pod().name();
            current.send(RunMessage.failed(
                    current.index(),
                    failure.code(),
                    failure.certainty().ordinal(),
                    sentence.getBytes(StandardCharsets.UTF_8)));
        }
    }

    /** Every rank has ended, and what they wrote has been said. */
    void done(boolean noneConnected) {
        send(RunMessage.Kind.DONE, noneConnected ? RunMessage.UNCONNECTED : RunMessage.CONNECTED, "");
    }

    @Override
    public void output(int localRank, String text) {
        Attempt current = attempt;
        if (current != null) {
            outputBytes += text.length();
            send(RunMessage.Kind.OUTPUT, current.pod().firstRank() + localRank, text);
        }
    }

    @Override
    public void inputTaken(int bytes) {
        send(RunMessage.Kind.INPUT_TAKEN, bytes, "");
    }
}
