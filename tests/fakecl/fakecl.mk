# tests/fakecl/fakecl.mk - the stand-in runtime: build/tests/fakecl/libfakecl.so and the vendor file that names it
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
FAKECL_SRC := $(sort $(wildcard tests/fakecl/*.c))
FAKECL_DIR := $(O)/tests/fakecl
FAKECL_TARGETS := $(FAKECL_DIR)/libfakecl.so

$(FAKECL_DIR)/gen/api.h: tests/fakecl/gen_api.py $(FAKECL_SRC)
	@mkdir -p $(@D)
	$(Q)$(PYTHON) $< $(FAKECL_SRC) >$@
	$(Q)$(PYTHON) $< --dispatch $(FAKECL_SRC) >$(@D)/dispatch.c

$(FAKECL_DIR)/libfakecl.so: $(FAKECL_SRC) $(FAKECL_DIR)/gen/api.h tests/fakecl/fakecl.h $(WITNESS_SRC) $(WITNESS_HDR) $(GEN_STAMP)
	@echo "  LD      $@"
	$(Q)$(CC) -std=gnu11 $(WARN) -g -O1 $(SANF) -fPIC -fvisibility=hidden -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300 -DCL_USE_DEPRECATED_OPENCL_1_0_APIS \
		-DCL_USE_DEPRECATED_OPENCL_1_1_APIS -DCL_USE_DEPRECATED_OPENCL_1_2_APIS -DCL_USE_DEPRECATED_OPENCL_2_0_APIS -DCL_USE_DEPRECATED_OPENCL_2_2_APIS \
		-Itests/fakecl -Itests/witness -I$(FAKECL_DIR)/gen -I$(O)/gen -shared -o $@ $(FAKECL_SRC) $(WITNESS_SRC) $(FAKECL_DIR)/gen/dispatch.c -lpthread
	$(Q)mkdir -p $(FAKECL_DIR)/vendors && echo $(abspath $@) >$(FAKECL_DIR)/vendors/fakecl.icd
