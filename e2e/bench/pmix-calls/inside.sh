#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# The part of pmix-calls.sh that runs in namespaces of its own: inside.sh IMAGE [OTHER IMAGE].

set -euo pipefail
: "${TURNS:?}" "${CALLS:?}" "${OUT:?}" "${ROOT:?}" "${PROJECT:?}" "${JAVA:?}"
# PRRTE's daemons do not talk over the loopback interface: an address of this machine that is not its own.
ip link set lo up
ip link add name bench0 type bridge
ip address add 192.0.2.1/24 dev bench0
ip link set bench0 up

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
  mount --bind "$OUT" "$place/root/bench"
}
new_root pmixd "$1"
inside=$OUT/place/pmixd/root
pmixds=(pmixd)
if [ $# -gt 1 ]; then
  new_root other "$2"
  pmixds+=(other)
fi
cp "$PROJECT"/e2e/bench/pmix-calls/*.c "$OUT/"
mkdir "$OUT/launcher-source"
cp "$PROJECT"/launcher/src/main/c/*.[ch] "$OUT/launcher-source/"
chroot "$inside" sh -euc '
  cd /bench
  for program in calls wait; do
    gcc -Wall -Wextra -Werror -O2 -I/usr/lib/x86_64-linux-gnu/pmix2/include -o $program $program.c -lpmix -lpthread
  done
  gcc -static -O1 -D_GNU_SOURCE "-DVERSION=\"bench\"" -o launcher launcher-source/*.c
'

# The second node's daemon is started here too, where a remote shell would start it, and has a host name of its own.
cat > "$OUT/agent" << 'AGENT'
#!/bin/sh
host=$1
shift
exec unshare --uts sh -c "hostname $host; $*"
AGENT
cat > "$OUT/pod" << 'POD'
#!/bin/sh
# pod INDEX SERVICE RANKS COMMAND...: what a pod's two containers run; pmixd keeps the process id
index=$1 service=$2 ranks=$3
shift 3
directory=/bench/pods/$index
rm -rf "$directory"
mkdir -p "$directory"
printf 'pod-%s' "$index" > "$directory/token"
env -i PATH=/usr/bin:/bin sh -c '"$@"; echo $? > "$0/code"' "$directory" \
  /bench/launcher --socket "$directory/pmixd.sock" --ranks "$ranks" -- "$@" > "$directory/out" 2>&1 &
export PMIX_MCA_gds=hash PMIX_MCA_psensor=^heartbeat,file POD_NAME="pod-$index" POD_NAMESPACE=bench POD_IP="127.0.0.$((10 + index))" FABRIC_DIRECTORY="$directory" FABRIC_TOKEN_FILE="$directory/token"
export FABRIC_JOB_SERVICE="https://127.0.0.1:$(cat "$service/port"),https://fabric-operator-jobs.test.svc:1" FABRIC_JOB_SERVICE_CA="$(cat "$service/ca.pem")"
exec /opt/java/bin/java -XX:AOTCache=/app/pmixd.aot -XX:AOTMode=on @/app/pmixd.options @/app/pmixd.main
POD
chmod +x "$OUT/agent" "$OUT/pod"

mkdir "$OUT/service"
"$JAVA" -Xmx64m -XX:+UseSerialGC -cp "$PROJECT/pmix/target/test-classes:$PROJECT/pmix/target/classes:$PROJECT/protocol/target/classes:$PROJECT/fabric/target/classes" \
  dev.fabricoperator.pmix.pmixd.PlayedJobService "$OUT/service" 2 --fabric > "$OUT/service/log" 2>&1 &
service=$!
daemons=()
trap 'kill "$service" "${daemons[@]}" 2> /dev/null || true' EXIT
until [ -s "$OUT/service/port" ]; do
  kill -0 "$service" || { cat "$OUT/service/log" >&2; exit 1; }
  sleep 0.1
done

# Each starts a job of two nodes and sets daemons to its daemons' process ids; both end when the job does.
start_in() { # pmixd or other, ranks on a node, command
  daemons=()
  local index root=$OUT/place/$1/root
  shift
  for index in 0 1; do
    chroot "$root" /bench/pod "$index" /bench/service "$@" > "$OUT/log-$index" 2>&1 &
    daemons+=($!)
  done
}
start_pmixd() { start_in pmixd "$@"; }
start_other() { start_in other "$@"; }
start_prrte() {
  local ranks=$1
  shift
  unshare --uts sh -c 'hostname pod-0; exec "$@"' pod chroot "$inside" env -i PATH=/usr/bin:/bin HOME=/tmp \
    prterun --allow-run-as-root --prtemca plm_ssh_agent /bench/agent --host "pod-0:$ranks,pod-1:$ranks" \
    --bind-to none -n $((2 * ranks)) "$@" > "$OUT/log-prrte" 2>&1 &
  daemons=($!)
}
failed() {
  tail -n 20 "$OUT"/log-* "$OUT"/pods/*/out >&2
  echo "pmix-calls.sh: $1 failed" >&2
  exit 1
}
join() { # who
  local each
  for each in "${daemons[@]}"; do wait "$each" || failed "$1"; done
  daemons=()
  [ "$1" = prrte ] || [ "$(cat "$OUT"/pods/*/code)" = $'0\n0' ] || failed "$1"
}

