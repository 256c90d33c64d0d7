/*
 * model/opencl/operation.c - classify device commands
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/opencl/operation.h"

#include "opencl_values.h"

/* ENUM_CUDA_MEMCPY_OPER labels by id */
static const char *const labels[] = {
	"Unknown", "Host-to-Device", "Device-to-Host", "Host-to-Array", "Array-to-Host", "Array-to-Array",
	"Array-to-Device",
	"Device-to-Array", "Device-to-Device", "Host-to-Host", "Peer-to-Peer", "Unified Host-to-Device",
	"Unified Device-to-Host",
	"Unified Device-to-Device",
};

static const struct { uint32_t type; unsigned char kind, copy, src, dst; } table[] = {
	{ CL_COMMAND_WRITE_BUFFER,         GT_OPERATION_COPY, GT_COPYKIND_HTOD, GT_MEM_PAGEABLE, GT_MEM_DEVICE },
	{ CL_COMMAND_WRITE_BUFFER_RECT,    GT_OPERATION_COPY, GT_COPYKIND_HTOD, GT_MEM_PAGEABLE, GT_MEM_DEVICE },
	{ CL_COMMAND_READ_BUFFER,          GT_OPERATION_COPY, GT_COPYKIND_DTOH, GT_MEM_DEVICE, GT_MEM_PAGEABLE },
	{ CL_COMMAND_READ_BUFFER_RECT,     GT_OPERATION_COPY, GT_COPYKIND_DTOH, GT_MEM_DEVICE, GT_MEM_PAGEABLE },
	{ CL_COMMAND_COPY_BUFFER,          GT_OPERATION_COPY, GT_COPYKIND_DTOD, GT_MEM_DEVICE, GT_MEM_DEVICE },
	{ CL_COMMAND_COPY_BUFFER_RECT,     GT_OPERATION_COPY, GT_COPYKIND_DTOD, GT_MEM_DEVICE, GT_MEM_DEVICE },
	{ CL_COMMAND_WRITE_IMAGE,          GT_OPERATION_COPY, GT_COPYKIND_HTOA, GT_MEM_PAGEABLE, GT_MEM_ARRAY },
	{ CL_COMMAND_READ_IMAGE,           GT_OPERATION_COPY, GT_COPYKIND_ATOH, GT_MEM_ARRAY, GT_MEM_PAGEABLE },
	{ CL_COMMAND_COPY_IMAGE,           GT_OPERATION_COPY, GT_COPYKIND_ATOA, GT_MEM_ARRAY, GT_MEM_ARRAY },
	{ CL_COMMAND_COPY_IMAGE_TO_BUFFER, GT_OPERATION_COPY, GT_COPYKIND_ATOD, GT_MEM_ARRAY, GT_MEM_DEVICE },
	{ CL_COMMAND_COPY_BUFFER_TO_IMAGE, GT_OPERATION_COPY, GT_COPYKIND_DTOA, GT_MEM_DEVICE, GT_MEM_ARRAY },
	{ CL_COMMAND_SVM_MEMCPY,           GT_OPERATION_COPY, GT_COPYKIND_UNKNOWN, GT_MEM_MANAGED, GT_MEM_MANAGED },
	{ CL_COMMAND_SVM_MEMCPY_ARM,       GT_OPERATION_COPY, GT_COPYKIND_UNKNOWN, GT_MEM_MANAGED, GT_MEM_MANAGED },
	{ CL_COMMAND_MEMCPY_INTEL,         GT_OPERATION_COPY, GT_COPYKIND_UNKNOWN, GT_MEM_UNKNOWN, GT_MEM_UNKNOWN },
	{ CL_COMMAND_FILL_BUFFER,          GT_OPERATION_FILL, 0, GT_MEM_UNKNOWN, GT_MEM_DEVICE },
	{ CL_COMMAND_FILL_IMAGE,           GT_OPERATION_FILL, 0, GT_MEM_UNKNOWN, GT_MEM_ARRAY },
	{ CL_COMMAND_SVM_MEMFILL,          GT_OPERATION_FILL, 0, GT_MEM_UNKNOWN, GT_MEM_MANAGED },
	{ CL_COMMAND_SVM_MEMFILL_ARM,      GT_OPERATION_FILL, 0, GT_MEM_UNKNOWN, GT_MEM_MANAGED },
	{ CL_COMMAND_MEMFILL_INTEL,        GT_OPERATION_FILL, 0, GT_MEM_UNKNOWN, GT_MEM_UNKNOWN },
};

static bool moved_data(const struct gt_command *c)
{
	return c->timed && c->end_ns > c->start_ns;
}

static bool pinned(const struct gt_object *mem)
{
	return mem && mem->flags & CL_MEM_ALLOC_HOST_PTR;
}

