/*
 * model/symbols/opened.c - the files of objects, each read once however many processes loaded it
 *
 * A build server runs a thousand processes with the same ten libraries. Their functions and lines are those of the
 * file, so they are kept with the file: by build id, whatever the path, and for a file without one by path and inode.
 * A file that is not here is looked for again for each object that names it, which costs no memory.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/hash.h"
#include "model/symbols/internal.h"

/* What two objects must have in common to be one file. path: "" where the build id says it all. */
struct key {
	uint32_t id_bytes;
	uint8_t id[sizeof ((struct gt_module *)0)->id];
	uint64_t device, inode, size;
	const char *path;
};
struct kept { struct key key; struct gt_opened *opened; };

static bool same_key(const void *element, const void *key, const void *ctx)
{
	const struct key *x = &((const struct kept *)element)->key, *y = key;

	(void)ctx;
	return x->id_bytes == y->id_bytes && !gt_compare_bytes(x->id, y->id, x->id_bytes) && x->device == y->device &&
		x->inode == y->inode && x->size == y->size && !strcmp(x->path, y->path);
}

static uint64_t hash_of_key(const struct key *k)
{
	uint64_t h = gt_hash(gt_hash(gt_hash_text(k->path, strlen(k->path)), k->inode), k->size);

	return k->id_bytes ? gt_hash(h, gt_hash_text((const char *)k->id, k->id_bytes)) : h;
}

static struct gt_opened *find_opened(const struct gt_opened_files *f, const struct key *key)
{
	const struct kept *kept = gt_map_find(&f->map, sizeof *kept, hash_of_key(key), key, same_key, NULL);

	return kept ? kept->opened : NULL;
}

static void close_opened(struct gt_opened *o)
{
	gt_lines_close(o->lines);
	gt_elf_close(&o->file);
	gt_elf_close(&o->debug);
	free(o);
}

static void read_opened(struct gt_opened *o)
{
	const struct gt_elf *with_lines;

	gt_elf_functions(&o->debug);
	if (!o->debug.functions.n)
		gt_elf_functions(&o->file);
	with_lines = o->file.has_debug ? &o->file : o->debug.has_debug ? &o->debug : NULL;
	if (with_lines)
		o->lines = gt_lines_open(with_lines->fd);
}

/* NULL: no memory. */
static struct gt_opened *keep_opened(struct gt_opened_files *f, const struct key *key, struct gt_opened *o)
{
	struct kept *kept;
	bool fresh;

	kept = gt_map_add(&f->map, sizeof *kept, hash_of_key(key), key, same_key, NULL, &fresh);
	if (!kept)
		return NULL;
	*kept = (struct kept){ *key, o };
	read_opened(o);
	return o;
}

/* The file itself tells its key where the trace has no build id of it. */
static bool key_by_inode(const struct gt_module *module, const struct gt_opened *o, struct key *key)
{
	struct stat st;

	if (fstat(o->file.fd, &st))
		return false;
	*key = (struct key){ .device = st.st_dev, .inode = st.st_ino, .size = (uint64_t)st.st_size,
		.path = module->path };
	return true;
}

static struct gt_opened *none_of(struct gt_opened_files *f)
{
	f->none.file.fd = f->none.debug.fd = -1;
	return &f->none;
}

struct gt_opened *gt_opened_of(struct gt_opened_files *f, const struct gt_module *module, const char *cwd)
{
	struct key key = { .id_bytes = module->id_bytes, .path = "" };
	struct gt_opened *o, *known;

	memcpy(key.id, module->id, module->id_bytes);
	if (key.id_bytes && (known = find_opened(f, &key)))
		return known;
	o = calloc(1, sizeof *o);
	if (!o)
		return none_of(f);
	gt_files_of(module, cwd, &o->file, &o->debug);
	if ((o->file.fd < 0 && o->debug.fd < 0) || (!key.id_bytes && !key_by_inode(module, o, &key))) {
		close_opened(o);
		return none_of(f);
	}
	if (!module->id_bytes && (known = find_opened(f, &key))) {
		close_opened(o);
		return known;
	}
	if (keep_opened(f, &key, o))
		return o;
	close_opened(o);
	return none_of(f);
}

void gt_opened_free(struct gt_opened_files *f)
{
	struct kept *kept = NULL;

	while ((kept = gt_map_next(&f->map, sizeof *kept, kept)))
		close_opened(kept->opened);
	gt_map_free(&f->map, sizeof *kept);
}
