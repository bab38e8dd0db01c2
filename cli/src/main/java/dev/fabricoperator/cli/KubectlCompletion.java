/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.input.SourceKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The program that kubectl asks for completions of a plugin's words: a shell script without Java, since a person waits
 * with a finger on the tab key.
 *
 * <p>kubectl passes the words behind {@code kubectl fabric}, the last one as far as it is typed, and reads one
 * candidate a line and then {@code :} with a sum of cobra's directives: 2 no blank behind it, 4 no file names.
 *
 * @see "kubectl, pkg/cmd/plugin_completion.go; cobra, ShellCompDirective"
 */
final class KubectlCompletion {
    private KubectlCompletion() {}

    /** The script, made from the commands themselves. */
    static String script(CommandLine program) {
        StringBuilder commands = new StringBuilder();
        List<String> names = new ArrayList<>();
        program.getSubcommands().forEach((name, command) -> {
            if (!command.getCommandSpec().usageMessage().hidden()) {
                names.add(name);
                commands.append(arm(name, command.getCommandSpec()));
            }
        });
        List<String> first = new ArrayList<>(names);
        first.addAll(options(program.getCommandSpec()));
        String kinds = Arrays.stream(SourceKind.values()).map(k -> k + ":").collect(Collectors.joining(" "));
        return """
                #!/bin/sh
                # Copyright The fabric-operator authors.
                # SPDX-License-Identifier: Apache-2.0
                #
                # kubectl_complete-fabric: completes the words behind "kubectl fabric". Printed by
                # "kubectl fabric completion kubectl"; put it on the PATH as kubectl_complete-fabric, executable.

                # Candidates among the words of $1 that begin with $word, and directive $2.
                answer() {
                    for candidate in $1; do
                        case $candidate in "$word"*) printf '%%s\\n' "$candidate" ;; esac
                    done
                    printf ':%%s\\n' "$2"
                    exit 0
                }

                # File names, which the shell completes.
                files() {
                    printf ':0\\n'
                    exit 0
                }

                # Nothing that is known here.
                nothing() {
                    printf ':4\\n'
                    exit 0
                }

                # Files behind KIND:, which the shell would not look for.
                dumps() {
                    case $word in
                        %2$s)
                            kind=${word%%%%:*}
                            for file in "${word#*:}"*; do
                                [ -d "$file" ] && file=$file/
                                [ -e "$file" ] && printf '%%s:%%s\\n' "$kind" "$file"
                            done
                            printf ':6\\n'
                            exit 0
                            ;;
                    esac
                    answer '%1$s' 6
                }

                command=
                previous=
                word=
                for argument in "$@"; do
                    case $word in -* | '') ;; *) [ -n "$command" ] || command=$word ;; esac
                    previous=$word
                    word=$argument
                done

                case $command in
                    '') answer '%3$s' 4 ;;
                %4$s    *) nothing ;;
                esac
                """.formatted(
                        kinds,
                        Arrays.stream(SourceKind.values()).map(k -> k + ":*").collect(Collectors.joining(" | ")),
                        String.join(" ", first),
                        commands);
    }

    private static String arm(String name, CommandSpec command) {
        StringBuilder values = new StringBuilder();
        for (OptionSpec option : command.options()) {
            if (option.arity().max() > 0) {
                values.append("            ")
                        .append(String.join(" | ", option.names()))
                        .append(") ")
                        .append(valueAnswer(option))
                        .append(" ;;\n");
            }
        }
        return """
                    %1$s)
                        case $previous in
                %2$s        esac
                        case $word in
                            -*) answer '%3$s' 4 ;;
                            *) %4$s ;;
                        esac
                        ;;
                """.formatted(name, values, String.join(" ", options(command)), positional(command));
    }

    private static String positional(CommandSpec command) {
        List<? extends ArgSpec> positionals = command.positionalParameters();
        if (positionals.isEmpty()) {
            return "nothing";
        }
        String first = valueAnswer(positionals.getFirst());
        boolean thenFiles = positionals.getLast().paramLabel().startsWith("[KIND:]");
        if (thenFiles && positionals.getFirst().completionCandidates() != null) {
            return "[ \"$previous\" = " + command.name() + " ] && " + first + "; dumps";
        }
        return positionals.getFirst().paramLabel().startsWith("[KIND:]") ? "dumps" : first;
    }

    /** The values that are known; else file names, where the label says so. */
    private static String valueAnswer(ArgSpec argument) {
        if (argument.completionCandidates() != null) {
            List<String> candidates = new ArrayList<>();
            argument.completionCandidates().forEach(candidates::add);
            return "answer '" + String.join(" ", candidates) + "' 4";
        }
        String label = argument.paramLabel();
        boolean file = label.equals("FILE") || label.equals("DIR") || label.equals("FILE.npy");
        return file ? "files" : "nothing";
    }

    private static List<String> options(CommandSpec command) {
        return command.options().stream()
                .filter(option -> !option.hidden())
                .map(OptionSpec::longestName)
                .sorted()
                .toList();
    }
}
