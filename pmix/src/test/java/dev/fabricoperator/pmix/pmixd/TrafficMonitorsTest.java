/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static dev.fabricoperator.pmix.pmixd.PlayedPods.codes;
import static dev.fabricoperator.pmix.pmixd.PlayedPods.linesWith;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.TrixieRoot;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Tools and ranks with libpmix that ask their pod's server what the job sends, while a rank of another pod sends to theirs over TCP. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TrafficMonitorsTest {
    private static final Pattern REPORT =
            Pattern.compile("report -3003 id mine ranks (\\S+) to (\\S+) pods (\\d) tcp (\\d+) sent .*");

    private static final String TOOLS = """
            start_pods 2 1 %1$s send $NET $RUN/go
            await_text 1 sending
            chmod 755 $RUN/pod-0
            tool() { env -i PATH=$PATH HOME=/ PMIX_SYSTEM_TMPDIR=$RUN/pod-0 timeout 90 "$@" 2>&1; echo "code $?"; }
            """;

    private PlayedPods pods;
    private String program;

    @TempDir
    Path directory;

    @BeforeAll
    void build() {
        pods = new PlayedPods(TrixieRoot.open());
        program = pods.root().compile("gcc", "pmix/src/test/c/monitor.c", "-lpmix", "-lpthread");
    }

    @AfterAll
    void close() {
        if (pods != null) {
            pods.close();
        }
    }

    @Test
    void aToolThatMonitorsIsToldEachSecondWhatTheJobHasSentUntilItCancelsAndNobodyElseIs() throws Exception {
        TrixieRoot.Result result;
        try (PlayedJobService service = new PlayedJobService(directory, 2)) {
            // Somebody else watches, too, and no more after a while.
            service.watchUntil(3);
            result = pods.run(service, (TOOLS + """
                    tool %1$s listen $RUN/told > $RUN/listener &
                    listener=$!
                    until grep -q listening $RUN/listener; do sleep 0.05; done
                    tool %1$s watch
                    touch $RUN/told
                    wait $listener
                    sed 's/^/listener: /' $RUN/listener
                    touch $RUN/go
                    finish
                    """).formatted(program));
            assertThat(service.trafficReports()).hasSizeGreaterThan(3);
        }
        assertThat(result.lines())
                .as(result.text())
                .containsSubsequence(
                        "monitor: PMIX_SUCCESS",
                        "cancel of another: PMIX_SUCCESS",
                        "after cancel of another: some",
                        "cancel: PMIX_SUCCESS",
                        "after cancel: 0",
                        "code 0")
                .contains("listener: told: 0", "listener: code 0")
                .containsAll(codes("launcher", 2, 0))
                .containsAll(codes("pmixd", 2, 0))
                .noneMatch(line -> line.contains("event -3003"));
        List<Matcher> reports = linesWith(result, "report -3003").stream()
                .map(REPORT::matcher)
                .filter(Matcher::matches)
                .toList();
        assertThat(reports).as(result.text()).hasSizeGreaterThanOrEqualTo(8);
        List<Long> bytes =
                reports.stream().map(each -> Long.valueOf(each.group(4))).toList();
        assertThat(bytes).isSorted();
        // The pod that is asked has the other one, which sends, report each second, too.
        assertThat(bytes.stream().distinct()).as(result.text()).hasSizeGreaterThanOrEqualTo(8);
        assertThat(reports.getLast().group(3)).isEqualTo("2");
        // From one to the next a second passes at least.
        String inTime = linesWith(result, "in 5 s: ").getFirst();
        assertThat(Integer.parseInt(inTime.substring(inTime.lastIndexOf(' ') + 1)))
                .as(result.text())
                .isLessThanOrEqualTo(6);
        System.out.println("reports to a tool " + inTime);
    }

    @Test
    void aToolThatIsKilledIsForgottenAndOneOfAnotherUserIsRefused() throws Exception {
        TrixieRoot.Result result = pods.run(directory, 2, (TOOLS + """
                tool setpriv --reuid 65534 --regid 65534 --clear-groups %1$s watch
                for n in 1 2; do
                  env -i PATH=$PATH HOME=/ PMIX_SYSTEM_TMPDIR=$RUN/pod-0 %1$s watch-on > $RUN/tool &
                  killed=$!
                  until grep -q 'report -3003' $RUN/tool; do sleep 0.05; done
                  kill -9 $killed
                  wait $killed
                  until [ "$(grep -c 'has gone and is told no more what the job sends' $RUN/pod-0/log)" = $n ]; do sleep 0.05; done
                  echo "forgotten $n"
                done
                touch $RUN/go
                finish
                """).formatted(program));
        assertThat(result.lines())
                .as(result.text())
                .contains("forgotten 1", "forgotten 2")
                .contains("code 1")
                .doesNotContain("monitor: PMIX_SUCCESS")
                .anyMatch(line -> line.contains("a tool of user 65534, who has no rank in this pod now"))
                .containsAll(codes("launcher", 2, 0))
                .containsAll(codes("pmixd", 2, 0));
    }

    @Test
    void aRankMonitorsAsOftenAsItsPodAllowsAndNothingElse() throws Exception {
        TrixieRoot.Result result = pods.run(directory, 1, "start_pods 1 1 %s limits\nfinish".formatted(program));
        assertThat(result.lines())
                .as(result.text())
                .contains(
                        "out 0: [0] other key: PMIX_ERR_NOT_SUPPORTED",
                        "out 0: [0] heartbeat: PMIX_ERR_NOT_SUPPORTED",
                        "out 0: [0] no rate: PMIX_ERR_BAD_PARAM",
                        "out 0: [0] at most: " + TrafficMonitors.MOST + ", then PMIX_ERR_OUT_OF_RESOURCE",
                        "out 0: [0] again: PMIX_SUCCESS",
                        "out 0: [0] cancel all: PMIX_SUCCESS",
                        "out 0: [0] after that: PMIX_SUCCESS",
                        "launcher 0 0",
                        "pmixd 0 0")
                .anyMatch(line -> line.contains("rank 0: PMIx_Process_monitor of fabric-operator.weather"));
    }
}
