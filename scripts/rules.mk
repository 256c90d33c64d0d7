# scripts/rules.mk - how things are built; the lists are in Makefile, the tests in tests/tests.mk
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0

$(GEN_STAMP): $(wildcard api/*.py api/*.api api/*.def)
	@mkdir -p $(@D)
	@echo "  GEN     $(@D)"
	$(Q)$(PYTHON) api/generate.py --out $(@D)
	$(Q)$(PYTHON) api/cuda_generate.py --own $(@D)
	@touch $@

$(O)/shim/%.o: %.c $(GEN_STAMP)
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(SHIM_CFLAGS) -c -o $@ $<
# A sanitizer's start asks dlsym for what it replaces: these answer before its shadow memory is there.
$(O)/shim/interpose/elf.o $(O)/shim/interpose/dlsym.o: SHIM_CFLAGS += $(if $(SAN),-fno-sanitize=all)
$(O)/shim/%.S.o: %.S
	@mkdir -p $(@D)
	@echo "  AS      $<"
	$(Q)$(CC) -I. -fPIC -g -c -o $@ $<
$(O)/tool/%.o: %.c $(GEN_STAMP)
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(TOOL_CFLAGS) -c -o $@ $<

# The number of generated wrapper files is fixed so that make knows them before they exist.
GEN_OBJ := $(foreach n,0 1 2 3,$(O)/gen/opencl_wrappers_$(n).o) $(O)/gen/opencl_entries.o $(O)/gen/table_embed.o
$(GEN_OBJ): $(O)/gen/%.o: $(GEN_STAMP)
	@echo "  CC      $(@:.o=.c)"
	$(Q)$(CC) $(SHIM_CFLAGS) -c -o $@ $(@:.o=.c)

$(O)/libgputap.so: $(SHIM_OBJ) $(GEN_OBJ) interpose/libgputap.map
	@echo "  LD      $@"
	$(Q)$(CC) -shared $(SANF) -o $@ -Wl,-soname,libgputap.so -Wl,-z,nodelete,-z,now,-z,relro -Wl,--version-script=interpose/libgputap.map \
		-Wl,-Bsymbolic-functions $(SHIM_OBJ) $(GEN_OBJ) -Wl,--no-undefined

$(O)/libgputap-audit.so: $(wildcard interpose/audit/*.c)
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) $(BASE) $(OPT) -fPIC -fvisibility=hidden -fno-builtin -nostdlib -shared -o $@ $^ -Wl,-z,now -Wl,-soname,libgputap-audit.so

$(O)/gputap: $(TOOL_OBJ)
	@echo "  LD      $@"
	$(Q)$(CC) $(SANF) -o $@ $(TOOL_OBJ) -lsqlite3 -lzstd -lm -lpthread
