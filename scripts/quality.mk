# scripts/quality.mk - checks, formatting, sanitizers, fuzzing, benchmarks, installation
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0

C_FILES := $(sort $(shell find analysis api bench cli collectors common examples interpose model scripts tests trace writers -name '*.[ch]'))

SHELL_FILES := $(shell grep -lE '^\#!.*(bash|/sh)$$' $(wildcard scripts/* tests/run tests/golden/run bench/run)) $(wildcard tests/*.sh tests/*/*.sh examples/*.sh .ci/run)

lint: all
	@scripts/check-includes
	@scripts/check-layers $(O)
	@scripts/check-labels
	@scripts/check-touched
	@scripts/check-trust
	@scripts/check-answers
	@scripts/check-prose
	@scripts/check-symbols $(O)/libgputap.so $(O)/libgputap-audit.so $(THIN)
	@scripts/check-versions $(O)
	@scripts/check-tls $(O)/libgputap.so $(O)/libgputap-audit.so $(THIN)
	@scripts/check-format $(C_FILES)
	@case "$$(shellcheck --version 2>/dev/null | sed -n 's/^version: //p')" in \
		"") echo "skipped: shellcheck is not installed";; \
		0.[0-8].*) echo "skipped: shellcheck before 0.9 warns of what it has misunderstood";; \
		*) shellcheck -S warning $(SHELL_FILES);; esac

# Slow, so it is a part of scripts/test --long and not of lint.
tidy: all compile_commands.json
	@scripts/tidy . $(O)/tidy

# The check asks for what clang-format can decide without moving tables: tabs, trailing blanks, final newline, line length.
format:
	$(Q)sed -i -e 's/[ \t]*$$//' $(C_FILES)

golden: test-programs
	$(Q)GPUTAP_BUILD=$(abspath $(O)) tests/golden/run --update "$(CASE)"

# Shim, tool, test programs and stand-in alike; what runs shells, interpreters and other people's programs is left out.
check-asan:
	$(Q)$(MAKE) O=$(O)-asan SAN=address,undefined test-programs
	@echo "skipped: cli, e2e, fault: they run programs built without sanitizers"
	$(Q)GPUTAP_BUILD=$(abspath $(O))-asan SANITIZED=1 ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 TEST_TIMEOUT=600 \
		tests/run -p unit -p golden -p quality
check-ubsan: check-asan
check-tsan:
	$(Q)$(MAKE) O=$(O)-tsan SAN=thread check TESTS='-p unit'
check-valgrind: test-programs
	$(Q)GPUTAP_BUILD=$(abspath $(O)) GPUTAP_TESTS=$(CURDIR)/tests scripts/check-valgrind
# By structure: traces of golden tests too, for names, logs, arguments, schemas and CUDA's events as programs make them.
FUZZ_CASES := sample objects strings callbacks images two_queues hostile transfers local_sizes no_device_times \
	markers payloads cuda cuda_opencl cuda_nvtx cuda_args cuda_odd cuda_markers
FUZZ_TRACES := $(FUZZ_CASES:%=$(T)/fuzz/traces/%.gputap)
$(T)/fuzz/table.txt: tests/fuzz/small_table $(wildcard tests/golden/cases_*.c) $(GEN_STAMP)
	@mkdir -p $(@D)
	$(Q)tests/fuzz/small_table $(O)/gen/table.txt $(wildcard tests/golden/cases_*.c) >$@
$(FUZZ_TRACES): $(T)/fuzz/traces/%.gputap: $(T)/golden/build $(T)/fuzz/table.txt
	@mkdir -p $(@D)
	$(Q)rm -rf $@; $(T)/golden/build $* $(T)/fuzz/table.txt $@
SECTION_FILES := $(wildcard analysis/sections/stock/*.section)
fuzz: test-programs $(T)/fuzz/fuzz_reader $(T)/fuzz/fuzz_sections $(T)/fuzz/fuzz_reports $(T)/fuzz/fuzz_samples $(FUZZ_TRACES)
	$(Q)$(T)/fuzz/fuzz_reader -s $(or $(SECONDS),60) tests/fuzz/corpus
	$(Q)$(T)/fuzz/fuzz_reader -g -n $(or $(EXECUTIONS),20000) $(if $(SEED),-r $(SEED)) tests/fuzz/corpus $(FUZZ_TRACES)
	$(Q)$(T)/fuzz/fuzz_sections -n $(or $(EXECUTIONS),20000) $(if $(SEED),-r $(SEED)) $(SECTION_FILES)
	$(Q)$(T)/fuzz/fuzz_reports -n $(or $(EXECUTIONS),20000) $(if $(SEED),-r $(SEED))
	$(Q)$(T)/fuzz/fuzz_samples -n $(or $(EXECUTIONS),20000) $(if $(SEED),-r $(SEED))
torture: test-programs
	$(Q)GPUTAP_BUILD=$(abspath $(O)) GPUTAP_TESTS=$(CURDIR)/tests TORTURE=$(or $(TORTURE),all) scripts/in-scratch tests/fault/torture.sh
test-gpu: all
	$(Q)GPUTAP_BUILD=$(abspath $(O)) scripts/test-gpu
bench: all
	$(Q)GPUTAP_BUILD=$(abspath $(O)) bench/run
stats:
	$(Q)scripts/code-stats

compile_commands.json: FORCE
	$(Q)scripts/compile-commands '$(CC)' '$(TOOL_CFLAGS)' '$(SHIM_CFLAGS)' >$@.new && mv $@.new $@

# Where things go, in the names that packagers know.
BINDIR  ?= $(PREFIX)/bin
LIBDIR  ?= $(PREFIX)/lib
DATADIR ?= $(PREFIX)/share
BASH_COMPLETIONS ?= $(DATADIR)/bash-completion/completions
ZSH_COMPLETIONS  ?= $(DATADIR)/zsh/site-functions
FISH_COMPLETIONS ?= $(DATADIR)/fish/vendor_completions.d
VERSION := $(shell sed -n 's/.*GPUTAP_VERSION "\(.*\)".*/\1/p' cli/version.h)
INSTALL ?= install
# The report package: what scripts import, what the rule processes run, rules and templates.
PYDIR      := $(LIBDIR)/gputap/python
PY_FILES   := $(wildcard python/*.py python/*/*.py)
PY_FOLDERS := $(sort $(patsubst %/,%,$(dir $(PY_FILES))))
STRIP   ?= strip
DOCS    := README.md CONTRIBUTING.md CHANGELOG.md LICENSE $(wildcard docs/*.md)

# What shells complete: made of the lists that the tool is made of.
COMPLETIONS := $(O)/completions/gputap $(O)/completions/_gputap $(O)/completions/gputap.fish
COMPLETED   := scripts/completions cli/cli.h cli/options.c trace/format/options.def trace/format/domains.def trace/format/formats.def
$(O)/completions/gputap: SHELL_NAME = bash
$(O)/completions/_gputap: SHELL_NAME = zsh
$(O)/completions/gputap.fish: SHELL_NAME = fish
$(COMPLETIONS): $(COMPLETED)
	@mkdir -p $(@D)
	$(Q)$(PYTHON) scripts/completions $(SHELL_NAME) >$@.new && mv $@.new $@
completions: $(COMPLETIONS)

install: all $(O)/gputap.pc $(COMPLETIONS)
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/gputap $(DESTDIR)$(LIBDIR)/pkgconfig
	$(INSTALL) -d $(DESTDIR)$(DATADIR)/man/man1 $(DESTDIR)$(DATADIR)/doc/gputap
	$(INSTALL) -m 755 $(O)/gputap $(DESTDIR)$(BINDIR)/
	$(INSTALL) -m 755 $(O)/libgputap.so $(O)/libgputap-audit.so $(THIN) $(DESTDIR)$(LIBDIR)/gputap/
	$(INSTALL) -d $(DESTDIR)$(LIBDIR)/gputap/sections
	$(INSTALL) -m 644 $(wildcard analysis/sections/stock/*.section) $(DESTDIR)$(LIBDIR)/gputap/sections/
	$(INSTALL) -m 644 $(O)/gputap.pc $(DESTDIR)$(LIBDIR)/pkgconfig/
	$(INSTALL) -m 644 $(DOCS) $(DESTDIR)$(DATADIR)/doc/gputap/
	$(INSTALL) -m 644 $(wildcard docs/man/*.1) $(DESTDIR)$(DATADIR)/man/man1/
	$(INSTALL) -d $(PY_FOLDERS:python%=$(DESTDIR)$(PYDIR)%)
	for f in $(PY_FILES:python/%=%); do $(INSTALL) -m 644 python/$$f $(DESTDIR)$(PYDIR)/$$f || exit 1; done
	$(INSTALL) -m 755 python/gputap-rules python/gputap-source $(DESTDIR)$(PYDIR)/
	$(INSTALL) -d $(DESTDIR)$(BASH_COMPLETIONS) $(DESTDIR)$(ZSH_COMPLETIONS) $(DESTDIR)$(FISH_COMPLETIONS)
	$(INSTALL) -m 644 $(O)/completions/gputap $(DESTDIR)$(BASH_COMPLETIONS)/
	$(INSTALL) -m 644 $(O)/completions/_gputap $(DESTDIR)$(ZSH_COMPLETIONS)/
	$(INSTALL) -m 644 $(O)/completions/gputap.fish $(DESTDIR)$(FISH_COMPLETIONS)/
# Symbols that the dynamic linker needs stay: a stripped shim works as the other.
install-strip: install
	$(STRIP) $(DESTDIR)$(BINDIR)/gputap
	$(STRIP) --strip-unneeded $(DESTDIR)$(LIBDIR)/gputap/libgputap.so $(DESTDIR)$(LIBDIR)/gputap/libgputap-audit.so \
		$(THIN:$(O)/%=$(DESTDIR)$(LIBDIR)/gputap/%)
# One archive for all distributions. It is made where the C library is old (glibc 2.31: a root of Debian 11 will do, see
# scripts/roots): the check of symbols' versions refuses anything else. SQLite and zstd are inside the tool.
DIST_NAME = gputap-$(VERSION)-linux-$(shell uname -m)
dist:
	$(Q)$(MAKE) O=$(O)-dist DIST=1 all
	$(Q)scripts/check-versions --release $(O)-dist
	$(Q)rm -rf $(O)-dist/$(DIST_NAME)
	$(Q)$(MAKE) -s O=$(O)-dist DIST=1 install-strip PREFIX=/ DESTDIR=$(abspath $(O)-dist)/$(DIST_NAME)
	$(Q)tar -C $(O)-dist --sort=name --owner=0 --group=0 -czf $(O)-dist/$(DIST_NAME).tar.gz $(DIST_NAME)
	@echo "$(O)-dist/$(DIST_NAME).tar.gz"

# Only what install put there; folders that others may use stay.
uninstall:
	rm -f $(DESTDIR)$(BINDIR)/gputap $(DESTDIR)$(LIBDIR)/pkgconfig/gputap.pc
	rm -f $(DESTDIR)$(BASH_COMPLETIONS)/gputap $(DESTDIR)$(ZSH_COMPLETIONS)/_gputap $(DESTDIR)$(FISH_COMPLETIONS)/gputap.fish
	rm -f $(patsubst docs/man/%,$(DESTDIR)$(DATADIR)/man/man1/%,$(wildcard docs/man/*.1))
	rm -rf $(DESTDIR)$(LIBDIR)/gputap $(DESTDIR)$(DATADIR)/doc/gputap

# For build systems that want to find the tool or preload the shim: pkg-config --variable=shim gputap
$(O)/gputap.pc: cli/version.h scripts/quality.mk FORCE
	@printf '%s\n' 'prefix=$(PREFIX)' 'tool=$(BINDIR)/gputap' 'shim=$(LIBDIR)/gputap/libgputap.so' \
		'audit=$(LIBDIR)/gputap/libgputap-audit.so' '' 'Name: gputap' 'Description: traces GPU programs without changing them' \
		'Version: $(VERSION)' >$@

clean:
	rm -rf $(O) $(O)-asan $(O)-tsan

help:
	@echo "make                all: build/gputap build/libgputap.so build/libgputap-audit.so"
	@echo "make check          unit, golden and end-to-end tests (TESTS='-p unit NAME' for some)"
	@echo "make check-asan check-ubsan check-tsan check-valgrind"
	@echo "make lint           layers by include and by symbol, imported symbols, format, shellcheck"
	@echo "make tidy           clang-tidy over all code (slow)"
	@echo "make dist           one archive for all distributions, made where glibc is old"
	@echo "make format golden CASE=... bench fuzz torture stats compile_commands.json clean"
	@echo "make install install-strip dist uninstall"
	@echo "variables           V=1 DEBUG=1 SAN=address O=dir CC=clang CPPFLAGS= CFLAGS= LDFLAGS="
	@echo "                    PREFIX= BINDIR= LIBDIR= DATADIR= DESTDIR="

.PHONY: all lint tidy format golden check test-programs check-asan check-ubsan check-tsan check-valgrind fuzz torture test-gpu bench stats completions install install-strip uninstall clean help
.DEFAULT_GOAL := all
