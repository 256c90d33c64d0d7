# Makefile - gputap: one shim, one tool, no recursion
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0

O      ?= build
# `?=` would keep the cc that make brings itself.
ifeq ($(origin CC),default)
CC := gcc
endif
PYTHON ?= python3
PREFIX ?= /usr/local
DESTDIR ?=
V      ?= 0
Q      := $(if $(filter 1,$(V)),,@)
SAN    ?=

WARN   := -Wall -Wextra
# gcc before 11 takes `.x = 1` for a structure that somebody forgot to fill.
WARN   += $(if $(filter 5 6 7 8 9 10,$(firstword $(subst ., ,$(shell $(CC) -dumpversion)))),-Wno-missing-field-initializers)
# What a packager sets (CPPFLAGS, CFLAGS, LDFLAGS) comes behind ours, so it wins, but for what the shim must not have.
CFLAGS ?= $(if $(DEBUG),-O0,-O2)
BASE   := -std=gnu11 $(WARN) -g -I. -I$(O)/gen -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300 -MMD -MP
# gcc 16 inlines nothing with -Og, and then refuses xxhash's functions that must be.
OPT    := $(if $(DEBUG),-DGPUTAP_DEBUG_BUILD) $(if $(filter -Og,$(CFLAGS)),-DXXH_NO_INLINE_HINTS=1) $(CPPFLAGS) $(CFLAGS)
SANF   := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer,)
# Distributions harden what they build with checks that abort: the shim never ends the program that it is in.
NO_ABORT := -U_FORTIFY_SOURCE -fno-stack-protector
# Threads of the program may have 16 KiB of stack, handlers of signals less: what needs more than 1 KiB of it is kept
# elsewhere (trace/write/scratch.h) or runs on a stack of ours (trace/write/room.h). A sanitizer's frames, and those that
# are not optimised, are larger. The two compilers spell it differently.
LARGEST_FRAME := 1024
FRAMES := $(if $(SAN)$(DEBUG)$(filter -O0 -Og,$(CFLAGS)),,-Wvla -Werror=vla -Walloca -Werror=alloca \
	$(if $(findstring clang,$(shell $(CC) --version)),-Wframe-larger-than=$(LARGEST_FRAME) -Werror=frame-larger-than=,\
	-Werror=frame-larger-than=$(LARGEST_FRAME)))
# The shim lives in a stranger's process: own symbols bound locally, small TLS, unwinding through wrappers kept.
SHIM_CFLAGS := $(BASE) $(SANF) -fPIC -fvisibility=hidden -ftls-model=initial-exec -fexceptions -fno-plt -fno-math-errno $(OPT) $(NO_ABORT)
TOOL_CFLAGS := $(BASE) $(SANF) $(OPT)

GEN_STAMP := $(O)/gen/.stamp

# Folders are lists of files: a new file is picked up by its place.
SHIM_SRC := $(wildcard common/plain/*.c trace/write/*.c trace/write/*/*.c collectors/*.c collectors/*/*.c interpose/*.c)
SHIM_ASM := $(wildcard trace/write/*.S interpose/*.S)
TOOL_SRC := $(wildcard common/*.c common/*/*.c trace/read/*.c model/*.c model/*/*.c writers/*.c writers/*/*.c analysis/*.c analysis/*/*.c cli/*.c cli/*/*.c)
SHIM_OBJ := $(SHIM_SRC:%.c=$(O)/shim/%.o) $(SHIM_ASM:%.S=$(O)/shim/%.S.o)
TOOL_OBJ := $(TOOL_SRC:%.c=$(O)/tool/%.o) $(O)/gen/table_embed.o
# -ldl, -lpthread: parts of the C library itself since glibc 2.34.
TOOL_LIBS := -lsqlite3 -lzstd -lm -ldl -lpthread
ifdef DIST
TOOL_LIBS := $(O)/dist-compat.o -Wl,--wrap=fcntl64 -Wl,--wrap=log -Wl,-Bstatic -lsqlite3 -lzstd -Wl,-Bdynamic -lm -ldl -lpthread
endif
LIB_OBJ  := $(filter-out $(O)/tool/cli/main.o,$(TOOL_OBJ))

# Thin objects: what is preloaded beside libgputap.so when it is asked for.
OSRT_SRC := $(wildcard interpose/osrt/*.c)
OSRT_OBJ := $(OSRT_SRC:%.c=$(O)/thin/%.o) $(O)/thin/interpose/osrt/vfork.S.o $(O)/gen/osrt_table.o $(O)/gen/osrt_wrappers.o
OPENMP_OBJ := $(patsubst %.c,$(O)/thin/%.o,$(wildcard interpose/openmp/*.c)) $(O)/gen/openmp_table.o
GOMP_OBJ := $(patsubst %.c,$(O)/thin/%.o,$(wildcard interpose/libgomp/*.c)) $(O)/gen/gomp_table.o
THIN := $(O)/libgputap-osrt.so $(O)/libgputap-openmp.so $(O)/libgputap-libgomp.so

all: $(O)/gputap $(O)/libgputap.so $(O)/libgputap-audit.so $(THIN) $(O)/sections

include scripts/rules.mk
include tests/witness/witness.mk
include tests/fakecl/fakecl.mk
include tests/fakegpu/fakegpu.mk
include tests/tests.mk
include scripts/quality.mk

# Roots of other systems lie in there too, with folders of such names.
-include $(shell find $(O) -path '$(O)/roots' -prune -o -path '$(O)/aarch64-root' -prune -o -type f -name '*.d' -print 2>/dev/null)
