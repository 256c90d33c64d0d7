/*
 * writers/sqlite/chains.c - CUDA_, OSRT_, SYSCALL_ and SAMPLING_CALLCHAINS: stacks, a row for each frame
 *
 * The chain of a call has the stack's number in the trace for id, from 1; that of a sample the sample's. Only chains
 * that a row leads to are written.
 *
 * spec: nsys SQLite "CUDA_CALLCHAINS": depth 0 is the innermost frame; a frame without a name has its address for one
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/symbols/symbols.h"
#include "writers/sqlite/feed.h"

enum {
	CH_id, CH_symbol, CH_module, CH_kernelMode, CH_thumbCode, CH_unresolved, CH_originalIP, CH_stackDepth,
	CH_specialEntry, CH_unwindMethod, CH_CELLS
};
static const char *const cells[CH_CELLS] = { "id", "symbol", "module", "kernelMode", "thumbCode", "unresolved",
	"originalIP", "stackDepth", "specialEntry", "unwindMethod" };

struct gt_sql_chains {
	struct gt_sql_table *table[GT_SQL_CHAIN_TABLES];
	uint8_t *taken;                 /* by stack: a bit for each table */
};

struct gt_sql_chains *gt_sql_chains_new(struct gt_sql *db, const struct gt_model *m)
{
	struct gt_sql_chains *c = calloc(1, sizeof *c);

	if (c && !(c->taken = calloc(gt_model_stack_count(m) + 1, sizeof *c->taken))) {
		free(c);
		return NULL;
	}
	if (c) {
		c->table[GT_SQL_CHAINS_CUDA] = gt_sql_feed(db, "CUDA_CALLCHAINS", cells, CH_CELLS);
		c->table[GT_SQL_CHAINS_SAMPLES] = gt_sql_feed(db, "SAMPLING_CALLCHAINS", cells, CH_CELLS);
		c->table[GT_SQL_CHAINS_OSRT] = gt_sql_feed(db, "OSRT_CALLCHAINS", cells, CH_CELLS);
		c->table[GT_SQL_CHAINS_SYSCALL] = gt_sql_feed(db, "SYSCALL_CALLCHAINS", cells, CH_CELLS);
	}
	return c;
}

void gt_sql_chains_free(struct gt_sql_chains *c)
{
	if (c)
		free(c->taken);
	free(c);
}

static struct gt_sql_row *add_frame(
	struct gt_sql_feeder *f, struct gt_sql_table *t, int64_t id, uint32_t depth, const struct gt_frame *frame)
{
	const char *module = frame->module ? frame->module->path : "[Unknown]";
	struct gt_string symbol = frame->function;
	struct gt_sql_row *r = gt_sql_add(t);
	char address[24];

	if (!frame->resolved)
		symbol = (struct gt_string){ address, (size_t)snprintf(address, sizeof address, "0x%llx",
							(unsigned long long)frame->address) };
	gt_put(r, CH_id, id);
	gt_put(r, CH_symbol, gt_sql_string(f->db, symbol.text, symbol.bytes));
	gt_put(r, CH_module, gt_sql_string(f->db, module, strlen(module)));
	gt_put(r, CH_kernelMode, 0);
	gt_put(r, CH_thumbCode, 0);
	gt_put(r, CH_unresolved, !frame->resolved);
	gt_put(r, CH_originalIP, (int64_t)frame->address);
	gt_put(r, CH_stackDepth, depth);
	return r;
}

int64_t gt_sql_chain(struct gt_sql_feeder *f, enum gt_sql_chain_table table, uint32_t stack)
{
	const struct gt_frame *frames;
	uint32_t n;

	if (!stack || f->chains->taken[stack] & 1u << table)
		return stack;
	f->chains->taken[stack] |= (uint8_t)(1u << table);
	frames = gt_stack_frames(f->m, stack, &n);
	for (uint32_t i = 0; i < n; i++)
		add_frame(f, f->chains->table[table], stack, i, &frames[i]);
	return stack;
}

void gt_sql_sample_chain(struct gt_sql_feeder *f, int64_t id, uint32_t stack, int method)
{
	uint32_t n;
	const struct gt_frame *frames = gt_stack_frames(f->m, stack, &n);

	for (uint32_t i = 0; i < n; i++) {
		struct gt_sql_row *r = add_frame(f, f->chains->table[GT_SQL_CHAINS_SAMPLES], id, i, &frames[i]);

		gt_put(r, CH_specialEntry, 0);
		gt_put(r, CH_unwindMethod, i ? method : 0);      /* where the thread was is not unwound */
	}
}

void gt_sql_put_chain(struct gt_sql_feeder *f, struct gt_sql_row *r, unsigned cell, uint32_t stack)
{
	if (stack || f->no_chain_is_zero)
		gt_put(r, cell, gt_sql_chain(f, GT_SQL_CHAINS_CUDA, stack));
}
