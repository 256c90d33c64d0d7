# scripts/rules.mk - how things are built; the lists are in Makefile, the tests in tests/tests.mk
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0

comma := ,
# What everything is compiled with, in a file that is written anew only when that changes: then all is built again.
FLAGS := $(CC) $(SHIM_CFLAGS) $(FRAMES) $(TOOL_CFLAGS) $(LDFLAGS) $(LDLIBS)
BUILT_BY := $(O)/.flags Makefile scripts/rules.mk
$(O)/.flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(FLAGS))' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$(FLAGS))' >$@
# A missing header is named with its package before the compiler complains about it.
$(O)/.needs: scripts/check-needs $(O)/.flags
	$(Q)scripts/check-needs '$(CC)' '$(PYTHON)'
	@touch $@
.PHONY: FORCE

$(GEN_STAMP): $(O)/.needs $(wildcard api/*.py api/*.api api/*.def)
	@mkdir -p $(@D)
	@echo "  GEN     $(@D)"
	$(Q)$(PYTHON) api/generate.py --out $(@D)
	$(Q)$(PYTHON) api/cuda_generate.py --own $(@D)
	@touch $@

$(O)/shim/%.o: %.c $(GEN_STAMP) $(BUILT_BY)
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(SHIM_CFLAGS) $(FRAMES) -c -o $@ $<
# A sanitizer's start asks dlsym for what it replaces: these answer before its shadow memory is there.
$(O)/shim/interpose/elf.o $(O)/shim/interpose/dlsym.o: SHIM_CFLAGS += $(if $(SAN),-fno-sanitize=all)
$(O)/shim/%.S.o: %.S $(BUILT_BY)
	@mkdir -p $(@D)
	@echo "  AS      $<"
	$(Q)$(CC) $(CPPFLAGS) -I. -fPIC -g -c -o $@ $<
$(O)/tool/%.o: %.c $(GEN_STAMP) $(BUILT_BY)
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(TOOL_CFLAGS) -c -o $@ $<

# The number of generated wrapper files is fixed so that make knows them before they exist.
GEN_OBJ := $(foreach n,0 1 2 3,$(O)/gen/opencl_wrappers_$(n).o) $(O)/gen/opencl_entries.o \
	$(O)/gen/opencl_callbacks.o $(O)/gen/table_embed.o
$(GEN_OBJ): $(O)/gen/%.o: $(GEN_STAMP) $(BUILT_BY)
	@echo "  CC      $(@:.o=.c)"
	$(Q)$(CC) $(SHIM_CFLAGS) $(FRAMES) -c -o $@ $(@:.o=.c)
# It holds addresses of wrappers and does not say their types: nothing for an optimiser that looks across files.
$(O)/gen/opencl_entries.o: SHIM_CFLAGS += -fno-lto

link_shim = $(CC) -shared $(SANF) $(OPT) $(NO_ABORT) -o $@ $(LDFLAGS) -Wl,-soname,libgputap.so -Wl,-z,nodelete,-z,now,-z,relro \
	-Wl,--version-script=interpose/libgputap.map -Wl,-Bsymbolic-functions $(1) $(GEN_OBJ) -Wl,--as-needed -ldl -lpthread \
	-Wl,--no-undefined
link_tool = $(CC) $(SANF) $(OPT) -o $@ $(LDFLAGS) $(1) $(TOOL_LIBS) $(LDLIBS)

$(O)/libgputap.so: $(SHIM_OBJ) $(GEN_OBJ) interpose/libgputap.map
	@echo "  LD      $@"
	$(Q)$(call link_shim,$(SHIM_OBJ))

# A thin object links nothing of ours; _FORTIFY_SOURCE and the like are off as in the shim.
$(O)/thin/%.o: %.c $(GEN_STAMP) $(BUILT_BY)
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(SHIM_CFLAGS) $(FRAMES) -c -o $@ $<
$(O)/thin/%.S.o: %.S $(BUILT_BY)
	@mkdir -p $(@D)
	@echo "  AS      $<"
	$(Q)$(CC) $(CPPFLAGS) -I. -fPIC -g -c -o $@ $<
$(O)/gen/osrt_table.o $(O)/gen/osrt_wrappers.o $(O)/gen/openmp_table.o $(O)/gen/gomp_table.o: $(O)/gen/%.o: $(GEN_STAMP) $(BUILT_BY)
	@echo "  CC      $(@:.o=.c)"
	$(Q)$(CC) $(SHIM_CFLAGS) $(FRAMES) -fno-lto -c -o $@ $(@:.o=.c)
# Only x86-64 has functions of two versions (interpose/osrt/osrt.h: OSRT_VERSIONS).
$(O)/libgputap-osrt.so: $(OSRT_OBJ)
	@echo "  LD      $@"
	$(Q)$(CC) -shared $(SANF) $(OPT) $(NO_ABORT) -o $@ $(LDFLAGS) -Wl,-soname,libgputap-osrt.so -Wl,-z,nodelete,-z,now,-z,relro \
		$(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),-Wl$(comma)--version-script=$(O)/gen/osrt.map) -Wl,-Bsymbolic-functions $(OSRT_OBJ) -Wl,--as-needed -ldl -lpthread -Wl,--no-undefined

$(O)/libgputap-openmp.so: $(OPENMP_OBJ)
	@echo "  LD      $@"
	$(Q)$(CC) -shared $(SANF) $(OPT) $(NO_ABORT) -o $@ $(LDFLAGS) -Wl,-soname,libgputap-openmp.so -Wl,-z,nodelete,-z,now,-z,relro \
		-Wl,-Bsymbolic-functions $(OPENMP_OBJ) -Wl,--as-needed -ldl -Wl,--no-undefined

$(O)/libgputap-libgomp.so: $(GOMP_OBJ)
	@echo "  LD      $@"
	$(Q)$(CC) -shared $(SANF) $(OPT) $(NO_ABORT) -o $@ $(LDFLAGS) -Wl,-soname,libgputap-libgomp.so -Wl,-z,nodelete,-z,now,-z,relro \
		-Wl,-Bsymbolic-functions $(GOMP_OBJ) -Wl,--as-needed -ldl -Wl,--no-undefined

$(O)/libgputap-audit.so: $(wildcard interpose/audit/*.c) $(BUILT_BY)
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) $(BASE) $(OPT) $(NO_ABORT) $(FRAMES) -fno-lto -fPIC -fvisibility=hidden -fno-builtin -nostdlib -shared -o $@ $(filter %.c,$^) \
		$(LDFLAGS) -Wl,-z,now -Wl,-soname,libgputap-audit.so

$(O)/dist-compat.o: scripts/dist-compat.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(TOOL_CFLAGS) -c -o $@ $<

$(O)/gputap: $(TOOL_OBJ) $(if $(DIST),$(O)/dist-compat.o)
	@echo "  LD      $@"
	$(Q)$(call link_tool,$(TOOL_OBJ))

# gputap's own section files, where a tool of the build tree looks for them.
$(O)/sections: analysis/sections/stock
	@mkdir -p $(@D)
	$(Q)ln -sfn $(abspath $<) $@
