#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# The part of many-ranks.sh that runs in namespaces of its own: inside.sh IMAGE RANKS...

set -euo pipefail
: "${ROUNDS:?}" "${OUT:?}" "${ROOT:?}" "${PROJECT:?}" "${JAVA:?}"
image=$1
shift
ip link set lo up
mkdir "$OUT/place"
mount -t tmpfs tmpfs "$OUT/place"
place=$OUT/place inside=$OUT/place/root
mkdir -p "$place"/{work,upper/bench,root}
mount -t overlay overlay -o "lowerdir=$ROOT,upperdir=$place/upper,workdir=$place/work" "$inside"
# As the kubelet mounts it.
mkdir "$inside/image"
mount -t overlay overlay -o "lowerdir=$image/layer:$image/root" "$inside/image"
mount -t proc proc "$inside/proc"
mount --rbind /dev "$inside/dev"
mount -t tmpfs tmpfs "$inside/dev/shm"
mount --rbind /sys "$inside/sys"
mount --bind "$OUT" "$inside/bench"
cp "$PROJECT/e2e/bench/many-ranks/init.c" "$OUT/"
mkdir "$OUT/launcher-source"
cp "$PROJECT"/launcher/src/main/c/*.[ch] "$OUT/launcher-source/"
chroot "$inside" sh -euc '
  cd /bench
  mpicc -Wall -Wextra -Werror -O1 -o init init.c
  gcc -static -O1 -D_GNU_SOURCE "-DVERSION=\"bench\"" -o launcher launcher-source/*.c 2> /dev/null
'

# Two packages with a NUMA node and 64 cores of one thread each; eight cores share an L3 cache.
played_host() { # directory
  local system=$1/sys/devices/system cpu cache package file level type size shared
  mkdir -p "$1/proc" "$system"/node/node{0,1}
  mkdir -p "$system/cpu"
  for file in online possible present; do echo 0-127 > "$system/cpu/$file"; done
  for file in online possible has_cpu has_memory; do echo 0-1 > "$system/node/$file"; done
  mask() { # first, count
    awk -v first="$1" -v count="$2" 'BEGIN {
      for (word = 3; word >= 0; word--) { value = 0
        for (bit = 0; bit < 32; bit++) { at = word * 32 + bit; if (at >= first && at < first + count) value += 2 ^ bit }
        printf "%08x%s", value, word ? "," : "\n" } }'
  }
  for package in 0 1; do
    mask $((package * 64)) 64 > "$system/node/node$package/cpumap"
    echo $((package * 64))-$((package * 64 + 63)) > "$system/node/node$package/cpulist"
    printf 'Node %d MemTotal: 268435456 kB\n' "$package" > "$system/node/node$package/meminfo"
  done
  echo 10 20 > "$system/node/node0/distance"
  echo 20 10 > "$system/node/node1/distance"
  for ((cpu = 0; cpu < 128; cpu++)); do
    package=$((cpu / 64))
    mkdir -p "$system/cpu/cpu$cpu/topology" "$system/cpu/cpu$cpu"/cache/index{0,1,2}
    echo 1 > "$system/cpu/cpu$cpu/online"
    echo $package > "$system/cpu/cpu$cpu/topology/physical_package_id"
    echo $((cpu % 64)) > "$system/cpu/cpu$cpu/topology/core_id"
    mask $cpu 1 | tee "$system/cpu/cpu$cpu"/topology/{core_cpus,thread_siblings} > /dev/null
    mask $((package * 64)) 64 | tee "$system/cpu/cpu$cpu"/topology/{package_cpus,core_siblings} > /dev/null
    for cache in 0 1 2; do
      case $cache in
        0) echo 1; echo Data; echo 48K; mask $cpu 1 ;;
        1) echo 2; echo Unified; echo 2048K; mask $cpu 1 ;;
        2) echo 3; echo Unified; echo 32768K; mask $((cpu / 8 * 8)) 8 ;;
      esac > "$OUT/cache"
      { read -r level; read -r type; read -r size; read -r shared; } < "$OUT/cache"
      cd "$system/cpu/cpu$cpu/cache/index$cache"
      echo "$level" > level
      echo "$type" > ./type
      echo "$size" > size
      echo "$shared" > shared_cpu_map
      echo 64 > coherency_line_size
      echo 8 > ways_of_associativity
    done
  done
  cd "$OUT"
}
played_host "$OUT/played"

mkdir "$OUT/service"
"$JAVA" -Xmx64m -XX:+UseSerialGC -cp "$PROJECT/pmix/target/test-classes:$PROJECT/pmix/target/classes:$PROJECT/protocol/target/classes:$PROJECT/fabric/target/classes" \
  dev.fabricoperator.pmix.pmixd.PlayedJobService "$OUT/service" 1 > "$OUT/service/log" 2>&1 &
service=$!
trap 'kill "$service" 2> /dev/null || true' EXIT
until [ -s "$OUT/service/port" ]; do
  kill -0 "$service" || { cat "$OUT/service/log" >&2; exit 1; }
  sleep 0.1
done

cat > "$OUT/direct" << 'POD'
#!/bin/sh
# direct RANKS TIMES [VARIABLE...]: what a pod's container runs, pmixd beside the ranks
ranks=$1 times=$2 directory=/bench/pod
shift 2
rm -rf "$directory"
mkdir -p "$directory"
printf pod-0 > "$directory/token"
exec env -i PATH=/usr/bin:/bin HOME=/tmp OMPI_MCA_mpi_yield_when_idle=1 "$@" PMIXD_POD_NAME=pod-0 PMIXD_POD_NAMESPACE=bench PMIXD_POD_IP=127.0.0.10 PMIXD_FABRIC_DIRECTORY="$directory" \
  PMIXD_FABRIC_TOKEN_FILE="$directory/token" PMIXD_FABRIC_JOB_SERVICE="https://127.0.0.1:$(cat /bench/service/port),https://fabric-operator-jobs.test.svc:1" \
  PMIXD_FABRIC_JOB_SERVICE_CA="$(cat /bench/service/ca.pem)" /bench/launcher --pmixd /image --heap 24 --socket "$directory/pmixd.sock" --ranks "$ranks" -- /bench/init "$times"
POD
cat > "$OUT/mpirun" << 'POD'
#!/bin/sh
# mpirun RANKS TIMES [VARIABLE...]
ranks=$1 times=$2
shift 2
exec env -i PATH=/usr/bin:/bin HOME=/tmp OMPI_MCA_mpi_yield_when_idle=1 "$@" mpirun --allow-run-as-root --oversubscribe --bind-to none -n "$ranks" /bench/init "$times"
POD
chmod +x "$OUT/direct" "$OUT/mpirun"

now() { awk '{ print $1 }' /proc/uptime; }
median() { sort -n | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)] }'; }
load() { printf 'load at the %s: %s\n' "$1" "$(cut -d' ' -f1-3 /proc/loadavg)"; }

# Appends to a file: seconds of the slowest rank, processor seconds of all, and from the launch to the last rank's end.
take() { # file, way, ranks, variables...
  local file=$1 way=$2 ranks=$3 begun
  shift 3
  rm -f "$OUT/times"
  begun=$(now)
  timeout 300 chroot "$inside" "/bench/$way" "$ranks" /bench/times "$@" > "$OUT/log" 2>&1 || { tail -n 20 "$OUT/log" "$OUT"/pod/log >&2; exit 1; }
  [ "$(wc -l < "$OUT/times")" = "$ranks" ] || { echo "many-ranks.sh: $way has not run $ranks ranks" >&2; exit 1; }
  awk -v took="$(awk -v a="$begun" -v b="$(now)" 'BEGIN { print b - a }')" \
    '{ if ($1 > wall) wall = $1; cpu += $2 } END { print wall / 1e9, cpu / 1e9, took }' "$OUT/times" >> "$file"
}

# A control group of either version, as a container has one. Without, a session of its own, as pmixd has, is a group of its own to the scheduler (sched_autogroup), and on Linux 6.18 some 60 ranks
# that yield starve such a neighbour for minutes.
group=/sys/fs/cgroup/cpu/fabric-bench.$$
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  group=/sys/fs/cgroup/fabric-bench.$$
  echo +cpu > /sys/fs/cgroup/cgroup.subtree_control
fi
mkdir "$group"
# What has not ended by itself goes with the group.
trap 'kill "$service" 2> /dev/null || true; xargs -r kill -9 < "$group/cgroup.procs" || true; sleep 1; rmdir "$group" || true' EXIT
in_group() { (echo "$BASHPID" > "$group/cgroup.procs" && "$@"); }

# What runs in it has a quota for each 100 ms.
limit() { # cpus
  if [ -e "$group/cpu.max" ]; then
    echo "$(($1 * 100000)) 100000" > "$group/cpu.max"
  else
    echo 100000 > "$group/cpu.cfs_period_us"
    echo $(($1 * 100000)) > "$group/cpu.cfs_quota_us"
  fi
}
throttled_seconds() { awk '$1 == "throttled_usec" { print $2 / 1e6 } $1 == "throttled_time" { print $2 / 1e9 }' "$group/cpu.stat"; }

if [ -n "${CPUS:-}" ]; then
  limit "$CPUS"
  [ "$(nproc)" -gt "$CPUS" ] || echo "many-ranks.sh: $(nproc) processors are here: a limit of $CPUS throttles nobody, ranks only share them" >&2
  load start
  for ranks in "$@"; do
    for ((round = 0; round < ROUNDS; round++)); do
      for way in direct mpirun; do
        for yield in 0 1; do
          file=$OUT/of-limit-$ranks-$way-$yield
          before=$(throttled_seconds)
          in_group take "$file" $way "$ranks" EXCHANGES=100 OMPI_MCA_mpi_yield_when_idle=$yield
          awk -v a="$before" -v b="$(throttled_seconds)" 'BEGIN { print b - a }' >> "$file.throttled"
        done
      done
    done
  done
  load end
  printf '%5s %5s %-7s %5s %9s %9s %9s\n' cpus ranks way yield seconds cpu-s throttled
  for ranks in "$@"; do
    for way in direct mpirun; do
      for yield in 0 1; do
        file=$OUT/of-limit-$ranks-$way-$yield
        printf '%5s %5s %-7s %5s %9.3f %9.3f %9.2f\n' "$CPUS" "$ranks" $way $yield "$(awk '{ print $1 }' "$file" | median)" "$(awk '{ print $2 }' "$file" | median)" "$(median < "$file.throttled")"
      done
    done
  done
  exit
fi

load start
for host in own played; do
  # What pmixd and ranks see alike, as on a machine that has it; the control group would leave two of the 128 processors.
  [ $host = own ] || { mount --bind "$OUT/played/sys/devices/system" "$inside/sys/devices/system"; mount -t tmpfs tmpfs "$inside/sys/fs/cgroup"; }
  for ranks in "$@"; do
    for ((round = 0; round < ROUNDS; round++)); do
      for way in direct mpirun; do
        in_group take "$OUT/of-$host-$ranks-$way" $way "$ranks"
      done
    done
  done
done
load end
printf '%-8s %5s | %9s %9s %5s | %9s %9s %5s | %9s %9s %5s\n' host ranks init-s mpirun x cpu-s mpirun x whole-s mpirun x
for host in own played; do
  for ranks in "$@"; do
    printf '%-8s %5s' $host "$ranks"
    for column in 1 2 3; do
      direct=$(awk -v c=$column '{ print $c }' "$OUT/of-$host-$ranks-direct" | median)
      mpirun=$(awk -v c=$column '{ print $c }' "$OUT/of-$host-$ranks-mpirun" | median)
      printf ' | %9.2f %9.2f %5.2f' "$direct" "$mpirun" "$(awk -v a="$direct" -v b="$mpirun" 'BEGIN { print a / b }')"
    done
    echo
  done
done
