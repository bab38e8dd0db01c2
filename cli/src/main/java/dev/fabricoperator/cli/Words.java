/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a command is asked about, and the files that it is asked about in: these may stand before or behind the rest.
 *
 * @param ids words that are no files
 */
record Words(List<String> ids, List<SourceArgument> files) {

    /** A failure of asking a cluster: words that nobody took for files may have been meant as such. */
    Failure orFiles(Failure asked) {
        if (!files.isEmpty() || ids.isEmpty()) {
            return asked;
        }
        String none = ids.stream().map(id -> "'" + id + "'").collect(Collectors.joining(" or "));
        return asked.with("; there is no file " + none + " in " + Path.of("").toAbsolutePath()
                + " either, so that a cluster was asked");
    }

    /**
     * @param fewest ids that there have to be
     * @param most ids that there may be; what is more has to be a file
     * @param labels of the ids, for messages
     */
    static Words of(List<String> words, int fewest, int most, String labels) throws Failure {
        List<String> ids = new ArrayList<>();
        List<SourceArgument> files = new ArrayList<>();
        for (String word : words) {
            if (SourceArgument.isFile(word) || ids.size() == most) {
                files.add(SourceArgument.parse(word));
            } else {
                ids.add(word);
            }
        }
        if (ids.size() < fewest) {
            throw Failure.wrongUsage((words.isEmpty() ? "" : "'" + String.join(" ", words) + "': ") + "needed "
                    + (fewest == 1 ? "is " : "are ") + labels + ", and files may follow");
        }
        return new Words(ids, files);
    }
}
