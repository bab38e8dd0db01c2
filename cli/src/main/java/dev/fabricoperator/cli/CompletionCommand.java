/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.output.StandardOutput;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code completion}: scripts that make shells complete this program's words. */
@Command(
        name = "completion",
        description = {
            "Print a script that completes the words of this program.",
            "bash and zsh complete 'kubectl-fabric'. 'kubectl fabric' is completed by kubectl, which asks a",
            "program called kubectl_complete-fabric: that is what is printed for 'kubectl'."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  source <(kubectl fabric completion bash)",
            "  kubectl fabric completion kubectl > ~/.local/bin/kubectl_complete-fabric",
            "  chmod +x ~/.local/bin/kubectl_complete-fabric"
        })
final class CompletionCommand implements Callable<Integer> {
    /** For whom a script is. */
    enum Shell {
        bash,
        zsh,
        kubectl
    }

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
    Shell shell = Shell.bash;

    @Spec
    @Nullable
    CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        CommandLine program = Objects.requireNonNull(spec).root().commandLine();
        String script = shell == Shell.kubectl
                ? KubectlCompletion.script(program)
                // The script for bash notices zsh and lets it emulate bash's completion.
                : AutoComplete.bash("kubectl-fabric", program);
        StandardOutput.print(script);
        return 0;
    }
}
