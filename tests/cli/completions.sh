#!/usr/bin/env bash
# tests/cli/completions.sh - what bash, zsh and fish complete of gputap, asked of the shells themselves
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
. "$GPUTAP_TESTS/check_lib.sh"
top=$GPUTAP_TESTS/..
export PATH=$GPUTAP_BUILD:$PATH
python3 "$top/scripts/completions" bash >gputap || exit 1
python3 "$top/scripts/completions" fish >gputap.fish || exit 1
mkdir zsh && python3 "$top/scripts/completions" zsh >zsh/_gputap || exit 1
mkdir one.gputap folder
touch other.txt two.callgrind

# ---- bash: the function that it calls, with the words as it parts them ("=" is one)
# shellcheck disable=SC1091
. ./gputap
compopt() { :; }                      # of a completion that runs; there is none here
in_bash() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); COMPREPLY=(); _gputap; printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd' '; }
ok "bash: commands" "$(in_bash gputap '')" "--help --version dump export info metrics plan report run stats wait"
ok "bash: an option" "$(in_bash gputap run --max-p)" "--max-pending="
ok "bash: options of that command alone" "$(in_bash gputap info --)" "--help --json --require-complete --threads"
ok "bash: every option of run" "$(in_bash gputap run -- | tr ' ' '\n' | grep -c '^--.*[^p]$')" "$(grep -cE '^OPTION.*", [A-Z |]*R[A-Z |]*, "' "$top/trace/format/options.def")"
ok "bash: words behind =" "$(in_bash gputap run --summary = m)" markdown
ok "bash: words behind a blank" "$(in_bash gputap stats --by '')" "line process stack thread"
ok "bash: ... nothing where there are none" "$(in_bash gputap run --max-size '')" ""
ok "bash: the second of a list" "$(in_bash gputap export -e atp,s)" "atp,sqlite"
ok "bash: domains that are built" "$(in_bash gputap run -t nv)" nvtx
ok "bash: reports" "$(in_bash gputap stats -r opencl_kern_g)" opencl_kern_gb_sum
ok "bash: traces and folders" "$(in_bash gputap stats '')" "folder one.gputap two.callgrind zsh"
ok "bash: behind an option too" "$(in_bash gputap stats --by line o)" one.gputap
ok "bash: programs" "$(in_bash gputap run -o t --max-size = 4M printenv | tr ' ' '\n' | grep -c '^printenv$')" 1
ok "bash: behind the program, its own" "$(in_bash gputap run -o t ls --)" ""

# ---- fish
if command -v fish >/dev/null; then
	in_fish() { HOME=$PWD fish -N -c "source gputap.fish; complete -C '$1'" 2>fish.err | cut -f1 | sort | paste -sd' '; cat fish.err; }
	ok "fish: commands" "$(in_fish 'gputap ')" "dump export info metrics plan report run stats wait"
	ok "fish: an option" "$(in_fish 'gputap run --max-p')" "--max-pending"
	ok "fish: words" "$(in_fish 'gputap stats --by=')" "--by=line --by=process --by=stack --by=thread"
	ok "fish: the second of a list" "$(in_fish 'gputap export -e atp,sq')" "atp,sqlite"
	ok "fish: reports" "$(in_fish 'gputap stats -r opencl_kern_g')" opencl_kern_gb_sum
	ok "fish: traces" "$(in_fish 'gputap info on')" one.gputap/
	ok "fish: programs" "$(in_fish 'gputap run printen' | tr ' ' '\n' | grep -c '^printenv$')" 1
else
	skip "fish is not installed"
fi

# ---- zsh: on a terminal, a tab behind each line, and what stands there then
if command -v zsh >/dev/null; then
	python3 "$GPUTAP_TESTS/cli/completions_zsh.py" zsh <<'LINES' >zsh.out
gputap sta
gputap run --max-p
gputap run --summary=m
gputap stats --by l
gputap export -e atp,sq
gputap run -t openc
gputap stats -r opencl_kern_g
gputap info on
gputap run -o t printen
LINES
	mapfile -t got <zsh.out
	ok "zsh: a command" "${got[0]-}" "gputap stats "
	ok "zsh: an option" "${got[1]-}" "gputap run --max-pending="
	ok "zsh: words behind =" "${got[2]-}" "gputap run --summary=markdown "
	ok "zsh: words behind a blank" "${got[3]-}" "gputap stats --by line "
	ok "zsh: the second of a list" "${got[4]-}" "gputap export -e atp,sqlite,"
	ok "zsh: domains" "${got[5]-}" "gputap run -t opencl,"
	ok "zsh: reports" "${got[6]-}" "gputap stats -r opencl_kern_gb_sum,"
	ok "zsh: traces" "${got[7]-}" "gputap info one.gputap/"
	ok "zsh: programs" "${got[8]-}" "gputap run -o t printenv "
else
	skip "zsh is not installed"
fi
finish
