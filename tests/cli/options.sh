#!/usr/bin/env bash
# tests/cli/options.sh - wrong values are refused before anything is done; launcher and bare preload read a value alike
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
command -v clinfo >/dev/null || { echo "skipped: clinfo is not installed"; exit 77; }
gputap=$GPUTAP_BUILD/gputap
. "$GPUTAP_TESTS/check_lib.sh"
has() { if grep -qF -- "$3" "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1: no '$3' in:"; sed 's/^/  /' "$2"; fi; }
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
"$gputap" run -q -o t -- clinfo -l >/dev/null 2>&1

# `run` says 125, as for every failure before the start, and starts nothing. A shortened or a second word is no choice.
for o in "--summary=tab" "--summary=table csv" "--cuda-api= all" "--cuda-api=run" "--cuda-graph-trace=nodes" "--audit=maybe" "--audit=" \
	"--max-size=1X" "--max-size=1MB" "--max-pending=7k" "--stop-after=1m" "--stop-after=5" "--start-after=1.5" "--stop-after=1e3us" "--sources=maybe" "--ring=x" \
	"--trace=opencl,cud" "--trace=opencl|cuda" "--export=atp,sqlit" "--debug=streams" "--sqlite-schema=2022" "--lazy=maybe" \
	"--opencl-compat=yes" "--atp-version=3" "--atp-cuda=x" "--nvtx-text=x" "--nvtx-libraries=x" "--dynamic-tables=x" "--cuda-driver-rows=x" \
	"--cuda-buffer-size=x" "--cuda-flush=1s"; do
	"$gputap" run -o refused "$o" -- touch started >out 2>err; ok "run $o" $? 125
	has "run $o" err "is not"
	has "run $o" err "try: gputap run --help"
	ok "run $o: nothing is started" "$(ls -d started refused* 2>/dev/null)" ""
done
# As scripts for other tracers spell a switch: the program runs, and the line says what was made of the word.
cat >program <<'END'
#!/bin/sh
echo "the program, $#"
END
chmod +x program
"$gputap" run -f true -o spelt ./program a b >out 2>err; ok "run -f true" "$? $(cat out)" "0 the program, 2"
has "run -f true" err "-f true: taken as the value of -f; behind -- it is the program"
"$gputap" run -o spelt --ring false -f true -- ./program >out 2>err; ok "run --ring false" "$? $(cat out)" "0 the program, 0"
has "run --ring false" err "--ring false: taken as the value of --ring"
"$gputap" run -qf true -o spelt ./program >out 2>err; ok "run -qf true" "$? $(cat out err)" "0 the program, 0"
"$gputap" run -f -- false >out 2>err; ok "run -f -- false" "$? $(grep -c taken err)" "1 0"
"$gputap" run -f false >out 2>err; ok "run -f false" "$? $(grep -c taken err)" "1 0"
"$gputap" export -f true -e atp -o spelt t.gputap >out 2>err; ok "export -f true" "$? $(ls spelt.atp)" "0 spelt.atp"
"$gputap" export t.gputap -o spelt -e atp -f true >out 2>err; ok "export TRACE -f true" $? 0
# What would be started as a program, and is not there.
for o in "--summary table" "--callstacks opencl" "--callstacks opencl,cuda"; do
	# shellcheck disable=SC2086
	"$gputap" run -o refused $o ./program >out 2>err; ok "run $o" "$? $(cat out)" "125 "
	has "run $o" err "${o/ /=} is meant"
done
"$gputap" run --outputt=x ./program >out 2>err; has "run --outputt" err "unknown option '--outputt' (nearest: --output)"
"$gputap" stats -r opencl_kernsum t.gputap >out 2>err; ok "stats -r" $? 2
has "stats -r" err "unknown report 'opencl_kernsum' (nearest: opencl_kern_sum); known:"
"$gputap" exprt t.gputap >out 2>err; has "exprt" err "try: gputap export"
"$gputap" run -o x --help >out 2>err; ok "--help behind a value" "$? $(head -c 17 out)" "0 Usage: gputap run"
GPUTAP_SUMMARY=tab "$gputap" run -o refused -- touch started >out 2>err; ok "run, environment" $? 125
has "run, environment" err "GPUTAP_SUMMARY: 'tab' is not one of: auto table csv json markdown none"

# The others say 2, and nothing is written.
for o in "--sqlite-schema=2022" "--lazy=maybe" "--opencl-compat=yes" "--atp-version=3" "--atp-cuda=x" "--nvtx-text=x" "--nvtx-libraries=x" \
	"--dynamic-tables=x" "--cuda-driver-rows=x" "--export=sqlit" "--from=1m" "--from=5" "--to=x"; do
	"$gputap" export -e atp,sqlite -o refused "$o" t.gputap >out 2>err; ok "export $o" $? 2
	has "export $o" err "try: gputap export --help"
	ok "export $o: nothing is written" "$(ls -d refused* 2>/dev/null)" ""
