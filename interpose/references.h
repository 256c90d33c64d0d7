/*
 * interpose/references.h - whether anybody could have called an OpenCL library without our seeing it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_INTERPOSE_REFERENCES_H
#define GPUTAP_INTERPOSE_REFERENCES_H

#include "interpose/elf.h"

/*
 * A loader that is mapped and was never seen: did any object bind a function of it, or look up names past us? A
 * reference that waits for its first call (lazy binding) is none. In a walk: it looks at all objects itself.
 */
bool tap_object_may_be_called(const struct tap_object *library, bool elsewhere);

/* The table of one DT_RELA or DT_JMPREL; none: NULL and 0. */
struct tap_relocations { const ElfW(Rela) *first; size_t bytes; };
struct tap_relocations tap_object_relocations(const struct tap_object *o, ElfW(Sxword) address, ElfW(Sxword) size);

/* Does a relocation of this type store the address of a symbol? */
#if defined(__x86_64__)
#define TAP_IS_ADDRESS(type) ((type) == R_X86_64_GLOB_DAT || (type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_64)
#else
#define TAP_IS_ADDRESS(type) \
	((type) == R_AARCH64_GLOB_DAT || (type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_ABS64)
#endif

#endif
