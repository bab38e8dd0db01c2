# shellcheck shell=bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Pods without Kubernetes, for PlayedPods: a pmixd and a launcher each, in directories and on loopback addresses of their own.
# Read by a test's script, in the root file system; the environment has JOB_SERVICE, CA, CLASSES, LAUNCHER.

RUN=$(mktemp -d /tmp/pods.XXXXXX)
# Of this script alone, whatever else runs on the machine.
NET=127.$(($$ / 250 % 250 + 1)).$(($$ % 250))
FIXED_PORT=$((12000 + $$ % 1000 * 16))
chmod 755 "$RUN"
declare -A PMIXD LAUNCHED
FIXED=()
# What a test adds: variables for pmixd, a command before it.
MORE=() WRAPPER=()
# Of the image, but for its AOT cache and its native library.
JVM=(-Xms4m -Xmn1m -Xmx24m -Xss256k -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -XX:+ExitOnOutOfMemoryError --enable-native-access=ALL-UNNAMED
  -Dfabric-operator.version=1.2.3)

# its token is its name
start_pmixd() { # index
  local name=pod-$1 directory=$RUN/pod-$1
  mkdir -p "$directory"
  chmod 777 "$directory"
  printf '%s' "$name" > "$directory/token"
  "${WRAPPER[@]}" env -i PATH=/usr/bin:/bin PMIX_MCA_gds=hash PMIX_MCA_psensor=^heartbeat,file POD_NAME="$name" POD_NAMESPACE=test POD_IP=$NET.$(($1 + 10)) \
    POD_RESTART_POLICY="${RESTART_POLICY:-Never}" FABRIC_INJECT_DEVICES="${DEVICES:-false}" \
    FABRIC_DIRECTORY="$directory" FABRIC_TOKEN_FILE="$directory/token" FABRIC_ASSEMBLY_TIMEOUT_SECONDS="${TIMEOUT:-60}" \
    FABRIC_JOB_SERVICE="$JOB_SERVICE" FABRIC_JOB_SERVICE_CA="$CA" FABRIC_CLUSTER_ID=cluster "${FIXED[@]}" "${MORE[@]}" \
    /jdk/bin/java "${JVM[@]}" ${HEAP:+-Xmx$HEAP} -cp "$CLASSES" dev.fabricoperator.pmix.pmixd.Main 2>> "$directory/log" &
  PMIXD[$1]=$!
}

