/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.pmixd.fence.RunMessage;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherSocket;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.protocol.job.JobApp;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.job.RunRequest;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(300)
class MpirunCallTest {
    private final List<String> ended = new ArrayList<>();

    @TempDir
    Path directory;

    @Test
    void aWorkerThatSendsOutputWhichIsNotTakenIsLostBeforeItFillsTheHeap() throws Exception {
        EventLoop loop = new EventLoop();
        Path path = directory.resolve("s");
        LauncherSocket launcher = new LauncherSocket(loop, path, Played.as(LauncherSocket.Listener.class));
        Attempt attempt = Played.attempt(
                loop,
                new JobMap(
                        "ns.job-0",
                        0,
                        new byte[32],
                        List.of(new JobApp(0, "launcher", 0), new JobApp(1, "worker", 1)),
                        List.of(pod(0, 0), pod(1, 1)),
                        null));
        MpirunCall call = new MpirunCall(loop, launcher, false, Played.as(MpirunCall.Listener.class));
        try (SocketChannel reader = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            reader.write(ByteBuffer.wrap("hello\nuid 0\ngid 0\nranks 0\nend\n".getBytes(StandardCharsets.UTF_8)));
            loop.execute(() -> call.begin(attempt));
            byte[] text = new byte[60_000];
            Arrays.fill(text, (byte) 'x');
            loop.execute(new Runnable() {
                private int sent;

                @Override
                public void run() {
                    call.onRunMessage(new RunMessage(RunMessage.Kind.OUTPUT, 1, 0, text));
                    if (attempt.ending() != null || ++sent == 1_000) {
                        loop.stop();
                    } else {
                        loop.after(1, this);
                    }
                }
            });
            loop.run();
        }
        assertThat(attempt.ending())
                .isNotNull()
                .satisfies(ending ->
                        assertThat(ending.text()).isEqualTo("pod 1 sends more output than it may before it is taken"));
        assertThat(launcher.unsentBytes()).isLessThan(4 << 20);
    }

    @Test
    void theRunEndsForTheRankThatWasKilledAndNotForThoseThatLostIt() throws Exception {
        MpirunCall call = begun(false);

        call.onRunMessage(failed(14, Ranks.Certainty.MAY_FOLLOW, "rank 1 aborted"));
        call.onRunMessage(failed(139, Ranks.Certainty.KILLED, "rank 0 was ended by signal 11"));
        call.onRunMessage(failed(3, Ranks.Certainty.LEFT, "rank 1 exited with code 3"));
        call.onRunMessage(new RunMessage(RunMessage.Kind.DONE, 1, RunMessage.CONNECTED));

        assertThat(ended).containsExactly("139 rank 0 was ended by signal 11");
    }

    @Test
    void aRunOfWhichNoRankHasAskedItsServerFailsWhereThatIsWanted() throws Exception {
        begun(true).onRunMessage(new RunMessage(RunMessage.Kind.DONE, 1, RunMessage.UNCONNECTED));
        assertThat(ended).containsExactly("1 " + PodServer.WITHOUT_PMIX);
    }

    @ParameterizedTest
    @CsvSource({"true, 0", "false, 0", "false, 1"})
    void anyOtherRunEndsWell(boolean wanted, int said) throws Exception {
        begun(wanted).onRunMessage(new RunMessage(RunMessage.Kind.DONE, 1, said));
        assertThat(ended).containsExactly("0 ");
    }

    private MpirunCall begun(boolean requiresPmix) throws IOException {
        EventLoop loop = new EventLoop();
        LauncherSocket launcher =
                new LauncherSocket(loop, directory.resolve("s"), Played.as(LauncherSocket.Listener.class));
        MpirunCall call = new MpirunCall(loop, launcher, requiresPmix, new MpirunCall.Listener() {
            @Override
            public void runWanted(RunRequest request) {}

            @Override
            public void runEnded(int code, String text) {
                ended.add(code + " " + text);
            }
        });
        Attempt attempt = Played.attempt(
                loop,
                new JobMap(
                        "ns.job-0",
                        0,
                        new byte[32],
                        List.of(new JobApp(0, "launcher", 0), new JobApp(1, "worker", 2)),
                        List.of(pod(0, 0), pod(1, 2)),
                        null));
        call.begin(attempt);
        return call;
    }

    private static RunMessage failed(int code, Ranks.Certainty certainty, String text) {
        return RunMessage.failed(1, code, certainty.ordinal(), text.getBytes(StandardCharsets.UTF_8));
    }

    private static JobPod pod(int app, int ranks) {
        return new JobPod("job-" + app, "host", app, 0, ranks, new byte[4], 1, "0", List.of());
    }
}
