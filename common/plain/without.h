/*
 * common/plain/without.h - in a test build: take one mend out, to see that it is needed
 *
 *	if (gc_without("audit-tls"))
 *		return;
 *
 * Each way to lose calls has a mend and a test (docs/ledger.md). A test that passes says little of it until it has
 * failed without it. build/switch holds the library and the tool once more, in which GPUTAP_WITHOUT=NAME,NAME takes the
 * mends of these names out; tests/e2e/without.sh runs each of them so. In every other build the condition is the
 * constant 0 and nothing of it is left, which scripts/check-symbols proves. Not in headers: build/switch compiles only
 * the files that name a switch anew.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PLAIN_WITHOUT_H
#define GPUTAP_COMMON_PLAIN_WITHOUT_H

#ifdef GPUTAP_SWITCHES
int gc_without(const char *name);
#else
#define gc_without(name) 0
#endif

#endif
