# tests/fakegpu/fakegpu.mk - the stand-in CUDA machine: build/tests/fakegpu/lib, its CUPTI of each version, the example programs
#
# lib/ holds libcuda.so.1, libcudart.so.12, libcudart.so.13, libcupti.so.12 (version 28), libcupti.so.13 (version 130001);
# vN/ holds CUPTI of version N alone. Programs run with LD_LIBRARY_PATH=lib, or vN:lib. No CUDA toolkit is needed.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
FAKEGPU_DIR := $(O)/tests/fakegpu
FAKEGPU_GEN := $(FAKEGPU_DIR)/gen
FAKEGPU_LIB := $(FAKEGPU_DIR)/lib
FAKEGPU_HDR := tests/fakegpu/fakegpu.h tests/fakegpu/kernels.h tests/fakegpu/records.def tests/fakegpu/profiler.h
FAKEGPU_CFLAGS := -std=gnu11 $(WARN) -g -O1 $(SANF) -fPIC -fvisibility=hidden -D_GNU_SOURCE -Itests/fakegpu -I$(FAKEGPU_GEN)
FAKEGPU_LDFLAGS := -shared $(if $(SAN),,-Wl,-z,defs)
FAKEGPU_CORE := $(addprefix tests/fakegpu/,core.c counts.c records.c device.c kernels.c cubin.c memory.c driver.c graph.c)
# The stand-in CUPTI
FAKEGPU_PROFILERS := $(addprefix tests/fakegpu/,cupti.c profiler.c pm.c sampling.c sass.c values.c)
FAKEGPU_VERSIONS := 18 19 20 21 22 23 24 26 27 28 130000 130001 130101 130202 130500 139900
fakegpu_soname = $(if $(filter 18,$(1)),libcupti.so.11.8,$(if $(filter 13%,$(1)),libcupti.so.13,libcupti.so.12))
FAKEGPU_CUPTIS := $(foreach v,$(FAKEGPU_VERSIONS),$(FAKEGPU_DIR)/v$(v)/$(call fakegpu_soname,$(v)))
FAKEGPU_LIBS := $(addprefix $(FAKEGPU_LIB)/,libcuda.so.1 libcudart.so.12 libcudart.so.13 libcupti.so.12 libcupti.so.13)
CUDA_EXAMPLES := $(patsubst examples/cuda/%.c,$(O)/examples/cuda/%,$(wildcard examples/cuda/*.c))
FAKEGPU_TARGETS := $(FAKEGPU_LIBS) $(FAKEGPU_CUPTIS) $(CUDA_EXAMPLES) $(FAKEGPU_DIR)/test_fakegpu $(FAKEGPU_DIR)/libinject.so $(FAKEGPU_DIR)/replay $(FAKEGPU_DIR)/client_linked

# refuse.h gives the sources' functions other names: the exported ones are refuse.c's.
$(FAKEGPU_GEN)/calls.h: tests/fakegpu/gen_calls.py tests/fakegpu/calls.api $(FAKEGPU_PROFILERS)
	@mkdir -p $(@D)
	@echo "  GEN     $(@D)"
	$(Q)$(PYTHON) $< $(@D) <tests/fakegpu/calls.api

$(FAKEGPU_LIB)/libcuda.so.1: $(FAKEGPU_CORE) $(FAKEGPU_HDR) $(FAKEGPU_GEN)/calls.h
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) $(FAKEGPU_CFLAGS) $(FAKEGPU_LDFLAGS) -Wl,-soname,$(@F) -o $@ $(FAKEGPU_CORE) $(FAKEGPU_GEN)/driver_entries.c $(FAKEGPU_GEN)/names.c -ldl -lpthread

$(FAKEGPU_LIB)/libcudart.so.%: tests/fakegpu/runtime.c tests/fakegpu/nvcc.c $(FAKEGPU_LIB)/libcuda.so.1
	@echo "  LD      $@"
	$(Q)$(CC) $(FAKEGPU_CFLAGS) -DFAKEGPU_RUNTIME_VERSION=$*000 $(FAKEGPU_LDFLAGS) -Wl,-soname,$(@F) -Wl,-rpath,'$$ORIGIN' -o $@ \
		$(filter %.c,$^) $(FAKEGPU_GEN)/runtime_entries.c $(FAKEGPU_LIB)/libcuda.so.1 -lpthread

# $(1) file, $(2) version
define FAKEGPU_CUPTI_RULE
$(1): $(FAKEGPU_PROFILERS) $(FAKEGPU_LIB)/libcuda.so.1
	@mkdir -p $$(@D)
	@echo "  LD      $$@"
	$$(Q)$$(CC) $$(FAKEGPU_CFLAGS) -include $(FAKEGPU_GEN)/refuse.h -DFAKEGPU_CUPTI_VERSION=$(2) $$(FAKEGPU_LDFLAGS) -Wl,-soname,$$(@F) -Wl,-rpath,'$$$$ORIGIN:$$$$ORIGIN/../lib' \
		-Wl,--version-script=$(FAKEGPU_GEN)/v$(2).map -o $$@ $$(filter %.c,$$^) $(FAKEGPU_GEN)/refuse.c $(FAKEGPU_LIB)/libcuda.so.1
endef
$(foreach v,$(FAKEGPU_VERSIONS),$(eval $(call FAKEGPU_CUPTI_RULE,$(FAKEGPU_DIR)/v$(v)/$(call fakegpu_soname,$(v)),$(v))))
$(eval $(call FAKEGPU_CUPTI_RULE,$(FAKEGPU_LIB)/libcupti.so.12,28))
$(eval $(call FAKEGPU_CUPTI_RULE,$(FAKEGPU_LIB)/libcupti.so.13,130001))

# Linked with the stand-in, which has no versioned symbols: the same binaries run on a real machine.
$(O)/examples/cuda/%: examples/cuda/%.c examples/cuda/cuda_small.h $(FAKEGPU_LIB)/libcudart.so.13
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) -std=gnu11 $(WARN) -g -O1 $(SANF) -D_GNU_SOURCE -o $@ $< -Wl,--as-needed $(FAKEGPU_LIB)/libcudart.so.13 $(FAKEGPU_LIB)/libcuda.so.1 -lpthread

$(FAKEGPU_DIR)/test_fakegpu: tests/fakegpu/test_fakegpu.c tests/fakegpu/fakegpu.h tests/fakegpu/records.def examples/cuda/cuda_small.h $(FAKEGPU_LIB)/libcudart.so.13
	@echo "  CC      $<"
	$(Q)$(CC) -std=gnu11 $(WARN) -g -O1 $(SANF) -D_GNU_SOURCE -Itests/fakegpu -I$(FAKEGPU_GEN) -Iexamples/cuda -o $@ $< \
		$(FAKEGPU_LIB)/libcudart.so.13 $(FAKEGPU_LIB)/libcuda.so.1 -ldl -lpthread

# Reads the trace with the tool's own reader, and is the program that the collector is injected into.
$(FAKEGPU_DIR)/replay: tests/fakegpu/replay.c tests/fakegpu/fakegpu.h $(O)/libgt.a $(FAKEGPU_LIB)/libcuda.so.1
	@echo "  CC      $<"
	$(Q)$(CC) $(TOOL_CFLAGS) -Itests/fakegpu -I$(FAKEGPU_GEN) -MF $@.d -o $@ $< $(O)/libgt.a $(FAKEGPU_LIB)/libcuda.so.1 -lzstd -lxxhash -lm -lpthread

# A client of CUPTI that is linked with it
$(FAKEGPU_DIR)/client_linked: tests/e2e/cuda_client.c tests/e2e/cuda_driver.h $(FAKEGPU_LIB)/libcupti.so.13
	@echo "  CC      $< (linked)"
	$(Q)$(CC) -std=gnu11 $(WARN) -g -O1 $(SANF) -D_GNU_SOURCE -DCLIENT_LINKED -o $@ $< $(FAKEGPU_LIB)/libcupti.so.13 -Wl,-rpath-link,$(FAKEGPU_LIB) -ldl -lpthread

$(FAKEGPU_DIR)/libinject.so: tests/fakegpu/inject.c
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) -std=gnu11 $(WARN) -g -O1 $(SANF) -fPIC -D_GNU_SOURCE -shared -o $@ $< -ldl
