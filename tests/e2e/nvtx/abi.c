/*
 * tests/e2e/nvtx/abi.c - our definitions of NVTX's binary interface are those of the vendor's headers; compiling it is
 * the test
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvToolsExtOpenCL.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSync.h>

#include "collectors/nvtx/abi.h"
#include "trace/format/rec.h"

#define SAME(ours, our_member, theirs, their_member) \
	_Static_assert(offsetof(struct ours, our_member) == offsetof(theirs, their_member) && \
		       sizeof(((struct ours *)0)->our_member) == sizeof(((theirs *)0)->their_member), \
		       #ours "." #our_member)
#define SIZE(ours, theirs) _Static_assert(sizeof(struct ours) == sizeof(theirs), #ours)

SIZE(nvtx_event, nvtxEventAttributes_t);
SAME(nvtx_event, category, nvtxEventAttributes_t, category);
SAME(nvtx_event, color_type, nvtxEventAttributes_t, colorType);
SAME(nvtx_event, color, nvtxEventAttributes_t, color);
SAME(nvtx_event, payload_type, nvtxEventAttributes_t, payloadType);
SAME(nvtx_event, payload_count, nvtxEventAttributes_t, reserved0);
SAME(nvtx_event, payload, nvtxEventAttributes_t, payload);
SAME(nvtx_event, message_type, nvtxEventAttributes_t, messageType);
SAME(nvtx_event, message, nvtxEventAttributes_t, message);
SIZE(nvtx_resource, nvtxResourceAttributes_t);
SAME(nvtx_resource, type, nvtxResourceAttributes_t, identifierType);
SAME(nvtx_resource, identifier, nvtxResourceAttributes_t, identifier);
SAME(nvtx_resource, message, nvtxResourceAttributes_t, message);
SIZE(nvtx_sync_user, nvtxSyncUserAttributes_t);
SAME(nvtx_sync_user, message, nvtxSyncUserAttributes_t, message);
SIZE(nvtx_payload, nvtxPayloadData_t);
SAME(nvtx_payload, bytes, nvtxPayloadData_t, size);
SAME(nvtx_payload, data, nvtxPayloadData_t, payload);
SIZE(nvtx_schema, nvtxPayloadSchemaAttr_t);
SAME(nvtx_schema, name, nvtxPayloadSchemaAttr_t, name);
SAME(nvtx_schema, type, nvtxPayloadSchemaAttr_t, type);
SAME(nvtx_schema, entries, nvtxPayloadSchemaAttr_t, entries);
SAME(nvtx_schema, n_entries, nvtxPayloadSchemaAttr_t, numEntries);
SAME(nvtx_schema, static_bytes, nvtxPayloadSchemaAttr_t, payloadStaticSize);
SAME(nvtx_schema, alignment, nvtxPayloadSchemaAttr_t, packAlign);
SAME(nvtx_schema, id, nvtxPayloadSchemaAttr_t, schemaId);
SIZE(nvtx_schema_entry, nvtxPayloadSchemaEntry_t);
SAME(nvtx_schema_entry, name, nvtxPayloadSchemaEntry_t, name);
SAME(nvtx_schema_entry, detail, nvtxPayloadSchemaEntry_t, arrayOrUnionDetail);
SAME(nvtx_schema_entry, offset, nvtxPayloadSchemaEntry_t, offset);
SIZE(nvtx_enum, nvtxPayloadEnumAttr_t);
SAME(nvtx_enum, entries, nvtxPayloadEnumAttr_t, entries);
SAME(nvtx_enum, bytes, nvtxPayloadEnumAttr_t, sizeOfEnum);
SAME(nvtx_enum, id, nvtxPayloadEnumAttr_t, schemaId);
SIZE(nvtx_enum_entry, nvtxPayloadEnum_t);

_Static_assert((uint32_t)NVTX_PAYLOAD_TYPE_EXT == REC_NVTX_SCHEMA_DATA, "payload type of the extension");
_Static_assert(NVTX_ABI_ASCII == NVTX_MESSAGE_TYPE_ASCII && NVTX_ABI_WIDE == NVTX_MESSAGE_TYPE_UNICODE &&
	       NVTX_ABI_REGISTERED == NVTX_MESSAGE_TYPE_REGISTERED, "message types");
_Static_assert(NVTX_ABI_ARGB == NVTX_COLOR_ARGB && NVTX_ABI_NO_TRACKING == NVTX_NO_PUSH_POP_TRACKING,
	"color type, answer of push");
_Static_assert(NVTX_ABI_PAYLOAD_MODULE == NVTX_EXT_PAYLOAD_MODULEID &&
		NVTX_ABI_DYNAMIC_ID == NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START,
	"extension");
_Static_assert(NVTX_ABI_SCHEMA_ID == NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID &&
		NVTX_ABI_SCHEMA_BYTES == NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE &&
		NVTX_ABI_ENUM_ID == NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID,
	"fields");
_Static_assert(NVTX_RESOURCE_TYPE_CUDA_EVENT == (4 << 16 | 4) && NVTX_RESOURCE_TYPE_CUDART_EVENT == (5 << 16 | 2) &&
	       NVTX_RESOURCE_TYPE_OPENCL_EVENT == (6 << 16 | 7), "resource types");
