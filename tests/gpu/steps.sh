# tests/gpu/steps.sh - how scripts/test-gpu keeps count: parts, steps, verdicts, time, results: sourced
#
# A part's results are $out/partN.jsonl: a head line with a key (what was tested, on what machine), a line per step
# with its verdict and words, a line per cost that was measured, an end line. A part that is run again with the same
# key goes on: what passed and what was measured stays.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154

say() { echo "$*" | tee -a "$out/log"; }

# A step's one verdict; lines behind the first are details.
ok() { verdict=ok says=$*; }
bad() { verdict=FAIL says=$*; }
skip() { verdict=skipped says=$*; }
# GPU_STEPS: after so many steps a part's time is over, for tests of that
in_time() { [ "$SECONDS" -lt "$deadline" ] && [ $((part_passed + part_failed + part_skipped)) -lt "${GPU_STEPS:-1000}" ]; }
left() { echo $((deadline - SECONDS)); }
# limited SECONDS COMMAND...: not longer than that, nor than the part has left
limited() {
	local most=$1 rest
	shift
	rest=$(left)
	timeout -k 5 $((rest < most ? (rest > 1 ? rest : 1) : most)) "$@"
}

json_text() {
	local s=${1//\\/\\\\}

	s=${s//\"/\\\"}
	s=${s//$'\n'/\\n}
	printf '"%s"' "${s//[[:cntrl:]]/ }"
}

# what was tested, and on what: results of other builds or machines are not gone on with
part_key() {
	{
		echo "$machine"
		cat "$GPUTAP_BUILD/gputap" "$GPUTAP_BUILD/libgputap.so" scripts/test-gpu tests/gpu/*.*
	} | sha256sum | cut -c1-16
}

# open_part NUMBER TITLE
open_part() {
	local key kept

	part=$1 results=$out/part$1.jsonl deadline=$((SECONDS + part_seconds)) part_start=$SECONDS
	part_passed=0 part_failed=0 part_skipped=0
	key=$(part_key)
	say "== part $part: $2"
	if [ -z "$again" ] && [ -s "$results" ] && head -n 1 "$results" | grep -q "\"key\":\"$key\""; then
		kept=$(sed 1d "$results" | grep -E '^\{"step":"[^"]*","status":"ok"|^\{"cost"')
		say "going on with what was there: $(grep -c . <<<"$kept") results"
	fi
	{
		printf '{"part":%d,"title":%s,"key":"%s","date":"%s","machine":%s}\n' \
			"$part" "$(json_text "$2")" "$key" "$(date -u +%F)" "$machine"
		[ -z "${kept-}" ] || echo "$kept"
	} >"$results.new"
	mv "$results.new" "$results"
}

# step NAME FUNCTION ARGUMENT...: once; the function gives the verdict
step() {
	local name=$1 start=$SECONDS
	shift
	verdict='' says=
	if grep -qF "{\"step\":\"$name\",\"status\":\"ok\"" "$results"; then
		part_passed=$((part_passed + 1))
		say "ok    $name (before)"
		return
	fi
	if in_time; then "$@"; else skip "no time left"; fi
	[ -n "$verdict" ] || bad "gave no answer"
	case $verdict in
	ok) part_passed=$((part_passed + 1)); say "ok    $name: ${says//$'\n'/$'\n'        }" ;;
	FAIL) part_failed=$((part_failed + 1)); say "FAIL  $name: ${says//$'\n'/$'\n'        }" ;;
	*) part_skipped=$((part_skipped + 1)); say "skipped: $name: ${says//$'\n'/$'\n'        }" ;;
	esac
	printf '{"step":"%s","status":"%s","seconds":%d,"says":%s}\n' \
		"$name" "$verdict" $((SECONDS - start)) "$(json_text "$says")" >>"$results"
}

close_part() {
	printf '{"end":true,"passed":%d,"failed":%d,"skipped":%d,"seconds":%d}\n' \
		$part_passed $part_failed $part_skipped $((SECONDS - part_start)) >>"$results"
	say "part $part: $part_passed passed, $part_failed failed, $part_skipped skipped, $((SECONDS - part_start)) s"
	passed=$((passed + part_passed)) failed=$((failed + part_failed)) skipped=$((skipped + part_skipped))
}

# ------------------------------------------------------------------ programs, bare and traced

have_command() { case $1 in */*) have "$1" ;; *) command -v "$1" >/dev/null ;; esac; }
have() { [ -x "$1" ] && [ -z "${foreign[$(basename "$1")]-}" ]; }

# traced NAME "OPTIONS" SECONDS COMMAND...: into $work/NAME.gputap, words into traced and traced.err; its status
traced() {
	local name=$1 options=$2 most=$3
	shift 3
	rm -rf "$work/$name.gputap"
	# shellcheck disable=SC2086
	(cd "$work" && limited "$most" "$tap" run -q -f -o "$work/$name" $options -- "$@") \
		>"$work/traced" 2>"$work/traced.err"
}

# What a trace says of itself.
about() { "$tap" info "$1" 2>/dev/null | grep -E 'CUPTI|lost|complete' | head -n 5 | sed 's/^ *//'; }

# A missing library of the vendor is no failure: 127 is what the dynamic linker leaves.
missing_library() {
	[ "$1" -eq 127 ] || return
	skip "$(sed -n 's/.*error while loading shared libraries: //p' "$2" | head -n 1 | grep . || echo 'status 127')"
}

# try NAME "OPTIONS" CHECK-WORDS COMMAND...: the same with the tool as without, and the trace is what the program says
try() {
	local name=$1 options=$2 words=$3 bare status lines; shift 3
	have_command "$1" || { skip "$(basename "$1") is not there"; return; }
	limited 60 "$@" >"$work/bare" 2>"$work/bare.err"
	bare=$?
	missing_library $bare "$work/bare.err" && return
	if [ $bare -ne 0 ]; then bad "fails without the tool ($bare): $(tail -n 2 "$work/bare.err")"; return; fi
	traced "$name" "$options" 100 "$@"
	status=$?
	if ! diff <(grep -v '^ns ' "$work/bare") <(grep -v '^ns ' "$work/traced") >"$work/diff"; then
		[ $status -ne 0 ] || status=different
	fi
	if [ $status != 0 ]; then
		bad "other than without the tool: $status: $(head -n 3 "$work/diff" "$work/traced.err" | tr '\n' ' ')"
		return
	fi
	# shellcheck disable=SC2086
	lines=$(python3 tests/gpu/check.py "$work/$name.gputap" "$work/traced" $words 2>&1)
	if [ $? -eq 0 ]; then ok "$lines"; else bad "$lines"; fi
	says+=$'\n'$(about "$work/$name.gputap")
}

torch_is_here() { python3 -c 'import torch; torch.zeros(1).cuda()' >/dev/null 2>&1; }

# costs SET: not all rounds are needed, each mode once is
costs() {
	local lines
	lines=$(python3 tests/gpu/costs.py "$1" "$bin" "${GPU_ROUNDS:-5}" "$results" "$(left)" 2>&1)
	case $? in
	0) ok "$lines" ;;
	3) skip "no time left: $lines" ;;
	*) bad "$lines" ;;
	esac
}
