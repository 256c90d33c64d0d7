/*
 * tests/e2e/nvtx/extensions.c - NVTX's extensions that nobody records: counters, memory, time, scopes, synchronisation
 *
 * Prints what the calls return; under the tool that must be what it is without one, but for ids that a tool gives out.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtMem.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSync.h>
#include <stdio.h>

int main(void)
{
	nvtxDomainHandle_t domain = nvtxDomainCreateA("extensions");
	nvtxCounterAttr_t counter = {
		.structSize = sizeof counter, .schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64, .name = "bytes"
	};
	nvtxMemVirtualRangeDesc_t range = { .size = sizeof counter, .ptr = &counter };
	nvtxMemHeapDesc_t heap = { .extCompatID = NVTX_EXT_COMPATID_MEM,
		.structSize = sizeof heap,
		.usage = NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR,
		.type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS,
		.typeSpecificDescSize = sizeof range,
		.typeSpecificDesc = &range };
	nvtxScopeAttr_t scope = { .structSize = sizeof scope, .path = "rank 0" };
	nvtxSyncUserAttributes_t lock = { .version = NVTX_VERSION,
		.size = NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE,
		.messageType = NVTX_MESSAGE_TYPE_ASCII };
	uint64_t id = nvtxCounterRegister(domain, &counter);

	nvtxCounterSampleInt64(domain, id, 5);
	nvtxCounterSampleFloat64(domain, id, 0.5);
	nvtxCounterSample(domain, id, &id, sizeof id);
	nvtxCounterSampleNoValue(domain, id, NVTX_COUNTER_SAMPLE_ZERO);
	nvtxMemHeapHandle_t h = nvtxMemHeapRegister(domain, &heap);

	nvtxMemHeapReset(domain, h);
	nvtxMemHeapUnregister(domain, h);
	lock.message.ascii = "lock";
	nvtxSyncUser_t user = nvtxDomainSyncUserCreate(domain, &lock);

	nvtxDomainSyncUserAcquireStart(user);
	nvtxDomainSyncUserAcquireSuccess(user);
	nvtxDomainSyncUserReleasing(user);
	nvtxDomainSyncUserDestroy(user);
	printf("counter %llu heap %d scope %llu time %lld\n", (unsigned long long)id, h != NULL,
		(unsigned long long)nvtxScopeRegister(domain, &scope), (long long)nvtxTimestampGet());
	nvtxRangePushA("after");
	nvtxRangePop();
	return 0;
}
