/* tests/e2e/stacks/plugin.c - a call from a library that is loaded late */
#include "sites.h"

static volatile int sink;

static __attribute__((noinline)) void below(void)
{
	CALL; /* stack: below < in_plugin < main */
	sink++;
}

void in_plugin(void)
{
	below();
	sink++;
}
