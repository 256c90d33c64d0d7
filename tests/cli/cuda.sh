#!/usr/bin/env bash
# tests/cli/cuda.sh - gputap info and dump tell what is in a CUDA trace, and agree with each other
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
gputap=$GPUTAP_BUILD/gputap
trace=$scratch/cuda.gputap
passed=0 failed=0

check() { if "${@:2}"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $1"; fi; }
has() { grep -qF -- "$2" "$1" || { echo "no line with: $2"; return 1; }; }

"$GPUTAP_BUILD/tests/golden/build" cuda "$GPUTAP_BUILD/gen/table.txt" "$trace" || exit 1
timeout 60 "$gputap" info "$trace" >"$scratch/info" || exit 1
timeout 60 "$gputap" info --json "$trace" >"$scratch/info.json" || exit 1
timeout 60 "$gputap" dump "$trace" >"$scratch/dump" 2>/dev/null || exit 1
timeout 60 "$gputap" dump --json "$trace" >"$scratch/dump.json" 2>/dev/null || exit 1

check "library" has "$scratch/info" 'process 4711: CUPTI 13.0.1 (/usr/local/cuda/lib64/libcupti.so.13), driver for CUDA 13.0, clock within 51 ns'
check "buffers" has "$scratch/info" '86 activities in 5 buffers, 1 of them unfinished at the end, 5 activities dropped'
check "device once" test "$(grep -c 'Golden GPU 100, compute capability 9.0, 132 multiprocessors, 80.0 GiB' "$scratch/info")" -eq 2
check "counts" has "$scratch/info" '42 API calls, 11 kernels, 7 copies, 2 fills, 5 synchronisations, 1 graph launch'
check "ledger" has "$scratch/info" '5  CUDA activities dropped by CUPTI'

check "info and dump agree" python3 - "$scratch/info.json" "$scratch/dump.json" <<'EOF'
import collections, json, sys
info = json.load(open(sys.argv[1]))
lines = [json.loads(l) for l in open(sys.argv[2])]
n = collections.Counter(l['type'] for l in lines)
names = {'calls': 'call', 'kernels': 'kernel', 'copies': 'copy', 'fills': 'fill', 'syncs': 'sync', 'graphs': 'graph', 'graph_events': 'graph_event',
         'node_events': 'node_event', 'memory': 'memory', 'pools': 'pool', 'managed': 'managed', 'event_records': 'event_record',
         'overheads': 'overhead', 'jit': 'jit', 'external': 'external', 'decompressions': 'decompress'}
counts = info['cuda']['counts']
assert counts == {k: n['cuda_' + v] for k, v in names.items()}, (counts, n)
assert n['cuda_buffer'] == sum(l['buffers'] for l in info['cuda']['libraries']) == 6
by = {k: [l for l in lines if l['type'] == 'cuda_' + k] for k in names.values()}
for kind, rows in by.items():
    starts = [r['start_ns'] for r in rows if 'start_ns' in r]
    assert starts == sorted(starts), kind
calls = {(c['pid'], c['correlation']): c for c in by['call'] if not c['nested']}
for k in by['kernel']:
    if k.get('timed', True) and k['correlation'] != 999:
        assert k['start_ns'] >= calls[k['pid'], k['correlation']]['start_ns'], k
named = {k['name']: k for k in by['kernel'] if 'name' in k}
gemm = named['void core::blas::gemm<float, 4>(float*, float const*, unsigned long)']
assert gemm['short_name'] == 'gemm' and gemm['cluster'] == [2, 1, 1] and gemm['mangled'].startswith('_ZN'), gemm
assert [k['reason'] for k in by['kernel'] if 'reason' in k] == ['TIME_ZERO', 'TIME_REVERSED', 'NOT_FINISHED']
assert [c for c in by['copy'] if c['peer']][0]['dst_device'] == 1
old = [c for c in by['copy'] if c['pid'] == 4720][0]
assert 'count' not in old, old      # CUPTI 22 does not know it
assert sum(p['calls'] for p in info['processes']) == sum(not c['nested'] for c in by['call'])
assert sum(p['kernels'] for p in info['processes']) == counts['kernels']
EOF

check "text has a line for each" test "$(grep -c '^cuda ' "$scratch/dump")" -eq "$(grep -c '^{"type":"cuda_' "$scratch/dump.json")"
check "times of a kernel" has "$scratch/dump" 'cuda kernel 4711 start_ns=145000 end_ns=165000 correlation=3 device=0 context=1 stream=7 name="vecadd('

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
