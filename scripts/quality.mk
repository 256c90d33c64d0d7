# scripts/quality.mk - checks, formatting, sanitizers, fuzzing, benchmarks, installation
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0

C_FILES := $(wildcard api/*.[ch] common/*.[ch] trace/*/*.[ch] collectors/*/*.[ch] interpose/*.[ch] interpose/*/*.[ch] model/*.[ch] model/*/*.[ch] writers/*.[ch] writers/*/*.[ch] \
	analysis/*.[ch] cli/*.[ch] tests/*.[ch] tests/*/*.[ch] bench/*.[ch] examples/*.c examples/*/*.[ch])

SHELL_FILES := $(shell grep -lE '^\#!.*(bash|/sh)$$' $(wildcard scripts/* tests/run tests/golden/run bench/run)) $(wildcard tests/*/*.sh examples/*.sh .ci/run)

lint: all
	@scripts/check-includes
	@scripts/check-symbols $(O)/libgputap.so
	@scripts/check-format $(C_FILES)
	@if command -v shellcheck >/dev/null; then shellcheck -S warning $(SHELL_FILES); \
		else echo "skipped: shellcheck is not installed"; fi

# The check asks for what clang-format can decide without moving tables: tabs, trailing blanks, final newline, line length.
format:
	$(Q)sed -i -e 's/[ \t]*$$//' $(C_FILES)

golden: test-programs
	$(Q)GPUTAP_BUILD=$(abspath $(O)) tests/golden/run --update "$(CASE)"

# Shim, tool, test programs and stand-in alike; what runs shells, interpreters and other people's programs is left out.
check-asan:
	$(Q)$(MAKE) O=$(O)-asan SAN=address,undefined test-programs
	@echo "skipped: cli, e2e, fault: they run programs built without sanitizers"
	$(Q)GPUTAP_BUILD=$(abspath $(O))-asan ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 TEST_TIMEOUT=600 \
		tests/run -p unit -p golden -p quality
check-ubsan: check-asan
check-tsan:
	$(Q)$(MAKE) O=$(O)-tsan SAN=thread check TESTS='-p unit'
check-valgrind: test-programs
	$(Q)GPUTAP_BUILD=$(abspath $(O)) scripts/check-valgrind
fuzz: test-programs $(T)/fuzz/fuzz_reader
	$(Q)$(T)/fuzz/fuzz_reader -s $(or $(SECONDS),60) tests/fuzz/corpus
torture: test-programs
	$(Q)GPUTAP_BUILD=$(abspath $(O)) GPUTAP_TESTS=$(CURDIR)/tests TORTURE=$(or $(TORTURE),all) scripts/in-scratch tests/fault/torture.sh
test-gpu: all
	$(Q)GPUTAP_BUILD=$(abspath $(O)) scripts/test-gpu
bench: all
	$(Q)GPUTAP_BUILD=$(abspath $(O)) bench/run
stats:
	$(Q)scripts/code-stats

compile_commands.json: Makefile
	$(Q)scripts/compile-commands '$(CC)' '$(TOOL_CFLAGS)' '$(SHIM_CFLAGS)' > $@

INSTALL_DIR := $(DESTDIR)$(PREFIX)
install: all
	install -d $(INSTALL_DIR)/bin $(INSTALL_DIR)/lib/gputap $(INSTALL_DIR)/share/man/man1 $(INSTALL_DIR)/share/doc/gputap
	install -m 755 $(O)/gputap $(INSTALL_DIR)/bin/
	install -m 755 $(O)/libgputap.so $(O)/libgputap-audit.so $(INSTALL_DIR)/lib/gputap/
	install -m 644 README.md LICENSE $(wildcard docs/*.md) $(INSTALL_DIR)/share/doc/gputap/
	for m in $(wildcard docs/man/*.1); do install -m 644 $$m $(INSTALL_DIR)/share/man/man1/; done

clean:
	rm -rf $(O) $(O)-asan $(O)-tsan

help:
	@echo "make                all: build/gputap build/libgputap.so build/libgputap-audit.so"
	@echo "make check          unit, golden and end-to-end tests (TESTS='-p unit NAME' for some)"
	@echo "make check-asan check-ubsan check-tsan check-valgrind"
	@echo "make lint           include rule, shim symbols, format, shellcheck"
	@echo "make format golden CASE=... bench fuzz torture stats compile_commands.json install clean"
	@echo "variables           V=1 DEBUG=1 SAN=address O=dir CC=clang PREFIX= DESTDIR="

.PHONY: all lint format golden check test-programs check-asan check-ubsan check-tsan check-valgrind fuzz torture test-gpu bench stats install clean help
.DEFAULT_GOAL := all