printf 'load at the start: %s\n' "$(cut -d' ' -f1-3 /proc/loadavg)"
for ((turn = 0; turn < TURNS; turn++)); do
  for who in "${pmixds[@]}" prrte; do
    "start_$who" 2 /bench/calls "/bench/times-$who-$turn" "$CALLS"
    join "$who"
    [ -s "$OUT/times-$who-$turn" ] || failed "$who"
  done
done
printf 'load at the end: %s\n' "$(cut -d' ' -f1-3 /proc/loadavg)"

quantile() { # of sorted lines, part
  awk -v part="$1" '{ v[NR] = $1 } END { if (NR) print v[int((NR - 1) * part) + 1] / 1000 }'
}
ratio() { awk -v a="${1:-0}" -v b="${2:-0}" 'BEGIN { if (a > 0 && b > 0) printf "%.2f", a / b; else print "-" }'; }
table() { # pmixd or other
  local call who line refusal
  printf '%-18s %10s %10s %10s %10s %10s %10s %8s %8s\n' call "$1-p50" prrte-p50 "$1-p99" prrte-p99 "$1/s" prrte/s p50 p99
  for call in get-job-key get-rank-key get-fetched get-collected query fabric-register publish lookup unpublish fence fence-1KiB-each group-construct group-destruct event-same-node event-other-node; do
    line=()
    for who in "$1" prrte; do
      cat "$OUT"/times-"$who"-* | awk -v call="$call" '$1 == call { print $2 }' | sort -n > "$OUT/of-$who"
      refusal=$(grep -m1 -E '[A-Za-z]' "$OUT/of-$who" || true)
      if [ -n "$refusal" ]; then
        printf '%-18s %s: %s\n' "$call" "$who" "$refusal"
        : > "$OUT/of-$who"
      fi
      line+=("$(quantile 0.5 < "$OUT/of-$who")" "$(quantile 0.99 < "$OUT/of-$who")" "$(awk '{ s += $1 } END { if (NR) printf "%d", NR * 1e9 / s }' "$OUT/of-$who")")
    done
    [ -s "$OUT/of-$1" ] || [ -s "$OUT/of-prrte" ] || continue
    printf '%-18s %10s %10s %10s %10s %10s %10s %8s %8s\n' "$call" "${line[0]:--}" "${line[3]:--}" "${line[1]:--}" "${line[4]:--}" "${line[2]:--}" "${line[5]:--}" \
      "$(ratio "${line[0]}" "${line[3]}")" "$(ratio "${line[1]}" "${line[4]}")"
  done
}
for each in "${pmixds[@]}"; do table "$each"; done

# Memory: of the daemon of the second node, which in PRRTE starts nothing itself.
printf '%-18s %10s %10s\n' memory RSS/MB PSS/MB
for ranks in 2 34; do
  for who in "${pmixds[@]}" prrte; do
    rm -f "$OUT/end" "$OUT/end.ready"
    "start_$who" "$ranks" /bench/wait /bench/end
    until [ -e "$OUT/end.ready" ]; do
      kill -0 "${daemons[0]}" 2> /dev/null || failed "$who"
      sleep 0.2
    done
    sleep 1
    for node in 0 1; do
      if [ "$who" != prrte ]; then
        pid=${daemons[$node]}
      else
        name=(prterun prted)
        pid=$(pgrep --ns $$ --nslist net -n -x "${name[$node]}")
      fi
      awk -v who="$who-$ranks-node-$node" '/^(Rss|Pss):/ { v[$1] = $2 } END { printf "%-18s %10.1f %10.1f\n", who, v["Rss:"] / 1024, v["Pss:"] / 1024 }' "/proc/$pid/smaps_rollup"
    done
    touch "$OUT/end"
    join "$who"
  done
done
