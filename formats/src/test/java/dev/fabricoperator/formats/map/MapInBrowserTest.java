/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.testdata.Dump;
import dev.fabricoperator.fabric.testdata.Wiring;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page as a browser has it, where there is one: the policy lets its script run, and the script finds what it is to find. */
class MapInBrowserTest {
    private static final List<String> NAMES =
            List.of("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome");

    @TempDir
    Path directory = Path.of("");

    private static @Nullable Path browser() {
        for (String place :
                Objects.requireNonNullElse(System.getenv("PATH"), "").split(File.pathSeparator)) {
            for (String name : NAMES) {
                if (Files.isExecutable(Path.of(place, name))) {
                    return Path.of(place, name);
                }
            }
        }
        return null;
    }

    private String run(String page, String... options) throws IOException, InterruptedException {
        Path found = browser();
        assumeTrue(found != null, "no Chromium on the PATH");
        List<String> command = new ArrayList<>(List.of(
                String.valueOf(found),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--user-data-dir=" + directory.resolve("profile"),
                "--window-size=1700,1000"));
        command.addAll(List.of(options));
        command.add(page);
        Path out = directory.resolve("out");
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(directory.resolve("err").toFile())
                .start();
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IllegalStateException("the browser does not end");
        }
        return Files.readString(out, StandardCharsets.UTF_8);
    }

    private static long count(String text, String pattern) {
        return Pattern.compile(pattern).matcher(text).results().count();
    }

    @Test
    void theSearchFindsAHostAndShowsItsSwitch() throws IOException, InterruptedException {
        OfflineFabric fabric = OfflineFabrics.of(
                        Dump.simulated("ft2-128").afterFault().cabling())
                .getFirst();
        List<Remark> remarks =
                fabric.model().findings().stream().map(Remark::of).toList();
        JobRanks job = new JobRanks("lab/ring", List.of(new JobRanks.OnHost("node0001", 4, List.of(0))));
        FabricMap map = FabricMap.of(fabric.name(), fabric.model(), fabric.switches(), remarks, job);
        Path page = Files.writeString(directory.resolve("map.html"), HtmlWriter.write(map));

        String dom = run(page.toUri() + "#node0033", "--dump-dom");
        assertThat(count(dom, "data-cell=\"\\d+\" class=\"cell[^\"]*\"")).isEqualTo(11);
        assertThat(count(dom, "class=\"cell[^\"]* found\"")).isEqualTo(1);
        assertThat(dom)
                .contains("<output id=\"found\">1 place</output>", "<h2>leaf-03</h2>", "16 devices of ")
                .contains("infiniband-0: FatTree 8x16", "job lab/ring: 4 ranks on 1 host", "1 thing to look at");

        // To be looked at by people; what it shows is not the same on every machine.
        Files.createDirectories(Path.of("target/map"));
        Path picture = Path.of("target/map/ft2-128.png").toAbsolutePath();
        run(page.toUri().toString(), "--screenshot=" + picture);
        assertThat(picture).isNotEmptyFile();
    }

    @Test
    void twoThousandSwitchesAreSeenAsGroupsFromAfarAndAsSwitchesWhereTheSearchLeads()
            throws IOException, InterruptedException {
        Wiring wiring = Wiring.threeLevels(1, 60, 16, 16, 4, 8, 1);
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
        FabricMap map = FabricMap.of("large", model, wiring.switches(), List.of(), null);
        Path page = Files.writeString(directory.resolve("large.html"), HtmlWriter.write(map));

        String afar = run(page.toUri().toString(), "--dump-dom");
        assertThat(count(afar, "data-cell=\"\\d+\"")).isEqualTo(1984);
        assertThat(count(afar, "class=\"section isfar\"")).isEqualTo(61);

        String near =
                run(page.toUri() + "#" + map.whole().cells().getLast().hosts().getFirst(), "--dump-dom");
        assertThat(count(near, "class=\"section[^\"]* isfar[^\"]*\"")).isZero();
        assertThat(count(near, "class=\"section[^\"]* isaway[^\"]*\"")).isGreaterThan(50);
    }
}
