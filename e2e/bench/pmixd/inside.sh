#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# The part of pmixd.sh that runs in a mount namespace of its own: inside.sh IMAGE [OTHER IMAGE].

set -euo pipefail
: "${ROUNDS:?}" "${PODS:?}" "${OUT:?}" "${ROOT:?}" "${PROJECT:?}" "${JAVA:?}"
mkdir "$OUT/place"
mount -t tmpfs tmpfs "$OUT/place"

# A root file system with an image's files over the programs of a development system.
new_root() { # name, image
  local place=$OUT/place/$1
  mkdir -p "$place"/{work,upper/bench,root}
  mount -t overlay overlay -o "lowerdir=$2/layer:$2/root:$ROOT,upperdir=$place/upper,workdir=$place/work" "$place/root"
  mount -t proc proc "$place/root/proc"
  mount --rbind /dev "$place/root/dev"
  mount --rbind /sys "$place/root/sys"
  mkdir -p "$place/root/bench"
  mount --bind "$OUT" "$place/root/bench"
}

new_root this "$1"
this=$OUT/place/this/root other=
if [ $# -gt 1 ]; then
  new_root other "$2"
  other=$OUT/place/other/root
fi
cp "$PROJECT/e2e/bench/pmixd/host.c" "$PROJECT"/launcher/src/main/c/*.[ch] "$OUT/"
chroot "$this" sh -euc '
  cd /bench
  gcc -Wall -Wextra -O2 -I/usr/lib/x86_64-linux-gnu/pmix2/include -o host host.c -lpmix
  rm host.c
  gcc -static -O1 -D_GNU_SOURCE "-DVERSION=\"bench\"" -o launcher *.c
'

classes=$PROJECT/pmix/target/test-classes:$PROJECT/pmix/target/classes:$PROJECT/protocol/target/classes:$PROJECT/fabric/target/classes
services=()
serve() { # pods
  mkdir -p "$OUT/service-$1"
  "$JAVA" -Xmx64m -XX:+UseSerialGC -cp "$classes" dev.fabricoperator.pmix.pmixd.PlayedJobService "$OUT/service-$1" "$1" --crowd > "$OUT/service-$1/log" 2>&1 &
  services+=($!)
  until [ -s "$OUT/service-$1/port" ]; do
    kill -0 "${services[-1]}" || { cat "$OUT/service-$1/log" >&2; exit 1; }
    sleep 0.1
  done
}
trap 'kill "${services[@]}" 2> /dev/null || true' EXIT
serve "$PODS"
serve 1

# Runs as its own process what a pod's two containers run; pmixd is what keeps the process id.
cat > "$OUT/pod" << 'POD'
#!/bin/sh
# pod INDEX PODS waiting|joining
directory=/bench/d/$1
rm -rf "$directory"
mkdir -p "$directory"
printf 'pod-%s' "$1" > "$directory/token"
export PMIX_MCA_gds=hash PMIX_MCA_psensor=^heartbeat,file POD_NAME="pod-$1" POD_NAMESPACE=bench POD_IP="127.0.0.$((10 + $1))" FABRIC_DIRECTORY="$directory" FABRIC_TOKEN_FILE="$directory/token"
export FABRIC_JOB_SERVICE="https://127.0.0.1:$(cat "/bench/service-$2/port"),https://fabric-operator-jobs.test.svc:1" FABRIC_JOB_SERVICE_CA="$(cat "/bench/service-$2/ca.pem")"
[ "$3" = waiting ] || /bench/launcher --socket "$directory/pmixd.sock" --ranks 1 -- sleep 60 > "$directory/out" 2>&1 &
exec /opt/java/bin/java -XX:AOTCache=/app/pmixd.aot -XX:AOTMode=on @/app/pmixd.options ${HEAP:+-Xmx$HEAP} @/app/pmixd.main
POD
chmod +x "$OUT/pod"
mkdir -p "$OUT/d/c"

turns=(C-host ready chroot "$this" env PMIX_MCA_gds=hash /bench/host "$PODS" /bench/d/c 31001)
turns+=(-- pmixd-waiting "ready for" chroot "$this" /bench/pod 0 "$PODS" waiting -- pmixd serving chroot "$this" /bench/pod 0 "$PODS" joining)
[ -z "$other" ] || turns+=(-- other-waiting "ready for" chroot "$other" /bench/pod 0 "$PODS" waiting -- other serving chroot "$other" /bench/pod 0 "$PODS" joining)
"$OUT/timed" "$ROUNDS" "${turns[@]}" > "$OUT/times"

printf '%-16s %9s %9s %8s %8s %8s %8s\n' "$ROUNDS rounds" median/ms least/ms CPU/ms RSS/MB PSS/MB own/MB
median() { sort -n | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)] }'; }
for who in C-host pmixd-waiting pmixd other-waiting other; do
  grep "^$who " "$OUT/times" > "$OUT/of" || continue
  printf '%-16s %9.1f %9.1f %8.1f' "$who" "$(cut -d' ' -f2 "$OUT/of" | median)" "$(cut -d' ' -f2 "$OUT/of" | sort -n | head -n 1)" "$(cut -d' ' -f3 "$OUT/of" | median)"
  for column in 4 5 6; do printf ' %8.1f' "$(cut -d' ' -f$column "$OUT/of" | median | awk '{ print $1 / 1024 }')"; done
  printf '\n'
done

# 16 on one node: what each takes when all map the same files. Each serves a rank of a job of its own.
for pods in 1 "$PODS"; do
  pids=()
  for i in $(seq 16); do
    chroot "$this" /bench/pod "$i" "$pods" joining > "$OUT/log-$i" 2>&1 &
    pids+=($!)
  done
  for i in $(seq 16); do
    until grep -qs serving "$OUT/log-$i"; do sleep 0.1; done
  done
  sleep 1
  for pid in "${pids[@]}"; do
    awk '/^(Rss|Pss):/ { printf "%s ", $2 } END { print "" }' "/proc/$pid/smaps_rollup"
  done | awk -v pods="$pods" '
    { rss += $1; pss += $2 }
    END { printf "16 pmixds at once, jobs of %d ranks: %.1f MB resident, %.1f MB proportional each\n", pods, rss / NR / 1024, pss / NR / 1024 }'
  kill "${pids[@]}"
  wait "${pids[@]}" || true
done
