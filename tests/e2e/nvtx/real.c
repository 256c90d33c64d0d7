/*
 * tests/e2e/nvtx/real.c - uses NVTX through the vendor's own headers, each kind of call once
 *
 * "real bench N" measures pairs of push and pop. The test's expectations: nvtx.sh, nvtx_check.py.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvToolsExtOpenCL.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static nvtxDomainHandle_t domain;
static nvtxStringHandle_t string;
static nvtxRangeId_t across;

static nvtxEventAttributes_t attributes(void)
{
	nvtxEventAttributes_t a;

	memset(&a, 0, sizeof a);
	a.version = NVTX_VERSION;
	a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	return a;
}

static void payload(int type, uint64_t bits, const char *text)
{
	nvtxEventAttributes_t a = attributes();

	a.messageType = NVTX_MESSAGE_TYPE_ASCII;
	a.message.ascii = text;
	a.payloadType = type;
	a.payload.ullValue = bits;
	nvtxMarkEx(&a);
}

static void payloads(void)
{
	double d = 1.5;
	float f = -2.25f;
	uint64_t bits;
	uint32_t low;

	payload(NVTX_PAYLOAD_TYPE_UNSIGNED_INT64, UINT64_MAX, "u64");
	payload(NVTX_PAYLOAD_TYPE_INT64, (uint64_t)-5, "i64");
	memcpy(&bits, &d, sizeof bits);
	payload(NVTX_PAYLOAD_TYPE_DOUBLE, bits, "double");
	payload(NVTX_PAYLOAD_TYPE_UNSIGNED_INT32, 4000000000u, "u32");
	payload(NVTX_PAYLOAD_TYPE_INT32, (uint32_t)-7, "i32");
	memcpy(&low, &f, sizeof low);
	payload(NVTX_PAYLOAD_TYPE_FLOAT, low, "float");
}

static void *other_thread(void *unused)
{
	nvtxRangePushA("on the other thread");
	nvtxRangeEnd(across);
	nvtxRangePop();
	return unused;
}

static void schema(void)
{
	struct transfer { uint64_t bytes; float rate; } t = { 4096, 2.5f };
	nvtxPayloadSchemaEntry_t entries[] = { { 0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "bytes", NULL, 0, 0, NULL, NULL },
	                                       { 0, NVTX_PAYLOAD_ENTRY_TYPE_FLOAT, "rate", NULL, 0, 8, NULL, NULL } };
	nvtxPayloadSchemaAttr_t s;
	nvtxPayloadData_t data = { 0, sizeof t, &t };

	memset(&s, 0, sizeof s);
	s.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
		NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
		NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
	s.name = "transfer";
	s.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
	s.entries = entries;
	s.numEntries = 2;
	s.payloadStaticSize = sizeof t;
	data.schemaId = nvtxPayloadSchemaRegister(domain, &s);
	nvtxRangePushPayload(domain, &data, 1);
	nvtxRangePopPayload(domain, &data, 1);
	if (!nvtxDomainIsEnabled(domain))
		puts("domain is not enabled");
}

static void in_domain(void)
{
	nvtxEventAttributes_t a = attributes();

	domain = nvtxDomainCreateA("my.domain");
	string = nvtxDomainRegisterStringA(domain, "registered");
	nvtxDomainNameCategoryA(domain, 7, "io");
	a.category = 7;
	a.colorType = NVTX_COLOR_ARGB;
	a.color = 0xff00ff00;
	a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	a.message.registered = string;
	nvtxDomainRangePushEx(domain, &a);
	nvtxDomainRangePop(domain);
	nvtxDomainMarkEx(domain, &a);
	nvtxDomainRangeEnd(domain, nvtxDomainRangeStartEx(domain, &a));
}

static void bench(long n)
{
	struct timespec a, b;

	nvtxRangePushA("warm");
	nvtxRangePop();
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (long i = 0; i < n; i++) {
		nvtxRangePushA("step");
		nvtxRangePop();
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%.1f ns a pair\n", ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / (double)n);
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc > 2)
		return bench(atol(argv[2])), 0;
	nvtxRangePushA("outer");
	nvtxMarkA("mark");
	nvtxRangePushW(L"br\u00e9ite \U0001f680");
	nvtxRangePop();
	nvtxRangePop();
	across = nvtxRangeStartA("across threads");
	pthread_create(&t, NULL, other_thread, NULL);
	pthread_join(t, NULL);
	nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "the main one");
	nvtxNameCategoryA(3, "third");
	nvtxNameCudaStreamA((cudaStream_t)0x1234, "copies");
	nvtxNameClContextA((cl_context)0x5678, "my context");
	payloads();
	in_domain();
	schema();
	nvtxDomainDestroy(domain);
	if (!fork()) {
		nvtxEventAttributes_t a = attributes();

		a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
		a.message.registered = string;
		nvtxDomainMarkEx(domain, &a);
		exit(0);
	}
	wait(NULL);
	nvtxRangeStartA("never ended");
	nvtxRangePushA("never popped");
	return 0;
}
