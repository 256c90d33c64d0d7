# tests/fakegpu/bare_root_lib.sh - a root with the C library, Python 3 and a shell alone, and commands in it: sourced
#
# No compiler, no package of Python, no tools, no network: what a machine that is lent may be like at worst.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

bare_root_unshare=(unshare -m -n -p -f --kill-child)
[ "$(id -u)" -eq 0 ] || bare_root_unshare+=(-r)

# can_have_bare_root: else the test is skipped, and why
can_have_bare_root() {
	local tool
	for tool in unshare chroot ldd; do
		command -v "$tool" >/dev/null || { echo "skipped: $tool is not here"; return 1; }
	done
	"${bare_root_unshare[@]}" true 2>/dev/null || { echo "skipped: no right to make spaces of mounts and processes"; return 1; }
}

# with_libraries FILE...: what the dynamic linker would load for them, its own program too
with_libraries() { ldd "$@" 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// {print $3} $1 ~ /^\/.*ld-linux/ {print $1}' | sort -u; }

# make_bare_root ROOT
make_bare_root() {
	local to=$1 python stdlib
	python=$(python3 -c 'import sys; print(sys.executable)')
	stdlib=$(python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
	mkdir -p "$to"/{usr/bin,usr/lib,dev/shm,proc,tmp,root}
	ln -s usr/bin "$to/bin"; ln -s usr/lib "$to/lib"; ln -s usr/lib "$to/lib64"; ln -s lib "$to/usr/lib64"
	cp -L "$(command -v bash)" "$to/usr/bin/bash"
	ln -s bash "$to/usr/bin/sh"
	cp -L "$python" "$to/usr/bin/python3"
	tar -C "${stdlib%/*}" -c --exclude='*-packages' --exclude=test --exclude=tests --exclude=idlelib --exclude=ensurepip \
		--exclude='config-*' --exclude=lib2to3 --exclude=tkinter "${stdlib##*/}" | tar -C "$to/usr/lib" -x
	# shellcheck disable=SC2046
	cp -L $(with_libraries "$to/usr/bin/bash" "$python" "$stdlib"/lib-dynload/*.so) "$to/usr/lib/"
}

# in_bare_root ROOT COMMAND...: with the variables that begin with GPU_, FAKEGPU_ or LD_LIBRARY_PATH's name
in_bare_root() {
	local words=() name
	for name in "${!GPU_@}" "${!FAKEGPU_@}" LD_LIBRARY_PATH; do words+=("$name=${!name-}"); done
	# shellcheck disable=SC2016
	LD_LIBRARY_PATH='' "${bare_root_unshare[@]}" bash -c '
		root=$1; shift
		mount -t proc proc "$root/proc" && mount -t tmpfs tmpfs "$root/dev/shm" || exit 5
		for device in null zero urandom; do
			: >"$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device" || exit 5
		done
		exec env -i PATH="$PATH" chroot "$root" /bin/bash -c "
			unset PATH; export PATH=/usr/bin HOME=/root
			while [[ \$1 == *=* ]]; do export \"\$1\"; shift; done
			exec \"\$@\"" bare "$@"
	' inside "$1" "${words[@]}" "${@:2}"
}