start_launcher() { # index, ranks, command
  local index=$1 ranks=$2
  shift 2
  # All these pods have one loopback interface, which Open MPI by itself does not use between nodes. Each has a host name and a /dev/shm, as real ones do:
  # Open MPI's shared memory is in a file there that is named by host and local rank, and two pods would take the same.
  env -i PATH=/usr/bin:/bin OMPI_MCA_btl_tcp_if_include=lo ${POD_HOME+HOME="$POD_HOME"} unshare --uts --mount \
    sh -c 'hostname "$0"; mount -t tmpfs tmpfs /dev/shm; exec "$@"' "pod-$index" "$LAUNCHER" --socket "$RUN/pod-$index/pmixd.sock" --ranks "$ranks" --tag -- "$@" \
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

# ranks that run the command when $RUN/go is there; returns when each pod has one that waits
start_waiting_pods() { # pods, ranks, command
  local pods=$1 ranks=$2 index
  shift 2
  start_pods "$pods" "$ranks" sh -c 'echo up; until [ -e "$0" ]; do sleep 0.05; done; exec "$@"' "$RUN/go" "$@"
  for ((index = 0; index < pods; index++)); do await_text "$index" up; done
}

# another pod in the place of one that is lost without a word
replace_pod() { # index, ranks, command
  local index=$1
  kill -9 "${LAUNCHED[$index]}" "${PMIXD[$index]}"
  wait "${LAUNCHED[$index]}" "${PMIXD[$index]}" 2> /dev/null
  start_pmixd "$index"
  start_launcher "$@"
}

# where ranks of a pod reach their server
pmix_port() { # index
  tr '\0' '\n' < "/proc/$(pgrep -P "${LAUNCHED[$1]}" | head -n 1)/environ" | sed -n 's/^PMIX_SERVER_URI41=.*://p'
}

# a pod whose rank no launcher starts: as the kubelet does, the program when the probe succeeds, then the server's end
start_fixed() { # index, command
  local index=$1 port=$((FIXED_PORT + $1)) variable
  shift
  FIXED=(FABRIC_RANK_PORT="$port" FABRIC_RANK_NAMESPACE=test.fixed-0 FABRIC_RANK="$index" FABRIC_RANK_UID=1000 FABRIC_RANK_GID=1000)
  start_pmixd "$index"
  FIXED=()
  (
    until "$LAUNCHER" --ready --socket "$RUN/pod-$index/pmixd.sock"; do sleep 0.05; done
    code=0
    setpriv --reuid 1000 --regid 1000 --clear-groups env -i PATH=/usr/bin:/bin HOME=/tmp OMPI_MCA_btl_tcp_if_include=lo \
      PMIX_NAMESPACE=test.fixed-0 PMIX_RANK="$index" PMIX_SERVER_URI41="pmixd.0;tcp4://127.0.0.1:$port" \
      PMIX_GDS_MODULE=hash PMIX_SECURITY_MODE=native PMIX_BFROP_BUFFER_TYPE=PMIX_BFROP_BUFFER_NON_DESC PMIX_HOSTNAME="pod-$index" \
      "$@" >> "$RUN/pod-$index/out" 2>&1 || code=$?
    kill -TERM "${PMIXD[$index]}" 2> /dev/null
    exit "$code"
  ) &
  LAUNCHED[$index]=$!
}

# pmixd's image, as far as the launcher looks into it: a script stands in the place of the loader that starts Java
make_image() {
  local loader
  for loader in /usr/lib/*-linux-gnu/ld-linux-*; do
    mkdir -p "$RUN/image${loader%/*}"
    printf '#!/bin/sh\nexec /jdk/bin/java %s -cp %s dev.fabricoperator.pmix.pmixd.Main\n' "${JVM[*]}" "$CLASSES" > "$RUN/image$loader"
    chmod 755 "$RUN/image$loader"
  done
}

# a pod of an MPIJob: what its container runs is put behind the launcher, which starts pmixd; its output is that of both
start_member() { # index, launcher's options and command
  local index=$1 directory=$RUN/pod-$1
  shift
  mkdir -p "$directory"
  chmod 777 "$directory"
  printf 'pod-%s' "$index" > "$directory/token"
  env -i PATH=/usr/bin:/bin OMPI_MCA_btl_tcp_if_include=lo PMIXD_PMIX_MCA_gds=hash PMIXD_PMIX_MCA_psensor=^heartbeat,file PMIXD_POD_NAME="pod-$index" PMIXD_POD_NAMESPACE=test \
    PMIXD_POD_IP=$NET.$((index + 10)) PMIXD_FABRIC_INJECT_DEVICES=false PMIXD_FABRIC_DIRECTORY="$directory" \
    PMIXD_FABRIC_TOKEN_FILE="$directory/token" PMIXD_FABRIC_ASSEMBLY_TIMEOUT_SECONDS=60 PMIXD_FABRIC_JOB_SERVICE="$JOB_SERVICE" \
    PMIXD_FABRIC_JOB_SERVICE_CA="$CA" "${MORE[@]}" "$LAUNCHER" "$1" "$2" --pmixd "$RUN/image" --socket "$directory/pmixd.sock" "${@:3}" \
    >> "$directory/out" 2>&1 &
  LAUNCHED[$index]=$!
}

start_worker() { # index, slots
  MORE=(PMIXD_FABRIC_SERVES_RUNS=true)
  start_member "$1" --serve-runs "$2" -- sleep 600
  MORE=()
}

# workers 1 to the last, and pod 0 with a command that may call mpirun; ends with that
run_mpirun() { # workers, slots, command
  local workers=$1 slots=$2 index
  shift 2
  make_image
  for ((index = 1; index <= workers; index++)); do start_worker "$index" "$slots"; done
  start_member 0 --with-mpirun "$RUN/pod-0/mpirun" -- "$@"
}

# when pod 0 has ended, the workers are ended as the kubelet does
finish_run() {
  local index
  wait "${LAUNCHED[0]}"
  echo "mpirun $?"
  unset 'LAUNCHED[0]'
  for index in "${!LAUNCHED[@]}"; do kill -TERM "${LAUNCHED[$index]}"; done
  for index in "${!LAUNCHED[@]}"; do wait "${LAUNCHED[$index]}"; done
  for index in 0 "${!LAUNCHED[@]}"; do sed "s/^/out $index: /" "$RUN/pod-$index/out"; done
  rm -rf "$RUN"
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
