# tests/witness/witness.mk - the layer that counts calls: build/tests/witness/libwitness.so; the one that writes what the runtime says of launches, liblaunches.so; what else the witness' tests run
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
WITNESS_DIR := $(O)/tests/witness
# Older headers know nothing of layers: its tests are skipped then.
WITNESS_TARGETS := $(if $(wildcard /usr/include/CL/cl_layer.h),$(WITNESS_DIR)/libwitness.so $(WITNESS_DIR)/liblaunches.so $(WITNESS_DIR)/several)
# The counting is a part of the stand-in runtime too (tests/fakecl).
WITNESS_SRC := tests/witness/count.c tests/witness/stubs.S
WITNESS_HDR := tests/witness/witness.h tests/opencl_layer.h
WITNESS_CFLAGS := -std=gnu11 $(WARN) -g -O1 $(SANF) -fPIC -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300 -DCL_USE_DEPRECATED_OPENCL_1_2_APIS -Itests/witness -I$(WITNESS_DIR)/gen

$(WITNESS_DIR)/gen/names.h: tests/witness/names.py
	@mkdir -p $(@D)
	$(Q)echo '#include <CL/cl_icd.h>' | $(CC) $(WITNESS_CFLAGS) -E -P - | $(PYTHON) $< >$@

$(WITNESS_DIR)/libwitness.so: tests/witness/layer.c $(WITNESS_SRC) $(WITNESS_HDR) $(WITNESS_DIR)/gen/names.h
	@echo "  LD      $@"
	$(Q)$(CC) $(WITNESS_CFLAGS) -shared -Wl,-z,nodelete -o $@ $< $(WITNESS_SRC)

$(WITNESS_DIR)/liblaunches.so: tests/witness/launches.c tests/opencl_layer.h
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) $(WITNESS_CFLAGS) -fno-sanitize=all -shared -Wl,-z,nodelete -o $@ $<

$(WITNESS_DIR)/several: tests/witness/several.c
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(WITNESS_CFLAGS) -o $@ $< -ldl