/* Maps, unmaps and migrations: a copy only where the flags say which way. */
static bool by_flags(const struct gt_command *c, struct gt_operation *out)
{
	bool image = (c->src && c->src->mem_type > CL_MEM_OBJECT_BUFFER) ||
		(c->dst && c->dst->mem_type > CL_MEM_OBJECT_BUFFER);
	bool to_host, shared = false;

	switch (c->type) {
	case CL_COMMAND_SVM_MAP: case CL_COMMAND_SVM_MAP_ARM:
		shared = true;
		/* fall through */
	case CL_COMMAND_MAP_BUFFER: case CL_COMMAND_MAP_IMAGE:
		if (!(c->map_flags & CL_MAP_READ) || !moved_data(c))
			return false;
		to_host = true;
		break;
	case CL_COMMAND_SVM_UNMAP: case CL_COMMAND_SVM_UNMAP_ARM:
		shared = true;
		/* fall through */
	case CL_COMMAND_UNMAP_MEM_OBJECT:
		if (!(c->map_flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) || !moved_data(c))
			return false;
		to_host = false;
		break;
	case CL_COMMAND_MIGRATE_MEM_OBJECTS: case CL_COMMAND_SVM_MIGRATE_MEM: case CL_COMMAND_MIGRATEMEM_INTEL:
		to_host = c->map_flags & CL_MIGRATE_MEM_OBJECT_HOST;
		break;
	default:
		return false;
	}
	enum gt_mem_kind device = shared || c->type == CL_COMMAND_SVM_MIGRATE_MEM ? GT_MEM_MANAGED
		: image                                                           ? GT_MEM_ARRAY
										  : GT_MEM_DEVICE;
	enum gt_mem_kind host = pinned(c->src) || pinned(c->dst) ? GT_MEM_PINNED : GT_MEM_PAGEABLE;

	out->kind = GT_OPERATION_COPY;
	if (c->type == CL_COMMAND_SVM_MIGRATE_MEM)
		out->copy = to_host ? GT_COPYKIND_UVM_DTOH : GT_COPYKIND_UVM_HTOD;
	else
		out->copy = to_host ? GT_COPYKIND_DTOH : GT_COPYKIND_HTOD;
	out->src = to_host ? device : host;
	out->dst = to_host ? host : device;
	return true;
}

/*
 * Copies of unified shared memory, by what their pointers are. Memory that host and device share lies where it was used
 * last, which nobody tells: a copy from or to it has no direction.
 */
static void by_pointers(const struct gt_command *c, struct gt_operation *out)
{
	static const struct { unsigned char mem, side; } what[] = {
		[GT_USM_UNKNOWN] = { GT_MEM_UNKNOWN, 0 },
		[GT_USM_SYSTEM] = { GT_MEM_PAGEABLE, 'h' },
		[GT_USM_HOST] = { GT_MEM_PINNED, 'h' },
		[GT_USM_DEVICE] = { GT_MEM_DEVICE, 'd' },
		[GT_USM_SHARED] = { GT_MEM_MANAGED, 0 },
	};
	unsigned char from = what[c->src_usm].side, to = what[c->dst_usm].side;

	out->dst = (enum gt_mem_kind)what[c->dst_usm].mem;
	if (out->kind != GT_OPERATION_COPY)
		return;
	out->src = (enum gt_mem_kind)what[c->src_usm].mem;
	if (from && to)
		out->copy = from == 'h' ? to == 'h' ? GT_COPYKIND_HTOH : GT_COPYKIND_HTOD
			: to == 'h'     ? GT_COPYKIND_DTOH
					: GT_COPYKIND_DTOD;
}

void gt_command_operation(const struct gt_command *c, struct gt_operation *out)
{
	*out = (struct gt_operation){
		.kind = GT_OPERATION_OTHER, .src = GT_MEM_UNKNOWN, .dst = GT_MEM_UNKNOWN, .label = ""
	};
	if (c->is_kernel) {
		out->kind = GT_OPERATION_KERNEL;
		return;
	}
	for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].type == c->type) {
			*out = (struct gt_operation){ table[i].kind, table[i].copy, table[i].src, table[i].dst, "" };
			break;
		}
	if (c->type == CL_COMMAND_MEMCPY_INTEL || c->type == CL_COMMAND_MEMFILL_INTEL)
		by_pointers(c, out);
	if (out->kind == GT_OPERATION_OTHER)
		by_flags(c, out);
	if (out->kind == GT_OPERATION_COPY)
		out->label = labels[out->copy];
}

bool gt_command_grid(const struct gt_command *c, uint64_t grid[3], uint64_t block[3])
{
	for (unsigned d = 0; d < 3; d++) {
		uint64_t global = d < c->work_dim && c->global_size[d] ? c->global_size[d] : 1;

		block[d] = d < c->work_dim && c->local_source != REC_LOCAL_UNKNOWN && c->local_size[d]
			? c->local_size[d]
			: 1;
		grid[d] = global / block[d] + (global % block[d] != 0);
	}
	return c->local_source != REC_LOCAL_UNKNOWN;
}
