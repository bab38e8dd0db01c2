/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.cluster.ClusterClasses;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.Progress;
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.cli.output.StandardOutput.ReaderGoneException;
import dev.fabricoperator.fabric.cabling.DisplayText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The program: its commands, and what becomes of their failures. */
@Command(
        name = KubectlFabric.NAME,
        description = {
            "The network fabric of a cluster: what it is, what communication costs, what somebody should look at.",
            "Answers are computed here from files where some are named; of a cluster its operator is asked.",
            "'help COMMAND' tells more of a command, 'version' what this is."
        },
        versionProvider = ProgramVersion.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:failed", "2:wrong usage", "3:bad input; the message names file and line"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric status",
            "  kubectl fabric map -o html > fabric.html",
            "  kubectl fabric path node001/mlx5_0 node002/mlx5_0",
            "  ibnetdiscover | kubectl fabric check -"
        })
public final class KubectlFabric implements Runnable {
    static final String NAME = "kubectl fabric";

    /** Columns that a terminal can be expected to have. */
    private static final int WIDTH = 100;

    /** A question to a fabric that a message says to ask. */
    private static final Pattern HINT =
            Pattern.compile("'(kubectl fabric (?:topology|groups|links|check|geometry)[^']*)'");

    private static final Map<String, Class<?>> COMMANDS = new LinkedHashMap<>();

    static {
        COMMANDS.put("discover", DiscoverCommand.class);
        COMMANDS.put("topology", TopologyCommand.class);
        COMMANDS.put("cost", CostCommand.class);
        COMMANDS.put("path", PathCommand.class);
        COMMANDS.put("groups", GroupsCommand.class);
        COMMANDS.put("peers", PeersCommand.class);
        COMMANDS.put("geometry", GeometryCommand.class);
        COMMANDS.put("check", CheckCommand.class);
        COMMANDS.put("links", LinksCommand.class);
        COMMANDS.put("export", ExportCommand.class);
        COMMANDS.put("diff", DiffCommand.class);
        COMMANDS.put("map", MapCommand.class);
        COMMANDS.put("fits", FitsCommand.class);
        COMMANDS.put("status", StatusCommand.class);
        COMMANDS.put("jobs", JobsCommand.class);
        COMMANDS.put("job", JobCommand.class);
        COMMANDS.put("levels", LevelsCommand.class);
        COMMANDS.put("traffic", TrafficCommand.class);
        COMMANDS.put("explain", ExplainCommand.class);
        COMMANDS.put("pmix", PmixCommand.class);
        COMMANDS.put("watch", WatchCommand.class);
        COMMANDS.put("refresh", RefreshCommand.class);
        COMMANDS.put("upload", UploadCommand.class);
        COMMANDS.put("completion", CompletionCommand.class);
    }

    @Spec
    @Nullable
    CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help and exit.")
    boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Print the version and exit.")
    boolean version;

    @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Print the stack trace of a failure.")
    boolean debug;

    private boolean failed;

    public static void main(String[] arguments) {
        ClassArchive archive = ClassArchive.open();
        if (Boolean.getBoolean("fabric.cluster")) {
            ClusterClasses.load();
        }
        KubectlFabric program = new KubectlFabric();
        String[] words = asOptions(arguments);
        int exitCode =
                Progress.during(err -> commandLine(program, words).setErr(err).execute(words));
        archive.commandEnded(program.failed);
        System.exit(exitCode);
    }

    /** What a command ended with, and what it has printed. */
    public record Outcome(int exitCode, byte[] out, String err) {}

