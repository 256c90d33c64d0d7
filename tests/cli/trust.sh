#!/usr/bin/env bash
# tests/cli/trust.sh - what another user, or whoever made a trace, puts in the way of root's tools is neither run nor waited for
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
gputap=$GPUTAP_BUILD/gputap
passed=0 failed=0
check() { local name=$1; shift; if "$@"; then passed=$((passed + 1)); else echo "FAILED: $name ($*)"; cat said 2>/dev/null; failed=$((failed + 1)); fi; }
place=$(mktemp -d /tmp/gputap-trust-XXXXXX) || exit 1
trap 'cd /; rm -rf "$place"' EXIT
cd "$place" || exit 1; chmod 755 .
unset XDG_DATA_HOME XDG_CACHE_HOME

# ---- the home of another user, with rules, modules of Python's and section files that leave a trace of having been run
if [ "$(id -u)" = 0 ]; then
	site=home/$(HOME=/h python3 -c 'import site; print(site.getusersitepackages()[3:])')
	mkdir -p home/.local/share/gputap/rules home/.local/share/gputap/sections "$site"
	echo "open('$place/rule_ran', 'w')" >home/.local/share/gputap/rules/evil.py
	echo "open('$place/rule_ran', 'w')" >home/.local/share/gputap/sections/evil.py
	echo "import os; open('$place/module_ran', 'w')" >"$site/evil.pth"
	printf 'Identifier: "Planted"\nDisplayName: "x"\n' >home/.local/share/gputap/sections/evil.section
	chown -R 1234 home
	HOME=$place/home "$gputap" metrics --list-rules >out 2>said
	check "rules in another user's home are not run" [ ! -e rule_ran ]
	check "... nor his modules" [ ! -e module_ran ]
	check "... which is said" grep -q 'home belongs to user 1234' said
	HOME=$place/home "$gputap" metrics --list-sections >out 2>said
	check "his section files are not read" eval '! grep -q Planted out'
	check "nothing is written there" [ -z "$(find home -user 0)" ]
	chown -R 0 home; chmod 777 home/.local/share/gputap/rules
	HOME=$place/home "$gputap" metrics --list-rules >out 2>said
	check "nor are rules run where others may write" [ ! -e rule_ran ]
	chmod 755 home/.local/share/gputap/rules
	HOME=$place/home "$gputap" metrics --list-rules >out 2>said
	check "one's own are" [ -e rule_ran ]
else
	echo "skipped: another user's home: not root"
fi

# ---- files of a trace that are none: nobody waits for the other end of a FIFO, follows a link or opens a device
"$GPUTAP_BUILD/tests/golden/build" cuda "$GPUTAP_BUILD/gen/table.txt" sound.gputap 2>said || "$GPUTAP_BUILD/tests/golden/build" hostile "$GPUTAP_BUILD/gen/table.txt" sound.gputap || exit 1
ends() { timeout -k 1 20 "$@" >out 2>said; [ $? -lt 6 ]; }
image=$(basename "$(echo sound.gputap/[0-9]*.1)")
for file in run "$image/meta" "$image/0.str" counters passes lost cuda-args.zst "$image" other; do
	for kind in fifo link device; do
		rm -rf t.gputap; cp -r sound.gputap t.gputap; rm -rf "t.gputap/$file"
		case $kind in
		fifo) mkfifo "t.gputap/$file" ;;
		link) ln -s /dev/zero "t.gputap/$file" ;;
		device) mknod "t.gputap/$file" c 1 5 2>/dev/null || continue ;;
		esac
		check "$file is a $kind: info ends" ends "$gputap" info t.gputap
		check "... and so does an export" ends "$gputap" export -f -e atp -o x t.gputap
	done
done
# texts of a trace that are huge, empty, binary, or of one line without end
for file in run "$image/meta" counters; do
	for what in ': >F' 'truncate -s 1T F' 'head -c 300000 /dev/urandom >F' 'head -c 3000000 /dev/zero | tr "\0" = >F' \
		'yes "arg=x" | head -n 300000 >>F' 'yes "clock=1 2 3 4 5 6" | head -n 100000 >>F'; do
		rm -rf t.gputap; cp -r sound.gputap t.gputap
		eval "${what//F/t.gputap/$file}"
		check "$file, $what: info ends" ends "$gputap" info t.gputap
	done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
