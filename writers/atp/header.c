/*
 * writers/atp/header.c - the lines in front of the first section of an .atp file
 *
 * "Key=value"; a line never starts with '=' and never breaks.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/atp/atp.h"

#define QUERY_DRIVER_VERSION 0x102D
#define QUERY_DEVICE_VERSION 0x102F
#define QUERY_ADDRESS_BITS 0x100D
#define QUERY_BOARD_NAME_AMD 0x4038
#define QUERY_PCIE_ID_AMD 0x4034
#define QUERY_PLATFORM_VERSION 0x0901
#define QUERY_PLATFORM_NAME 0x0902
#define QUERY_PLATFORM_VENDOR 0x0903

static void put_value(struct gt_text *t, const char *s, size_t n)
{
	gt_atp_replaced(t, s, strnlen(s, n), " ", " ");
}

static void put_line(struct gt_text *t, const char *key, const char *value)
{
	gt_text_str(t, key);
	gt_text_char(t, '=');
	if (value)
		put_value(t, value, strlen(value));
	gt_text_char(t, '\n');
}

static void put_args(struct gt_text *t, const struct gt_process *p)
{
	gt_text_lit(t, "ApplicationArgs=");
	for (size_t i = 1; i < p->n_args; i++) {
		if (i > 1)
			gt_text_char(t, ' ');
		put_value(t, p->args[i], strlen(p->args[i]));
	}
	gt_text_char(t, '\n');
}

static void put_session_name(struct gt_text *t, const struct gt_export *x)
{
	struct gt_string name = gt_output_session_name(x);

	gt_text_lit(t, "DisplayName=");
	put_value(t, name.text, name.bytes);
	gt_text_char(t, '\n');
}

static void put_device_key(struct gt_text *t, const struct gt_object *device, const char *key)
{
	gt_text_lit(t, "Device ");
	for (size_t i = 0, n; i < device->name.bytes; i += n) { /* the key ends at the first '=' */
		const char *s = device->name.text + i, *equals = memchr(s, '=', device->name.bytes - i);

		n = equals ? (size_t)(equals - s) : device->name.bytes - i;
		gt_atp_replaced(t, s, n, "\n\r", "_");
		if (equals) {
			gt_text_char(t, '_');
			n++;
		}
	}
	gt_text_char(t, ' ');
	gt_text_str(t, key);
	gt_text_lit(t, " = ");
}

static void put_device_text(
	struct gt_text *t, const struct gt_object *device, const char *key, const struct gt_object *of, uint32_t query)
{
	const struct gt_attr *a = of ? gt_object_attr(of, query) : NULL;

	if (!a)
		return;
	put_device_key(t, device, key);
	put_value(t, a->value, a->bytes);
	gt_text_char(t, '\n');
}

static void put_device_number(
	struct gt_text *t, const struct gt_object *device, const char *key, uint32_t query, bool also_zero)
{
	const struct gt_attr *a = gt_object_attr(device, query);
	uint32_t v = 0;

	if (!a || a->bytes < sizeof(v))
		return;
	memcpy(&v, a->value, sizeof(v));
	if (!v && !also_zero)
		return;
	put_device_key(t, device, key);
	gt_text_u64(t, v);
	gt_text_char(t, '\n');
}

static void put_device(struct gt_text *t, const struct gt_object *d)
{
	put_device_text(t, d, "Platform Vendor", d->platform, QUERY_PLATFORM_VENDOR);
	put_device_text(t, d, "Platform Name", d->platform, QUERY_PLATFORM_NAME);
	put_device_text(t, d, "Platform Version", d->platform, QUERY_PLATFORM_VERSION);
	put_device_text(t, d, "CLDriver Version", d, QUERY_DRIVER_VERSION);
	put_device_text(t, d, "CLRuntime Version", d, QUERY_DEVICE_VERSION);
	put_device_number(t, d, "NumberAppAddressBits", QUERY_ADDRESS_BITS, true);
	put_device_text(t, d, "Board Name", d, QUERY_BOARD_NAME_AMD);
	put_device_number(t, d, "PCIE device id", QUERY_PCIE_ID_AMD, false);
}

static bool same_name(const struct gt_object *a, const struct gt_object *b)
{
	return gt_same_text(a->name, b->name);
}

/* Two devices of one name share their keys: readers keep the last of equal keys, so they stand there once. */
static void put_devices(struct gt_text *t, struct gt_model *m, uint32_t process)
{
	uint32_t n = gt_model_object_count(m);

	for (uint32_t i = 0; i < n; i++) {
		const struct gt_object *d = gt_model_object(m, i);
		bool seen = d->kind != REC_OBJECT_DEVICE || d->process != process || !d->name.bytes;

		for (uint32_t k = 0; k < i && !seen; k++) {
			const struct gt_object *other = gt_model_object(m, k);

			seen = other->kind == REC_OBJECT_DEVICE && other->process == process && same_name(d, other);
		}
		if (!seen)
			put_device(t, d);
	}
}

/* CUDA numbers its versions 1000 * major + 10 * minor. */
static void put_cuda(struct gt_text *t, const struct gt_cuda_library *l)
{
	gt_text_lit(t, "CUDADriverVersion=");
	gt_text_u64(t, l->driver_version / 1000);
	gt_text_char(t, '.');
	gt_text_u64(t, l->driver_version % 1000 / 10);
	gt_text_lit(t, "\nCUPTIVersion=");
	gt_text_u64(t, l->cupti_version);
	gt_text_char(t, '\n');
	if (l->flags & REC_CUPTI_STAND_IN)
		put_line(t, "CUDAStandIn", "True");
}

void gt_atp_header(
	struct gt_text *t, const struct gt_export *x, bool opencl, bool hsa, const struct gt_cuda *cuda, uint64_t moved)
{
	const struct gt_cuda_library *library = gt_cuda_library(cuda, x->process->index);
	const struct gt_process *p = x->process;
	char complete[1024];

	put_line(t, "TraceFileVersion", "3.2");
	put_line(t, "ProfilerVersion", "5.6.0");
	put_line(t, "Application", p->image);
	put_args(t, p);
	put_line(t, "WorkingDirectory", p->cwd);
	if (p->n_env)
		put_line(t, "FullEnvironment", "0");
	for (size_t i = 0; i < p->n_env; i++)
		put_line(t, "EnvVar", p->env[i]);
	put_line(t, "UserTimer", "False");
	put_line(t, "OS Version", p->os);
	put_session_name(t, x);
	put_line(t, "Ledger", gt_model_complete_text(x->model, complete, sizeof(complete)));
	if (moved) {
		gt_text_lit(t, "TimesMoved=");
		gt_text_u64(t, moved);
		gt_text_char(t, '\n');
	}
	if (opencl) {
		put_line(t, "CLExcludedAPIs", "");
		put_devices(t, x->model, p->index);
	}
	if (hsa)
		put_line(t, "HSAExcludedAPIs", "");
	if (library)
		put_cuda(t, library);
}