done
"$gputap" stats --format=tab t.gputap >out 2>err; ok "stats --format=tab" $? 2
has "stats --format=tab" err "is not one of: table csv json markdown md"
"$gputap" stats --from=1x t.gputap >out 2>err; ok "stats --from=1x" $? 2
GPUTAP_FORMAT=tab "$gputap" stats t.gputap >out 2>err; ok "stats, environment" $? 2
"$gputap" info --json=maybe t.gputap >out 2>err; ok "info --json=maybe" $? 2
"$gputap" dump --json=maybe t.gputap >out 2>err; ok "dump --json=maybe" $? 2

# What both understand is the same in both traces, in one form: bytes, nanoseconds, true and false.
wanted=(max-size=1099511627776 stop-after=3600000000000ns start-after=1500ns device-times=false ring=true max-pending=12
	"trace=opencl,nvtx" cuda-api=runtime sources=true)
given=(GPUTAP_MAX_SIZE=1T GPUTAP_STOP_AFTER=1h GPUTAP_START_AFTER=1.5us GPUTAP_DEVICE_TIMES=off GPUTAP_RING=yes GPUTAP_MAX_PENDING=012
	GPUTAP_TRACE="opencl nvtx" GPUTAP_CUDA_API=runtime GPUTAP_SOURCES=)
env "${given[@]}" "$gputap" run -q -o launched -- clinfo -l >out 2>err; ok "launched" $? 0
env "${given[@]}" GPUTAP_OUTPUT=preloaded LD_PRELOAD="$GPUTAP_BUILD/libgputap.so" clinfo -l >out 2>err; ok "preloaded" $? 0
for t in launched preloaded; do
	for w in "${wanted[@]}"; do
		ok "$t: $w" "$(sed -n "s/^option=\(${w%%=*}=.*\)/\1/p" "$t".gputap/[0-9]*/meta)" "$w"
	done
done
ok "their resolved sets agree" "$(diff <(grep ^option= launched.gputap/[0-9]*/meta | grep -v ^option=output) \
	<(grep ^option= preloaded.gputap/[0-9]*/meta | grep -v ^option=output))" ""
ok "launcher and shim stamp by one clock" "$(sed -n 's/^clock_source=//p' launched.gputap/run)" "$(sed -n 's/^clock_source=//p' launched.gputap/[0-9]*/meta)"
# A bare preload has nobody to tell it: what is wrong leaves the default.
GPUTAP_MAX_SIZE=1X GPUTAP_DEVICE_TIMES=maybe GPUTAP_OUTPUT=wrong LD_PRELOAD="$GPUTAP_BUILD/libgputap.so" clinfo -l >out 2>err
ok "preloaded, wrong values" "$(grep -c '^option=max-size=0$\|^option=device-times=true$' wrong.gputap/[0-9]*/meta)" 2

"$gputap" info wrong.gputap >out 2>err
has "preloaded, wrong values are told" out "--max-size: the environment says '1X', which is no such value: '0' is used"
has "preloaded, wrong values are told" out "--device-times: the environment says 'maybe', which is no such value: 'true' is used"
"$gputap" info preloaded.gputap >out 2>err
ok "preloaded, right values are not told" "$(grep -c "no such value" out)" 0

# Names: the same pattern gives the same name. A script keeps its own, values stay one component.
cat >app.sh <<'END'
#!/bin/sh
exec clinfo -l
END
chmod +x app.sh
name() { (mkdir "$1" && cd "$1" && shift && env WORD="w/x%y" SLURM_PROCID=5 OMPI_COMM_WORLD_RANK=2 RANK=9 GPUTAP_OUTPUT="$pattern" "$@" ../app.sh >/dev/null 2>&1; ls -d ./*.gputap); }
# What starts scripts by an emulator tells their processes the interpreter's name alone.
printf '#!/bin/sh\n:\n' >told.sh; chmod +x told.sh
if LD_SHOW_AUXV=1 ./told.sh | grep -q '^AT_EXECFN:.*told\.sh$'; then patterns=('%q{WORD}-%r-%i-%%-%n' '%i' '%i-%n' 'a%%n-%n' 'x.gputap' '%h-%r'); else
	patterns=('a%%n-%n' 'x.gputap' '%h-%r'); skip "names with that of a script: its process does not have it here (user-mode emulation)" 5; fi
n=0
for pattern in "${patterns[@]}"; do
	n=$((n + 1))
	ok "name $pattern" "$(name "p$n" LD_PRELOAD="$GPUTAP_BUILD/libgputap.so")" "$(name "l$n" "$GPUTAP_BUILD/gputap" run -q --)"
done
if [ ${#patterns[@]} -eq 6 ]; then
	ok "name of a script" "$(ls -d p2/*.gputap)" p2/app.sh.gputap
	ok "rank: the scheduler's comes first" "$(ls -d p1/*.gputap)" "p1/w_x%y-5-app.sh-%-1.gputap"
fi
finish
