/*
 * tests/unit/optioncases.h - values of options and what launcher and shim must both read in them
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_UNIT_OPTIONCASES_H
#define GPUTAP_TESTS_UNIT_OPTIONCASES_H

/* normal: NULL where the value is refused (the shim keeps the default then). */
static const struct option_case {
	const char *name, *text, *normal;
} option_cases[] = {
	/* sizes: a suffix of the launcher's that the shim read as bytes; what the shim read and the launcher refused */
	{ "max-size", "0", "0" },
	{ "max-size", "4096", "4096" },
	{ "max-size", "500M", "524288000" },
	{ "max-size", "1k", "1024" },
	{ "max-size", "1K", "1024" },
	{ "max-size", "2m", "2097152" },
	{ "max-size", "3g", "3221225472" },
	{ "max-size", "1T", "1099511627776" },
	{ "max-size", "1t", "1099511627776" },
	{ "max-size", "1X", NULL },
	{ "max-size", "1MB", NULL },
	{ "max-size", "M", NULL },
	{ "max-size", "-1", NULL },
	{ "max-size", " 1", NULL },
	{ "max-size", "0x10", NULL },
	{ "max-size", "1.5M", NULL },
	{ "max-size", "18446744073709551615", "18446744073709551615" },
	{ "max-size", "18446744073709551616", NULL },
	{ "max-size", "16777215T", "18446742974197923840" },
	{ "max-size", "16777216T", NULL },
	{ "cuda-buffer-size", "8M", "8388608" },
	{ "cuda-buffer-size", "1T", "1099511627776" },
	/* numbers */
	{ "max-pending", "7", "7" },
	{ "max-pending", "007", "7" },
	{ "max-pending", "7k", NULL },
	{ "max-pending", "x", NULL },
	{ "cuda-flush", "0", "0" },
	{ "cuda-flush", "10ms", NULL },
	/* times: a unit but for 0, fractions, what strtod takes, what the shim took for seconds or milliseconds */
	{ "stop-after", "3", NULL },
	{ "stop-after", "3ns", "3ns" },
	{ "stop-after", "10us", "10000ns" },
	{ "stop-after", "20ms", "20000000ns" },
	{ "stop-after", "1.5s", "1500000000ns" },
	{ "stop-after", ".5s", "500000000ns" },
	{ "stop-after", "1.s", "1000000000ns" },
	{ "stop-after", "2min", "120000000000ns" },
	{ "stop-after", "1h", "3600000000000ns" },
	{ "stop-after", "0.5h", "1800000000000ns" },
	{ "stop-after", "1.5", NULL },
	{ "stop-after", "1.4", NULL },
	{ "stop-after", "0.0000000015s", "2ns" },
	{ "stop-after", "0.00000000149s", "1ns" },
	{ "stop-after", "1m", NULL },
	{ "stop-after", "1x", NULL },
	{ "stop-after", "1e3us", NULL },
	{ "stop-after", "0x10", NULL },
	{ "stop-after", "-1s", NULL },
	{ "stop-after", "inf", NULL },
	{ "stop-after", ".", NULL },
	{ "stop-after", "s", NULL },
	{ "stop-after", "1 s", NULL },
	{ "stop-after", "9223372036s", "9223372036000000000ns" },
	{ "stop-after", "9223372037s", NULL },
	{ "start-after", "1h", "3600000000000ns" },
	/* truth */
	{ "ring", "true", "true" },
	{ "ring", "1", "true" },
	{ "ring", "yes", "true" },
	{ "ring", "on", "true" },
	{ "ring", "false", "false" },
	{ "ring", "0", "false" },
	{ "ring", "no", "false" },
	{ "ring", "off", "false" },
	{ "ring", "maybe", NULL },
	{ "ring", "True", NULL },
	{ "ring", "true ", NULL },
	{ "device-times", "0", "false" },
	{ "device-times", "nope", NULL },
	/* one word of a few: no part of one, no two, none that begins so */
	{ "cuda-api", "runtime", "runtime" },
	{ "cuda-api", " all", NULL },
	{ "cuda-api", "all ", NULL },
	{ "cuda-api", "all runtime", NULL },
	{ "cuda-api", "run", NULL },
	{ "cuda-api", "runtimes", NULL },
	{ "cuda-api", "|", NULL },
	{ "cuda-graph-trace", "node", "node" },
	{ "cuda-graph-trace", "nodes", NULL },
	{ "audit", "maybe", NULL },
	{ "sqlite-schema", "2022", NULL },
	{ "sqlite-schema", "2021", "2021" },
	{ "lazy", "true", "true" },
	{ "lazy", "1", NULL },
	{ "atp-version", "3", NULL },
	/* lists */
	{ "trace", "cuda", "cuda" },
	{ "trace", "opencl,nvtx", "opencl,nvtx" },
	{ "trace", "opencl nvtx", "opencl,nvtx" },
	{ "trace", ",opencl,,nvtx,", "opencl,nvtx" },
	{ "trace", "opencl,cudax", NULL },
	{ "trace", "opencl,cud", NULL },
	{ "trace", "none", "none" },
	{ "trace", "opencl|cuda", NULL },
	{ "export", "atp,sqlite", "atp,sqlite" },
	{ "export", "atp,sqlit", NULL },
	{ "debug", "stream,chunk", "stream,chunk" },
	{ "debug", "streams", NULL },
	{ "cuda-filter", "*Launch*,!cudaMemcpy*", "*Launch*,!cudaMemcpy*" },
	{ "env", "A,B", "A,B" },
	/* texts stay as they are */
	{ "output", "a b,%n", "a b,%n" },
	{ "cupti", "/x,y", "/x,y" },
};
#define OPTION_CASES (sizeof option_cases / sizeof *option_cases)

#endif