    /** The same within another program. Standard input is that of the process. */
    public static Outcome run(String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        StringWriter err = new StringWriter();
        String[] words = asOptions(arguments);
        CommandLine commandLine = commandLine(new KubectlFabric(), words)
                .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(err, true));
        int exitCode = StandardOutput.redirect(out, () -> commandLine.execute(words));
        return new Outcome(exitCode, out.toByteArray(), err.toString());
    }

    /** {@code help}, {@code help path} and {@code version} as the options that they mean. */
    private static String[] asOptions(String... arguments) {
        String first = arguments.length == 0 ? "help" : arguments[0];
        if (first.equals("help")) {
            String[] rest = arguments.length == 0 ? arguments : Arrays.copyOfRange(arguments, 1, arguments.length);
            String[] words = Arrays.copyOf(rest, rest.length + 1);
            words[rest.length] = "--help";
            return words;
        }
        if (first.equals("version")) {
            String[] words = arguments.clone();
            words[0] = "--version";
            return words;
        }
        return arguments;
    }

    private static CommandLine commandLine(KubectlFabric program, String... arguments) {
        CommandLine commandLine = new CommandLine(program);
        String first = arguments.length == 0 ? "" : arguments[0];
        // To look at the options of all commands takes a tenth of a second.
        boolean one = COMMANDS.containsKey(first) && !first.equals("completion");
        COMMANDS.forEach((name, command) -> {
            if (!one || name.equals(first)) {
                commandLine.addSubcommand(command);
            }
        });
        return commandLine
                .registerConverter(SourceArgument.class, SourceArgument::parse)
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
                .setUsageHelpAutoWidth(false)
                .setUsageHelpWidth(WIDTH)
                .setParameterExceptionHandler((e, ignored) -> program.wrongUsage(e))
                .setExecutionExceptionHandler(
                        (e, thrower, parsed) -> program.failed(e, thrower.getErr(), files(parsed)));
    }

    /** Without a command there is nothing to do. */
    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(spec.commandLine(), "a command is missing");
        }
    }

    private int wrongUsage(ParameterException e) {
        failed = true;
        CommandLine commandLine = e.getCommandLine();
        PrintWriter err = commandLine.getErr();
        String message = String.valueOf(e.getMessage()).replaceFirst("^Error: ", "");
        boolean command = e instanceof UnmatchedArgumentException
                && commandLine.getParent() == null
                && !message.startsWith("Unknown option");
        err.println("error: "
                + (command
                        ? "unknown command '"
                                + ((UnmatchedArgumentException) e)
                                        .getUnmatched()
                                        .getFirst() + "'"
                        : uncapitalised(message).replaceFirst(" is not an? (long|int)$", " is not a whole number")));
        UnmatchedArgumentException.printSuggestions(e, err);
        err.println("See '" + commandLine.getCommandSpec().qualifiedName() + " --help'.");
        return Failure.WRONG_USAGE;
    }

    /** The files that a command was given, as they were typed, for hints to repeat. */
    private static String files(CommandLine.ParseResult parsed) {
        CommandLine.ParseResult command = parsed.hasSubcommand() ? parsed.subcommand() : parsed;
        Set<String> files = new LinkedHashSet<>();
        for (CommandLine.Model.ArgSpec argument : command.matchedArgs()) {
            for (String word : argument.isPositional() ? argument.originalStringValues() : List.<String>of()) {
                if (SourceArgument.isFile(word)) {
                    files.add(" " + word);
                }
            }
        }
        return String.join("", files);
    }

    private int failed(Exception e, PrintWriter err, String files) {
        if (debug) {
            e.printStackTrace(err);
        }
        if (hasCause(e, ReaderGoneException.class)) {
            return 0;
        }
        failed = true;
        if (e instanceof Failure failure) {
            // Names in it are their authors'.
            String message = DisplayText.lines(String.valueOf(failure.getMessage()));
            err.println("error: "
                    + HINT.matcher(message)
                            .replaceAll(hint -> Matcher.quoteReplacement("'" + hint.group(1) + files + "'")));
            return failure.exitCode();
        }
        err.println("error: " + DisplayText.lines(String.valueOf(e instanceof IOException ? e.getMessage() : e)));
        if (!(e instanceof IOException) && !debug) {
            err.println("This is a defect of kubectl-fabric. Please report it with the output of --debug.");
        }
        return Failure.FAILED;
    }

    private static boolean hasCause(Throwable e, Class<?> type) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }

    private static String uncapitalised(String message) {
        boolean word = message.length() > 1 && Character.isLowerCase(message.charAt(1));
        return word ? message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1) : message;
    }
}
