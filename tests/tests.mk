# tests/tests.mk - how test programs are built; what a folder means
#
# tests/unit/test_X.c   cmocka program over the tool's objects (and tests/tracebuild.c, tracecuda.c, cudasession.c)
# tests/unit/shim_X.c   cmocka program over the shim's objects
# tests/unit/test_X.py  unittest; gets $GPUTAP_BUILD
# tests/e2e/X.c         program that the shell tests run, linked with -lOpenCL, as $(O)/tests/e2e/X; tests/fault/ alike
# tests/e2e/X.sh        shell test: exit 0 pass, 77 skip (last line says why), else fail; tests/fault/ and tests/cli/ alike
# tests/witness/X.sh    shell test: calls counted by somebody else are those in the trace
# tests/quality/X.sh     shell test that needs a special build; its make target runs it (make check-asan)
# tests/long/X.sh       shell test for scripts/test --long alone
# tests/golden/run      compares fixed traces with expected bytes
# tests/run             runs them all and prints the counts
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0

T := $(O)/tests
TEST_LIB   := $(patsubst %.c,$(O)/tool/%.o,$(wildcard tests/tracebuild.c tests/tracecuda.c tests/cudasession.c))
UNIT_BIN   := $(patsubst tests/unit/%.c,$(T)/unit/%,$(wildcard tests/unit/test_*.c))
SHIM_BIN   := $(patsubst tests/unit/%.c,$(T)/unit/%,$(wildcard tests/unit/shim_*.c))
E2E_BIN    := $(patsubst tests/%.c,$(T)/%,$(wildcard tests/e2e/*.c tests/fault/*.c))
SHIM_LIBS  ?=

$(O)/libgt.a: $(LIB_OBJ)
	@echo "  AR      $@"
	$(Q)rm -f $@; $(AR) rcs $@ $(LIB_OBJ)

$(T)/unit/test_%: tests/unit/test_%.c $(TEST_LIB) $(O)/libgt.a
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(TOOL_CFLAGS) -MF $@.d -o $@ $< $(TEST_LIB) $(O)/libgt.a -lcmocka -lxxhash $(TOOL_LIBS)

# What reads traces, section files and reports, with a call at every branch, for test_steps and the fuzzer. It stands before the archive's own.
READER_STEPS := $(filter common/% trace/read/% model/% analysis/sections/% analysis/metrics/sampled.c analysis/reports/report.c analysis/reports/sched.c writers/payload_json.c,$(TOOL_SRC))
$(O)/steps/libreader.a: $(READER_STEPS:%.c=$(O)/steps/%.o)
	@echo "  AR      $@"
	$(Q)rm -f $@; $(AR) rcs $@ $^

$(O)/steps/%.o: %.c $(GEN_STAMP) $(BUILT_BY)
	@mkdir -p $(@D)
	@echo "  CC      $< (steps)"
	$(Q)$(CC) $(TOOL_CFLAGS) -fsanitize-coverage=trace-pc -c -o $@ $<

$(T)/unit/test_steps: tests/unit/test_steps.c $(O)/steps/libreader.a $(TEST_LIB) $(O)/libgt.a
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(TOOL_CFLAGS) -MF $@.d -o $@ $< $(TEST_LIB) $(O)/steps/libreader.a $(O)/libgt.a -lcmocka -lxxhash $(TOOL_LIBS)

$(T)/unit/shim_%: tests/unit/shim_%.c $(SHIM_OBJ) $(GEN_OBJ)
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(SHIM_CFLAGS) -MF $@.d -o $@ $< $(SHIM_OBJ) $(GEN_OBJ) -lcmocka -ldl -lpthread $(SHIM_LIBS)

$(T)/tracegen: tests/tracegen.c $(TEST_LIB) $(O)/libgt.a
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(TOOL_CFLAGS) -MF $@.d -o $@ $< $(TEST_LIB) $(O)/libgt.a -lxxhash $(TOOL_LIBS)

$(T)/cudagen: tests/cudagen.c $(TEST_LIB) $(O)/libgt.a
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(TOOL_CFLAGS) -MF $@.d -o $@ $< $(TEST_LIB) $(O)/libgt.a -lxxhash $(TOOL_LIBS)

$(T)/report_pairs: tests/cli/report_pairs.c $(O)/libgt.a
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(TOOL_CFLAGS) -MF $@.d -o $@ $< $(O)/libgt.a -lxxhash $(TOOL_LIBS)

$(T)/golden/build: $(wildcard tests/golden/*.c tests/golden/*.h) $(TEST_LIB) $(O)/libgt.a
	@mkdir -p $(@D)
	@echo "  CC      tests/golden/build"
	$(Q)$(CC) $(TOOL_CFLAGS) -MF $@.d -o $@ $(wildcard tests/golden/*.c) $(TEST_LIB) $(O)/libgt.a -lxxhash $(TOOL_LIBS)

$(T)/e2e/%: tests/e2e/%.c
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(BASE) -O1 $(SANF) -MF $@.d -o $@ $< -lOpenCL -ldl -lpthread -lm

$(T)/fault/%: tests/fault/%.c
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(BASE) -O1 $(SANF) -MF $@.d -o $@ $< -lOpenCL -ldl -lpthread -lm

# Beside the programs that scripts/test-gpu compiles: they may have to run where no compiler is.
GPU_DOUBTS := $(patsubst tests/gpu/%.c,$(O)/gpu/bin/%,$(wildcard tests/gpu/doubt_*.c))
GPU_TARGETS := $(O)/gpu/scrub $(O)/gpu/raw $(O)/gpu/libnomodules.so $(GPU_DOUBTS)

.PHONY: gpu-programs
gpu-programs: $(GPU_TARGETS) $(T)/e2e/cl_commands $(T)/e2e/cuda_client $(T)/fault/cuda_kill

$(O)/gpu/scrub $(O)/gpu/raw: $(O)/gpu/%: tests/gpu/%.c $(O)/libgt.a
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(TOOL_CFLAGS) -MF $@.d -o $@ $< $(O)/libgt.a -lxxhash $(TOOL_LIBS)

# As the CUDA examples: linked with the stand-in, they run on a real machine.
$(O)/gpu/bin/doubt_%: tests/gpu/doubt_%.c tests/gpu/doubt.h examples/cuda/cuda_small.h $(wildcard trace/format/cupti.*) \
		$(FAKEGPU_LIB)/libcudart.so.13
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) -std=gnu11 $(WARN) -g -O1 $(SANF) -D_GNU_SOURCE -I. -o $@ $< -Wl,--as-needed \
		$(FAKEGPU_LIB)/libcudart.so.13 $(FAKEGPU_LIB)/libcuda.so.1 -ldl -lpthread

$(O)/gpu/libnomodules.so: tests/gpu/nomodules.c $(FAKEGPU_LIB)/libcupti.so.13
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) -std=gnu11 $(WARN) -g -O1 $(SANF) -D_GNU_SOURCE -fPIC -shared -o $@ $< -Wl,--no-as-needed \
		$(FAKEGPU_LIB)/libcupti.so.13 -ldl

# Benchmarks of the recording itself: nothing but the shim's objects.
$(O)/bench/%: bench/%.c $(SHIM_OBJ) $(GEN_OBJ)
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(SHIM_CFLAGS) -MF $@.d -o $@ $< $(SHIM_OBJ) $(GEN_OBJ) -ldl -lpthread $(SHIM_LIBS)

# build/switch: the library and the tool once more, with a switch for each mend that has one (common/plain/without.h). What
# names a switch is compiled anew; all else is linked as it is. Laid out as build/ is, for scripts that ask for $GPUTAP_BUILD.
SWITCH_DIR := $(O)/switch
SWITCHED   := $(shell grep -lw gc_without $(SHIM_SRC) $(TOOL_SRC))
switched    = $(foreach s,$(2),$(if $(filter $(s),$(SWITCHED)),$(s:%.c=$(SWITCH_DIR)/$(1)/%.o),$(s:%.c=$(O)/$(1)/%.o)))
SWITCH_SHIM_OBJ := $(call switched,shim,$(SHIM_SRC)) $(filter %.S.o,$(SHIM_OBJ))
SWITCH_TOOL_OBJ := $(call switched,tool,$(TOOL_SRC)) $(filter $(O)/gen/%,$(TOOL_OBJ))
SWITCH_LINKS    := $(addprefix $(SWITCH_DIR)/,gen tests examples libgputap-audit.so sections)
SWITCH_TARGETS  := $(SWITCH_DIR)/libgputap.so $(SWITCH_DIR)/gputap $(addprefix $(SWITCH_DIR)/,shim_stream shim_places) $(SWITCH_LINKS)

$(SWITCH_DIR)/shim/%.o: %.c $(GEN_STAMP) $(BUILT_BY)
	@mkdir -p $(@D)
	@echo "  CC      $< (switches)"
	$(Q)$(CC) $(SHIM_CFLAGS) -DGPUTAP_SWITCHES -c -o $@ $<
$(SWITCH_DIR)/tool/%.o: %.c $(GEN_STAMP) $(BUILT_BY)
	@mkdir -p $(@D)
	@echo "  CC      $< (switches)"
	$(Q)$(CC) $(TOOL_CFLAGS) -DGPUTAP_SWITCHES -c -o $@ $<
$(SWITCH_DIR)/libgputap.so: $(SWITCH_SHIM_OBJ) $(GEN_OBJ) interpose/libgputap.map
	@echo "  LD      $@"
	$(Q)$(call link_shim,$(SWITCH_SHIM_OBJ))
$(SWITCH_DIR)/gputap: $(SWITCH_TOOL_OBJ)
	@echo "  LD      $@"
	$(Q)$(call link_tool,$(SWITCH_TOOL_OBJ))
$(SWITCH_DIR)/shim_%: tests/unit/shim_%.c $(SWITCH_SHIM_OBJ) $(GEN_OBJ)
	@echo "  CC      $< (switches)"
	$(Q)$(CC) $(SHIM_CFLAGS) -MF $@.d -o $@ $< $(SWITCH_SHIM_OBJ) $(GEN_OBJ) -lcmocka -ldl -lpthread $(SHIM_LIBS)
$(SWITCH_LINKS):
	@mkdir -p $(@D)
	$(Q)ln -sfn ../$(@F) $@

test-programs: all $(UNIT_BIN) $(SHIM_BIN) $(E2E_BIN) $(if $(wildcard tests/tracegen.c),$(T)/tracegen) $(T)/cudagen $(T)/report_pairs $(T)/golden/build $(FAKECL_TARGETS) $(WITNESS_TARGETS) $(SWITCH_TARGETS) $(FAKEGPU_TARGETS) $(GPU_TARGETS)

check: test-programs
	@GPUTAP_BUILD=$(abspath $(O)) tests/run $(TESTS)

# What a trace without its function table is read with: the small one that the fuzzer's own traces have. To take the whole
# one costs more steps than any input may.
$(T)/fuzz/own_table.c: $(T)/fuzz/table.txt
	$(Q)zstd -q -c $< | $(PYTHON) tests/fuzz/own_table >$@

# What a record is read from is the program's own.
$(T)/fuzz/fuzz_reader: FUZZ_LINK := -Wl,--wrap=gt_block_next
$(T)/fuzz/%: tests/fuzz/%.c $(T)/fuzz/own_table.c $(TEST_LIB) $(O)/steps/libreader.a $(O)/libgt.a
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(TOOL_CFLAGS) -MF $@.d -o $@ $< $(T)/fuzz/own_table.c $(TEST_LIB) $(O)/steps/libreader.a $(O)/libgt.a $(FUZZ_LINK) -lxxhash $(TOOL_LIBS)
