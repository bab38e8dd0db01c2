/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionDirectoryTest {
    @TempDir
    private Path volume;

    private SessionDirectory session;
    private Path ofRank;

    @BeforeEach
    void make() throws IOException {
        int uid = (int) Files.getAttribute(volume, "unix:uid");
        SessionDirectory made = SessionDirectory.make(volume, "session-1", uid, 0, 2);
        assertThat(made).isNotNull();
        session = made;
        ofRank = volume.resolve("session-1/job/1");
        assertThat(ofRank).isDirectory();
    }

    private void leave(int files) throws IOException {
        for (int i = 0; i < files; i++) {
            Files.createFile(ofRank.resolve("file-" + i));
        }
    }

    @Test
    void whatRanksHaveLeftIsRemovedAndNothingThatALinkPointsTo() throws IOException {
        Path kept = Files.createDirectory(volume.resolve("kept"));
        Files.createFile(kept.resolve("file"));
        Files.createSymbolicLink(ofRank.resolve("link"), kept);
        Files.createDirectories(ofRank.resolve("a/b/c"));
        leave(100);
        session.remove();
        assertThat(volume).isDirectoryContaining(each -> each.equals(kept));
        assertThat(volume.resolve("session-1")).doesNotExist();
        assertThat(kept.resolve("file")).exists();
    }

    @Test
    void whatIsReadOfTheFilesThatARankHasLeftIsNoMoreThanIsRemoved() throws IOException {
        leave(20_000);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        session.remove(10);
        long before = threads.getCurrentThreadAllocatedBytes();
        session.remove(10);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(200_000);
        assertThat(ofRank).isDirectory();
    }

    @Test
    void directoriesBelowDirectoriesWithoutEndAreLeftToThePod() throws IOException {
        Path path = ofRank;
        for (int i = 0; i < 100; i++) {
            path = Files.createDirectory(path.resolve("d"));
        }
        session.remove();
        assertThat(path).isDirectory();
    }
}
