/* tests/e2e/stacks/archive.c - a call from a static library that may have no unwind tables: the site itself is known */
#include "sites.h"

/* the line of its call is no other source's */

static volatile int sink;

void in_archive(void)
{
	CALL; /* stack: in_archive */
	sink++;
}
