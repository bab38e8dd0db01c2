/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.protocol.job.RunRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class LauncherSocketTest {
    private static final String GREETING = "hello\nuid 0\ngid 0\nranks 2\nend\n";

    private final EventLoop loop = new EventLoop();
    private final Thread thread = new Thread(loop::run);
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private final List<SocketChannel> open = new ArrayList<>();

    @TempDir
    Path directory;

    private @Nullable LauncherSocket made;
    private volatile LauncherRun run = LauncherRun.NONE;

    private final LauncherPmi pmi = new LauncherPmi() {
        @Override
        public void begun(int localRank) {
            heard.add("begun " + localRank);
        }

        @Override
        public void finalized(int localRank) {
            heard.add("finalized " + localRank);
        }

        @Override
        public void aborted(int localRank, int code, String message) {
            heard.add("aborted " + localRank + " " + code + " " + message);
        }

        @Override
        public void versionRefused(int localRank) {
            heard.add("version " + localRank);
        }

        @Override
        public void spawnRefused(int localRank) {
            heard.add("spawn " + localRank);
        }

        @Override
        public void publish(int localRank, String name, String port) {
            heard.add("publish " + localRank + " " + name + " " + port);
        }

        @Override
        public void lookup(int localRank, String name) {
            heard.add("lookup " + localRank + " " + name);
        }

        @Override
        public void unpublish(int localRank, String name) {
            heard.add("unpublish " + localRank + " " + name);
        }

        @Override
        public void fence(String pairs) {
            heard.add("fence " + pairs);
        }
    };

    @BeforeEach
    void listen() throws IOException {
        made = new LauncherSocket(loop, directory.resolve("s"), new LauncherSocket.Listener() {
            @Override
            public void greeted(LauncherFacts facts) {
                heard.add("greeted " + facts.ranks());
            }

            @Override
            public void started(int localRank, long pid) {
                heard.add("started " + localRank + " " + pid);
            }

            @Override
            public void exited(int localRank, int code, int signal) {
                heard.add("exited " + localRank + " " + code + " " + signal);
            }

            @Override
            public void ending() {
                heard.add("ending");
            }

            @Override
            public void done() {
                heard.add("done");
            }

            @Override
            public LauncherPmi pmi() {
                return pmi;
            }

            @Override
            public LauncherRun run() {
                return run;
            }

            @Override
            public void gone(String reason) {
                heard.add("gone: it " + reason);
            }
        });
        thread.start();
    }

    @AfterEach
    void stop() throws InterruptedException, IOException {
        for (SocketChannel channel : open) {
            channel.close();
        }
        loop.stop();
        thread.join();
    }

    private LauncherSocket socket() {
        return Objects.requireNonNull(made);
    }

    private SocketChannel connect() throws IOException {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(directory.resolve("s")));
        open.add(channel);
        return channel;
    }

    private static void say(SocketChannel channel, String text) throws IOException {
        channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    private String next() throws InterruptedException {
        return String.valueOf(heard.poll(60, TimeUnit.SECONDS));
    }

    private static String read(SocketChannel channel, int count) {
        ByteBuffer text = ByteBuffer.allocate(count);
        try {
            while (text.hasRemaining() && channel.read(text) >= 0) {
                Thread.onSpinWait();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new String(text.array(), 0, text.position(), StandardCharsets.UTF_8);
    }

    @Test
    void theFirstThatGreetsIsTheLauncherAndItsEndIsHeardAfterAllThatItSaid() throws Exception {
        SocketChannel launcher = connect();
        for (String part : GREETING.split("(?<=l)")) {
            say(launcher, part);
            TimeUnit.MILLISECONDS.sleep(5);
        }
        assertThat(next()).isEqualTo("greeted 2");

        SocketChannel second = connect();
        say(second, GREETING);
        assertThat(read(second, 4096)).contains("another launcher");

        say(launcher, "started 0 77\nexited 0 3 0\ndone\n");
        launcher.close();
        assertThat(List.of(next(), next(), next(), next()))
                .containsExactly("started 0 77", "exited 0 3 0", "done", "gone: it closed its connection");
        assertThat(directory.resolve("s")).doesNotExist();
    }

    @Test
    void aProbeHearsWhetherRanksMayStart() throws Exception {
        SocketChannel probe = connect();
        say(probe, "ready?\n");
        assertThat(read(probe, 3)).isEqualTo("no\n");
        loop.execute(() -> socket().markReady(true));
        say(probe, "ready?\n");
        assertThat(read(probe, 4)).isEqualTo("yes\n");
    }

    @Test
    void aLauncherThatReadsLateGetsAllInOrder() throws Exception {
        SocketChannel launcher = connect();
        say(launcher, GREETING);
        assertThat(next()).isEqualTo("greeted 2");
        StringBuilder sent = new StringBuilder();
        for (int i = 0; i < 50_000; i++) {
            sent.append("line ").append(i).append(" of many\n");
        }
        loop.execute(() -> {
            socket().send(sent.toString());
            socket().send("and the last\n");
        });
        TimeUnit.MILLISECONDS.sleep(50);
        assertThat(read(launcher, sent.length() + 13)).isEqualTo(sent + "and the last\n");
    }

    @Test
    void whoeverConnectsAndSaysNothingDoesNotKeepTheLauncherOut() throws Exception {
        for (int i = 0; i < 100; i++) {
            connect();
        }
        say(connect(), GREETING);
        assertThat(next()).isEqualTo("greeted 2");
        assertThat(Files.exists(directory.resolve("s"))).isTrue();
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(each -> each.getName().equals("launcher-link"))
                .hasSizeLessThan(40);
    }

    /** Until this has failed, so much is written, or nothing has been taken for so long. */
    private static int write(SocketChannel channel, String text, int most, Duration idleLimit) throws Exception {
        channel.configureBlocking(false);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int total = 0;
        long taken = System.nanoTime();
        while (total < most && System.nanoTime() - taken < idleLimit.toNanos()) {
            int count = channel.write(ByteBuffer.wrap(bytes));
            total += count;
            if (count > 0) {
                taken = System.nanoTime();
            } else {
                TimeUnit.MILLISECONDS.sleep(5);
            }
        }
        return total;
    }

    private static void writeUntilRefused(SocketChannel channel, String text) throws Exception {
        write(channel, text, 50_000_000, Duration.ofSeconds(60));
    }

    @Test
    void whoAsksWithoutReadingTheAnswersIsDisconnected() throws Exception {
        SocketChannel probe = connect();
        assertThatThrownBy(() -> writeUntilRefused(probe, "ready?\n".repeat(1_000)))
                .isInstanceOf(IOException.class);
        say(connect(), GREETING);
        assertThat(next()).isEqualTo("greeted 2");
    }

    /** As many as come in one piece; what is not taken from the socket costs this process nothing. */
    @Test
    void nothingIsReadWhileTheLoopIsBusy() throws Exception {
        SocketChannel launcher = connect();
        say(launcher, GREETING);
        assertThat(next()).isEqualTo("greeted 2");
        CountDownLatch busy = new CountDownLatch(1);
        loop.execute(() -> {
            try {
                busy.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(write(launcher, "nothing known\n".repeat(1_000), 50_000_000, Duration.ofMillis(500)))
                .isLessThan(5_000_000);
        busy.countDown();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "exited -1 0 0\n",
                "exited 2 0 0\n",
                "exited 99999999999 0 0\n",
                "started -5 1\n",
                "pmi-init 2\n",
                "pmi-abort 0 x\n",
                "pmi-finalize\n",
                "pmi-publish 0 name\n",
                "pmi-lookup 2 name\n",
                "exited\n",
                "%zz\n"
            })
    void anEventOfARankThatThePodDoesNotHaveEndsTheLauncherAndNothingElse(String event) throws Exception {
        SocketChannel launcher = connect();
        say(launcher, GREETING + event);
        assertThat(next()).isEqualTo("greeted 2");
        assertThat(next()).contains("its text cannot be understood");
        assertThat(thread.isAlive()).isTrue();
    }

    @Test
    void whatRanksSayByPmiIsHeardInOrderAndPairsAsTheyCame() throws Exception {
        SocketChannel launcher = connect();
        say(
                launcher,
                GREETING
                        + "pmi-version 1\npmi-init 1\npmi-put a=b%20c\npmi-put d=%25\npmi-fence\npmi-fence\npmi-spawn 0\npmi-abort 1 7 cannot go%20on\npmi-publish 0 a%20b tag#0\npmi-lookup 1 a%20b\npmi-unpublish 0 a%20b\npmi-finalize 1\npmi-new 1\n");
        assertThat(next()).isEqualTo("greeted 2");
        assertThat(List.of(next(), next(), next(), next(), next(), next(), next(), next(), next(), next()))
                .containsExactly(
                        "version 1",
                        "begun 1",
                        "fence a=b%20c\nd=%25\n",
                        "fence ",
                        "spawn 0",
                        "aborted 1 7 cannot go on",
                        "publish 0 a%20b tag#0",
                        "lookup 1 a%20b",
                        "unpublish 0 a%20b",
                        "finalized 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2147483647", "1025", "-1", "x"})
    void aGreetingWithImpossibleRanksIsNone(String ranks) throws Exception {
        say(connect(), GREETING.replace("ranks 2", "ranks " + ranks));
        assertThat(next()).contains("its text cannot be understood");
    }

    /** Tells what it hears; takes nothing more while it is told so. */
    private final class HeardRun implements LauncherRun {
        volatile boolean full;

        @Override
        public boolean isServed() {
            return true;
        }

        @Override
        public boolean holdsBack() {
            return full;
        }

        @Override
        public void asked(RunRequest request, String lines) {
            heard.add(request + " " + lines.replace('\n', '|'));
        }

        @Override
        public void output(int localRank, String text) {
            heard.add("output " + localRank + " of " + text);
        }

        @Override
        public void input(String line) {
            heard.add(line);
        }

        @Override
        public void inputTaken(int bytes) {
            heard.add("taken " + bytes);
        }

        @Override
        public void signal(int number) {
            heard.add("signal " + number);
        }

        @Override
        public void stop(int code, String text) {
            heard.add("stop " + code + " " + text);
        }
    }

    @Test
    void mpirunAsksForARunAndItsTextIsHandedOnAsItCame() throws Exception {
        run = new HeardRun();
        SocketChannel launcher = connect();
        say(
                launcher,
                GREETING.replace("ranks 2", "ranks 0")
                        + "run 4 2 oversubscribe\ndirectory -/home/%41\nargument a b%0A\nset A=b\nrun-end\n"
                        + "input x%00y\ninput-end\nsignal 10\nstop 143 by a%20signal\n");
        assertThat(next()).isEqualTo("greeted 0");
        assertThat(next()).isEqualTo(new RunRequest(4, 2, true) + " directory -/home/%41|argument a b%0A|set A=b|");
        assertThat(next()).isEqualTo("input x%00y");
        assertThat(next()).isEqualTo("input-end");
        assertThat(next()).isEqualTo("signal 10");
        assertThat(next()).isEqualTo("stop 143 by a signal");
    }

    @Test
    void outputOfAWorkerIsReadOnlyWhileItIsTaken() throws Exception {
        HeardRun worker = new HeardRun();
        worker.full = true;
        run = worker;
        SocketChannel launcher = connect();
        say(launcher, GREETING + "output 1 2 caf%C3%A9\ntaken 17\n");
        assertThat(next()).isEqualTo("greeted 2");
        assertThat(next()).isEqualTo("output 1 of 2 caf%C3%A9");
        assertThat(next()).isEqualTo("taken 17");
        say(launcher, "output 0 1 a\n");
        Thread.sleep(200);
        assertThat(heard).as("what has been read before is not taken").isEmpty();
        worker.full = false;
        assertThat(next()).isEqualTo("output 0 of 1 a");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"run\n", "run -1 0 -\n", "run x 0 -\n", "output 1\n", "output\n", "output 1024 1 x\n", "taken\n"
            })
    void aRunThatCannotBeUnderstoodEndsTheLauncher(String line) throws Exception {
        run = new HeardRun();
        say(connect(), GREETING + line);
        assertThat(next()).isEqualTo("greeted 2");
        assertThat(next()).contains("its text cannot be understood");
    }

    @Test
    void aRunThatNoPodCouldHandOnIsCut() throws Exception {
        run = new HeardRun();
        SocketChannel launcher = connect();
        String argument = "argument " + "x".repeat(200_000) + "\n";
        say(launcher, GREETING + "run 1 0 -\n" + argument.repeat(6));
        assertThat(next()).isEqualTo("greeted 2");
        assertThat(next()).contains("a run whose arguments and variables have more than");
    }

    @Test
    void aGreetingWithoutEndAndALineWithoutEndAreCut() throws Exception {
        SocketChannel endless = connect();
        assertThatThrownBy(() -> writeUntilRefused(endless, "x".repeat(8_192))).isInstanceOf(IOException.class);
        SocketChannel launcher = connect();
        say(launcher, "hello\n");
        assertThatThrownBy(() -> writeUntilRefused(launcher, "net a - - 10.0.0.1\n".repeat(500)))
                .isInstanceOf(IOException.class);
        assertThat(next()).contains("its text cannot be understood");
    }
}
