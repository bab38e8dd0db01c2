# shellcheck shell=bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Part of build-images.sh: training runs, in the root that the image will have. A stale cache would run stale code without a
# word (JDK-8377932), so a cache is never kept: it is made anew with the archive and the runtime that it belongs to.

# In a mount namespace of its own, for a shared directory, layers (colon list, the uppermost first) and a command: makes a root of the layers
# and becomes the command in it; what that writes is lost but below /run/fabric-operator, which is the shared directory.
# shellcheck disable=SC2016 # expanded inside
IN_ROOT='
  shared=$1 layers=$2
  shift 2
  mount -t tmpfs tmpfs /mnt
  mkdir /mnt/upper /mnt/work /mnt/root
  mount -t overlay overlay -o "lowerdir=$layers,upperdir=/mnt/upper,workdir=/mnt/work" /mnt/root
  mkdir -p /mnt/root/run/fabric-operator
  mount --bind "$shared" /mnt/root/run/fabric-operator
  mount -t proc proc /mnt/root/proc
  mount --rbind /dev /mnt/root/dev
  mount --rbind /sys /mnt/root/sys
  [ -z "${KUBECONFIG:-}" ] || export KUBECONFIG=/run/fabric-operator/${KUBECONFIG##*/}
  exec chroot /mnt/root "$@"
'

in_root() { # shared directory, layers, command
  unshare --mount sh -euc "$IN_ROOT" in_root "$@"
}

# A job of two pods, one MPI rank each, as it runs in a cluster; only who assembles it is a stand-in, in the same protocol.
# Leaves the cache that pod 0 has written in the shared directory.
training_job() { # image's directory, shared directory
  local image=$1 shared=$2 developing=$FABRIC_OPERATOR_IMAGE_ROOTS/openmpi-dev pod port service pids=()
  local classes=$ROOT/pmix/target/test-classes:$ROOT/pmix/target/classes:$ROOT/protocol/target/classes:$ROOT/fabric/target/classes
  mkdir -p "$shared"/{service,pod-0,pod-1}
  cp pmix/src/test/c/ring.c launcher/target/fabric-launcher "$shared/"
  in_root "$shared" "$developing" mpicc -o /run/fabric-operator/ring /run/fabric-operator/ring.c || return 1
  "$JAVA_HOME/bin/java" -cp "$classes" dev.fabricoperator.pmix.pmixd.PlayedJobService "$shared/service" 2 > "$shared/service/log" 2>&1 &
  service=$!
  for ((pod = 0; pod < 300; pod++)); do [ -s "$shared/service/port" ] && break; sleep 0.1; done
  port=$(cat "$shared/service/port")
  for pod in 0 1; do
    printf 'pod-%s' $pod > "$shared/pod-$pod/token"
    # The JVM writes the cache in its own farewell, which pmixd otherwise does without.
    local cache=(-XX:AOTCacheOutput=/run/fabric-operator/pmixd.aot -Dfabric-operator.training)
    [ $pod = 0 ] || cache=()
    env -i PMIX_MCA_gds=hash PMIX_MCA_psensor=^heartbeat,file POD_NAME=pod-$pod POD_NAMESPACE=test POD_IP=127.0.0.$((10 + pod)) FABRIC_ASSEMBLY_TIMEOUT_SECONDS=60 \
      FABRIC_DIRECTORY=/run/fabric-operator/pod-$pod FABRIC_TOKEN_FILE=/run/fabric-operator/pod-$pod/token FABRIC_INJECT_DEVICES=true \
      FABRIC_JOB_SERVICE="https://127.0.0.1:$port,https://fabric-operator-jobs.test.svc:1" FABRIC_JOB_SERVICE_CA="$(cat "$shared/service/ca.pem")" \
      PATH=/usr/sbin:/usr/bin:/sbin:/bin \
      unshare --mount sh -euc "$IN_ROOT" in_root "$shared" "$image/layer:$image/root" /opt/java/bin/java "${cache[@]}" @app/pmixd.options @app/pmixd.main \
      > "$shared/pod-$pod/log" 2>&1 &
    pids+=($!)
  done
  local code=0
  # Both pods have one loopback interface, which Open MPI by itself does not use between nodes.
  for pod in 0 1; do
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_tcp_if_include=lo \
      unshare --mount sh -euc "$IN_ROOT" in_root "$shared" "$developing" /run/fabric-operator/fabric-launcher --socket /run/fabric-operator/pod-$pod/pmixd.sock \
      --ranks 1 -- /run/fabric-operator/ring > "$shared/pod-$pod/out" 2>&1 &
    pids+=($!)
  done
  for pod in "${pids[@]}"; do wait "$pod" || code=1; done
  kill $service
  wait $service 2> /dev/null || true
  return $code
}

train_pmixd() { # image's directory
  local shared
  shared=$(mktemp -d)
  chmod 755 "$shared"
  if ! training_job "$1" "$shared" || [ ! -s "$shared/pmixd.aot" ]; then
    tail -n 30 "$shared"/*/log "$shared"/*/out >&2
    rm -rf "$shared"
    die "the training run of pmixd has failed"
  fi
  grep -h '' "$shared"/pod-*/out >&2
  mv "$shared/pmixd.aot" "$1/layer/app/"
  rm -rf "$shared"
  touch -d @1 "$1/layer/app/pmixd.aot" "$1/layer/app" "$1/layer"
  # Where the cache does not fit, this fails; in use, the JVM would go on without it.
  shared=$(mktemp -d)
  in_root "$shared" "$1/layer:$1/root" /opt/java/bin/java -XX:AOTMode=on -XX:AOTCache=app/pmixd.aot @app/pmixd.options @app/pmixd.main > "$shared/log" 2>&1 || true
  grep -q 'POD_NAME\|FABRIC_JOB_SERVICE' "$shared/log" || { cat "$shared/log" >&2; die "the AOT cache does not fit the image"; }
  rm -rf "$shared"
  check_volume "$1"
}

# The image as a volume in the root of another one that has nothing: no loader, no library, no name for the user. What the other one sets does not matter.
check_volume() { # image's directory
  local log
  # shellcheck disable=SC2016 # expanded inside
  log=$(unshare --mount sh -euc '
    image=$1 volume=/mnt/root/run/fabric-operator/image
    mount -t tmpfs tmpfs /mnt
    mkdir -p "$volume" /mnt/root/proc /mnt/root/dev
    mount -t overlay overlay -o "lowerdir=$image/layer:$image/root" "$volume"
    { cat "$volume/app/pmixd.options"; echo -XX:AOTMode=on; } > /mnt/options
    mount --bind /mnt/options "$volume/app/pmixd.options"
    mount -t proc proc /mnt/root/proc
    mount --rbind /dev /mnt/root/dev
    launcher=/run/fabric-operator/image/usr/local/bin/fabric-launcher
    JAVA_TOOL_OPTIONS=-XX:+NoSuchOption LD_LIBRARY_PATH=/nowhere \
      exec chroot --userspec=54321:54321 /mnt/root "$launcher" --ranks 1 --pmixd /run/fabric-operator/image -- "$launcher" --version
  ' check_volume "$1" 2>&1 || true)
  grep -q 'FABRIC_JOB_SERVICE is not set' <<< "$log" || { printf '%s\n' "$log" >&2; die "pmixd does not start from a volume"; }
}

# Both roles against an API server of this machine, which the end-to-end tests' harness starts: OperatorTraining tells what they do there.
train_fabric_operator() { # image's directory
  local shared role
  shared=$(mktemp -d)
  chmod 755 "$shared"
  if ! "$JAVA_HOME/bin/java" -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -DprojectRoot="$ROOT" -Dorg.slf4j.simpleLogger.defaultLogLevel=error \
    -cp "e2e/target/classes:$(cat e2e/target/classpath.txt)" dev.fabricoperator.e2e.training.OperatorTraining "$shared" \
    unshare --mount sh -euc "$IN_ROOT" in_root "$shared" "$1/layer:$1/root" \
    /opt/java/bin/java -XX:MaxRAM=1g -XX:AOTCacheOutput=/run/fabric-operator/%s.aot @/app/%s.options @/app/operator.options -jar /app/operator.jar; then
    tail -n 30 "$shared"/*.log >&2
    rm -rf "$shared"
    die "the training run of the operator has failed"
  fi
  mv "$shared"/{controller,server}.aot "$1/layer/app/"
  rm -rf "$shared"
  chmod 644 "$1"/layer/app/*.aot
  touch -d @1 "$1"/layer/app/*.aot "$1/layer/app" "$1/layer"
  shared=$(mktemp -d)
  for role in controller server; do
    # "none" is no role: it ends when its classes are loaded. Where the cache does not fit, it ends before.
    FABRIC_OPERATOR_ROLE=none in_root "$shared" "$1/layer:$1/root" /opt/java/bin/java -XX:AOTMode=on -XX:AOTCache=/app/$role.aot -Xlog:class+load \
      @/app/server.options @/app/operator.options -jar /app/operator.jar > "$shared/log" 2>&1 || true
    grep -q 'io.quarkus.runner.ApplicationImpl source: shared objects file' "$shared/log" || { tail -n 30 "$shared/log" >&2; die "the AOT cache of the $role does not fit the image"; }
  done
  rm -rf "$shared"
}
