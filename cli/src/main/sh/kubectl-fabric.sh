#!/bin/sh
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# kubectl-fabric: this script, and behind its last line a Java archive that the script hands itself to.
# Only builtins run before Java does, because a person waits for every process started here.

minimum=25
build=@BUILD@ # the archive's digest

fail() {
    printf 'error: %s\n' "$1" >&2
    exit 1
}

case $0 in
    /*) self=$0 ;;
    *) self=$PWD/$0 ;;
esac
# "sh kubectl-fabric" with the file on the PATH only.
[ -f "$self" ] || self=$(command -v -- "$0") || fail "cannot find my own file: run me by my full path"

# Whether $1 is the home of a Java that is new enough; java is then its launcher.
suitable() {
    [ -n "$1" ] && [ -x "$1/bin/java" ] || return 1
    major=
    if [ -r "$1/release" ]; then
        while IFS='=' read -r key value; do
            if [ "$key" = JAVA_VERSION ]; then
                major=${value#\"}
                major=${major%%[!0-9]*}
                break
            fi
        done < "$1/release"
    fi
    [ -n "$major" ] || major=$(version_of "$1/bin/java")
    [ "${major:-0}" -ge "$minimum" ] || return 1
    java=$1/bin/java
}

# Major version that a launcher reports: for a Java without a "release" file.
version_of() {
    text=$("$1" -version 2>&1) || return 0
    text=${text#*\"}
    printf '%s' "${text%%[!0-9]*}"
}

find_java() {
    if [ -n "${FABRIC_JAVA_HOME:-}" ]; then
        suitable "$FABRIC_JAVA_HOME" && return
        fail "FABRIC_JAVA_HOME=$FABRIC_JAVA_HOME is not a Java $minimum or newer: correct it or unset it"
    fi
    # The archive of a release for one platform brings its own; krew links to what it has unpacked.
    real=$self
    [ ! -L "$self" ] || real=$(readlink -f "$self")
    suitable "${real%/*}/kubectl-fabric-java" && return
    suitable "${JAVA_HOME:-}" && return
    on_path=$(command -v java) && on_path=$(readlink -f "$on_path" 2>/dev/null) \
        && suitable "${on_path%/bin/java}" && return
    for home in /usr/lib/jvm/*25* /usr/lib/jvm/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
        suitable "$home" && return
    done
    fail "kubectl-fabric needs Java $minimum or newer; none in FABRIC_JAVA_HOME, JAVA_HOME, PATH, /usr/lib/jvm: install one or set FABRIC_JAVA_HOME"
}

# The JVM keeps the classes that a command loads in an archive, writes it when the command ends for the first time, and
# makes it anew when it is another JVM. A torn one switches all sharing off; the program then deletes it. An archive holds
# what its first run loaded: there is one for each kind of command and form of output, and the program marks that of a run
# that failed, and deletes it after the first that does not. It fits one file of the program, by place and time. Its checksums
# are verified by each run: a JVM that takes a damaged one for good dies.
find_archive() {
    archive=
    origin=cluster
    form=
    help=
    before=
    for argument in "$@"; do
        case $argument in
            json | -ojson | --output=json) form=-json ;;
            yaml | -oyaml | --output=yaml) form=-yaml ;;
            --from-objects) origin=objects ;;
            -h | --help) help=yes ;;
        esac
        if [ "$before" != --kubeconfig ] && { [ "$argument" = - ] || [ -e "${argument#*:}" ]; }; then
            origin=file
        fi
        before=$argument
    done
    # Questions to a cluster need nearly the same classes, whatever is asked.
    case ${help:-${1:-}} in
        discover | topology | diff | upload | links) name=$1 ;;
        cost) [ $origin = file ] && name=cost || name=$origin ;;
        path | groups | peers | geometry | check | export | map) name=$origin ;;
        status | jobs | job | explain | pmix | watch | refresh) name=objects ;;
        *) name=help form= ;;
    esac
    cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
    case $cache in
        /*) cache=$cache/kubectl-fabric ;;
        *) return ;;
    esac
    place=$cache/$build$self
    if [ ! -d "$place" ]; then
        (umask 077 && mkdir -p "$place") 2>/dev/null || return
    fi
    archive=$place/$name$form.jsa
    create=-XX:-AutoCreateSharedArchive
    if [ -w "$place" ] && [ "$self" -nt "$archive" ]; then
        rm -f "$archive" "$archive.failed"
    fi
    if [ -s "$archive" ]; then
        [ ! -w "$place" ] || create=-XX:+AutoCreateSharedArchive
    elif [ -w "$place" ] && has_room "$archive"; then
        create=-XX:+AutoCreateSharedArchive
        # Archives of builds that nobody runs any more.
        find "$cache" -name '*.jsa*' -mtime +30 -exec rm -f {} + 2>/dev/null
    else
        archive=
    fi
}

# Whether an archive can be written to $1: a JVM that fails at it ends with 1, however well the command went.
has_room() {
    (
        head -c 33554432 /dev/zero > "$1.$$"
        exit $?
    ) 2>/dev/null
    room=$?
    rm -f "$1.$$"
    return $room
}

find_java
find_archive "$@"
cluster=
case $name in
    cluster | objects) cluster=-Dfabric.cluster=true ;;
esac
# The width of the terminal, which shells keep to themselves. No process is started for who does not look at one.
if [ -z "${COLUMNS:-}" ] && [ -t 1 ]; then
    size=$({ stty size < /dev/tty; } 2>/dev/null) && COLUMNS=${size#* } && export COLUMNS
fi
# Logging and warnings are off since the JVM complains of archives, which are a matter of speed only.
exec "$java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto -Xlog:disable -Xlog:all=off \
    ${archive:+"$create" "-XX:SharedArchiveFile=$archive" "-Dfabric.archive=$archive"} \
    -XX:-PrintWarnings ${archive:+-XX:+VerifySharedSpaces} \
    $cluster -XX:-UsePerfData -Djdk.reflect.useNativeAccessorOnly=true -cp "$self" dev.fabricoperator.cli.KubectlFabric "$@"
exit 1
