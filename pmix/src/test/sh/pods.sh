# shellcheck shell=bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Pods without Kubernetes, for PmixdTest: a pmixd and a launcher each, in directories and on loopback addresses of their own.
# Read by a test's script, in the root file system; the environment has JOB_SERVICE, CA, CLASSES, LAUNCHER.

RUN=$(mktemp -d /tmp/pods.XXXXXX)
chmod 755 "$RUN"
declare -A PMIXD LAUNCHED
JVM=(-Xms4m -Xmn1m -Xmx24m -Xss256k -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData --enable-native-access=ALL-UNNAMED)

# its token is its name
start_pmixd() { # index
  local name=pod-$1 directory=$RUN/pod-$1
  mkdir -p "$directory"
  chmod 777 "$directory"
  printf '%s' "$name" > "$directory/token"
  env -i PATH=/usr/bin:/bin PMIX_MCA_gds=hash POD_NAME="$name" POD_NAMESPACE=test POD_IP=127.0.0.$(($1 + 10)) \
    POD_RESTART_POLICY="${RESTART_POLICY:-Never}" FABRIC_INJECT_DEVICES="${DEVICES:-false}" \
    FABRIC_DIRECTORY="$directory" FABRIC_TOKEN_FILE="$directory/token" FABRIC_ASSEMBLY_TIMEOUT_SECONDS="${TIMEOUT:-60}" \
    FABRIC_JOB_SERVICE="$JOB_SERVICE" FABRIC_JOB_SERVICE_CA="$CA" \
    /jdk/bin/java "${JVM[@]}" -cp "$CLASSES" dev.fabricoperator.pmix.pmixd.Main 2>> "$directory/log" &
  PMIXD[$1]=$!
}

start_launcher() { # index, ranks, command
  local index=$1 ranks=$2
  shift 2
  # All these pods have one loopback interface, which Open MPI by itself does not use between nodes.
  env -i PATH=/usr/bin:/bin OMPI_MCA_btl_tcp_if_include=lo ${POD_HOME+HOME="$POD_HOME"} "$LAUNCHER" --socket "$RUN/pod-$index/pmixd.sock" --ranks "$ranks" --tag -- "$@" \
    >> "$RUN/pod-$index/out" 2>&1 &
  LAUNCHED[$index]=$!
}

start_pods() { # pods, ranks, command
  local pods=$1 index
  shift
  for ((index = 0; index < pods; index++)); do
    start_pmixd "$index"
    start_launcher "$index" "$@"
  done
}

# until a pod's log or output says it
await_text() { # index, text
  local tries
  for ((tries = 0; tries < 600; tries++)); do
    if cat "$RUN/pod-$1/log" "$RUN/pod-$1/out" 2> /dev/null | grep -q -- "$2"; then return; fi
    sleep 0.05
  done
  echo "pod $1 never said: $2"
}

# prints "launcher INDEX CODE" and "pmixd INDEX CODE", then what the pods said
finish() {
  local index
  set +e
  for index in "${!LAUNCHED[@]}"; do
    wait "${LAUNCHED[$index]}"
    echo "launcher $index $?"
  done
  for index in "${!PMIXD[@]}"; do
    wait "${PMIXD[$index]}"
    echo "pmixd $index $?"
  done
  for index in "${!PMIXD[@]}"; do
    sed "s/^/out $index: /" "$RUN/pod-$index/out"
    sed "s/^/log $index: /" "$RUN/pod-$index/log"
  done
  rm -rf "$RUN"
}
