#!/usr/bin/env bash
# tests/cli/install.sh - what make install puts where, that it works there stripped too, and that uninstall takes it away
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
passed=0 failed=0
check() { local what=$1; shift; if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $what"; fi; }
top=$(cd "$GPUTAP_TESTS/.." && pwd)
# As make calls it: another spelling of the folder would build everything again.
build=$(realpath --relative-to="$top" "$GPUTAP_BUILD")
root=$PWD/root
make_it() { make -s -C "$top" O="$build" DESTDIR="$root" PREFIX=/opt/gputap "$@" >make.log 2>&1 || { cat make.log; return 1; }; }

check "make install" make_it install
for f in bin/gputap lib/gputap/libgputap.so lib/gputap/libgputap-audit.so lib/gputap/libgputap-osrt.so lib/gputap/libgputap-openmp.so lib/gputap/libgputap-libgomp.so lib/pkgconfig/gputap.pc share/man/man1/gputap-run.1 \
	share/bash-completion/completions/gputap share/zsh/site-functions/_gputap share/fish/vendor_completions.d/gputap.fish \
	share/doc/gputap/README.md share/doc/gputap/trace-format.md lib/gputap/sections/occupancy.section \
	lib/gputap/python/ncu_report.py lib/gputap/python/NvRules.py lib/gputap/python/gputap_report/model.py lib/gputap/python/templates/basic.py; do
	check "$f is installed" test -f "$root/opt/gputap/$f"
done
check "rules run where they are installed" grep -q '"identifier": "TemplateBasic"' \
	<(python3 "$root/opt/gputap/lib/gputap/python/gputap-rules" list --folder "$root/opt/gputap/lib/gputap/python/templates")
check "and leave nothing there" test -z "$(find "$root" -name __pycache__)"
if command -v pkg-config >/dev/null; then
	export PKG_CONFIG_PATH=$root/opt/gputap/lib/pkgconfig
	check "pkg-config tells the shim" test "$(pkg-config --variable=shim gputap)" = /opt/gputap/lib/gputap/libgputap.so
	check "pkg-config tells the version" test "gputap $(pkg-config --modversion gputap)" = "$("$GPUTAP_BUILD/gputap" --version)"
else
	echo "skipped: pkg-config is not installed"
fi

check "make install-strip" make_it install-strip
check "the stripped tool finds the stripped shim" "$root/opt/gputap/bin/gputap" run -o plain -- true 2>run.log
check "it finds its section files" sh -c 'XDG_DATA_HOME=$PWD/data "$1" metrics --list-sets --format csv | grep -q "^basic,"' sh "$root/opt/gputap/bin/gputap"
check "the shim was loaded" env LD_PRELOAD="$root/opt/gputap/lib/gputap/libgputap.so" true 2>load.log
check "without a word of the dynamic linker" test ! -s load.log
check "a stripped shim is smaller" test "$(stat -c %s "$root/opt/gputap/lib/gputap/libgputap.so")" -lt "$(stat -c %s "$GPUTAP_BUILD/libgputap.so")"

touch "$root/opt/gputap/bin/other"
check "make uninstall" make_it uninstall
check "only what was installed is gone" test "$(cd "$root" && find . -type f)" = ./opt/gputap/bin/other
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
