#!/usr/bin/env bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# The part of pmixd.sh that runs in the root file system: inside.sh ROUNDS PODS.

set -euo pipefail
rounds=$1 pods=$2
cd /bench
flags=(-Wall -Wextra -O2)
gcc "${flags[@]}" -I/usr/lib/x86_64-linux-gnu/pmix2/include -o host /project/e2e/bench/pmixd/host.c -lpmix
gcc "${flags[@]}" -o timed /project/e2e/bench/pmixd/timed.c
export PMIX_MCA_gds=hash
jvm=(/jdk/bin/java @/bench/options -cp /bench/bench.jar)
main=dev.fabricoperator.e2e.bench.pmixd.HostBenchmark
mkdir -p d/{train,c,java,aot,pmixd}
"${jvm[@]}" -XX:AOTCacheOutput=/bench/host.aot "$main" "$pods" /bench/d/train 31000 --and-end > train.log 2>&1
export POD_NAME=job-0 POD_NAMESPACE=bench POD_IP=127.0.0.1 FABRIC_DIRECTORY=/bench/d/pmixd
export FABRIC_JOB_SERVICE=https://127.0.0.1:1 FABRIC_JOB_SERVICE_CA=none FABRIC_TOKEN_FILE=/bench/d/token
daemon=dev.fabricoperator.pmix.pmixd.Main
"${jvm[@]}" -XX:AOTCacheOutput=/bench/pmixd.aot "$daemon" > pmixd-train.log 2>&1 &
trained=$!
until grep -q ready pmixd-train.log || ! kill -0 "$trained"; do sleep 0.1; done
kill "$trained"
wait "$trained" || true

./timed "$rounds" \
    C-host /bench/host "$pods" /bench/d/c 31001 -- \
    Java-host "${jvm[@]}" "$main" "$pods" /bench/d/java 31002 -- \
    Java-host-AOT "${jvm[@]}" -XX:AOTCache=/bench/host.aot -XX:AOTMode=on "$main" "$pods" /bench/d/aot 31003 -- \
    pmixd-waiting "${jvm[@]}" "$daemon" -- \
    pmixd-wait-AOT "${jvm[@]}" -XX:AOTCache=/bench/pmixd.aot -XX:AOTMode=on "$daemon" > times

printf '%-16s %9s %9s %8s %8s %8s %8s\n' "$rounds rounds" median/ms least/ms CPU/ms RSS/MB PSS/MB own/MB
for who in C-host Java-host Java-host-AOT pmixd-waiting pmixd-wait-AOT; do
    grep "^$who " times | sort -k 2 -n | awk -v who="$who" '
        { ms[NR] = $2; cpu += $3; rss += $4; pss += $5; own += $6 }
        END {
            if (NR) printf "%-16s %9.1f %9.1f %8.0f %8.1f %8.1f %8.1f\n", who, ms[int((NR + 1) / 2)], ms[1], cpu / NR,
                rss / NR / 1024, pss / NR / 1024, own / NR / 1024
        }'
done

# 16 on one node: what each takes when all map the same archive.
for i in $(seq 16); do
    mkdir -p "d/$i"
    "${jvm[@]}" -XX:AOTCache=/bench/host.aot "$main" "$pods" "/bench/d/$i" $((31100 + i)) < <(exec sleep 60) > "d/$i/log" 2>&1 &
    pids[i]=$!
done
for i in $(seq 16); do
    until grep -qs ready "d/$i/log"; do sleep 0.1; done
done
for pid in "${pids[@]}"; do
    awk '/^Pss:/ { print $2 }' "/proc/$pid/smaps_rollup"
done | awk '{ sum += $1 } END { printf "16 Java hosts with AOT at once: %.1f MB proportional each\n", sum / NR / 1024 }'
kill "${pids[@]}"
