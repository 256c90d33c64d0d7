#!/usr/bin/env python3
"""tests/e2e/openmp_check.py DATABASE - the numbers of tests/e2e/openmp/constructs.c, and how its spans nest

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import sqlite3
import sys

import openmp_nesting

db = sqlite3.connect(sys.argv[1])
passed = failed = 0


def check(name, want, got):
    global passed, failed
    if want == got:
        passed += 1
    else:
        failed += 1
        print("FAIL: %s\n  expected: %r\n  got:      %r" % (name, want, got))


def one(sql):
    return db.execute(sql).fetchone()[0]


def of(table, where="1"):
    return one("SELECT count(*) FROM OPENMP_EVENT_KIND_%s WHERE %s" % (table, where))


check("threads", 2, of("THREAD"))
check("one of them is the program's own", 1, of("THREAD", "threadType = 1"))
check("parallel regions", 3, of("PARALLEL"))
check("implicit tasks", 6, of("TASK", "kind = 2"))
check("explicit tasks", 10, one("SELECT count(DISTINCT taskId) FROM OPENMP_EVENT_KIND_TASK WHERE kind = 4"))
check("tasks that were created, and by their number ran", 10,
      one("SELECT count(*) FROM OPENMP_EVENT_KIND_TASK_CREATE c WHERE newTaskId IN (SELECT taskId FROM OPENMP_EVENT_KIND_TASK WHERE kind = 4 AND correlationId = c.correlationId)"))
# A loop whose thread comes late to a dynamic one still has its row; sections and single are one row a thread.
check("loops with their count", 2, of("WORKSHARE", "kind IN (1, 10) AND count = 100"))
check("sections", 2, of("WORKSHARE", "kind = 2"))
check("single, executed once", 1, of("WORKSHARE", "kind = 3"))
check("critical sections", 2, of("CRITICAL_SECTION", "kind = 5"))
check("waits for them", 2, of("MUTEX_WAIT", "kind = 5"))
check("ordered regions", 6, of("CRITICAL_SECTION", "kind = 7"))
check("a lock", (2, 2, 2), (of("MUTEX_WAIT", "kind = 1"), of("CRITICAL_SECTION", "kind = 1"), of("MUTEX_RELEASED", "kind = 1")))
check("its life", (1, 1), (of("LOCK_INIT"), of("LOCK_DESTROY")))
check("explicit barriers", 2, of("SYNC_REGION", "kind = 3"))
check("taskwait and taskgroup", (1, 1), (of("SYNC_REGION", "kind = 5"), of("SYNC_REGION", "kind = 6")))
check("waits inside regions", of("SYNC_REGION"), of("SYNC_REGION_WAIT"))
check("master", 1, of("MASTER"))
check("flushes", 2, of("FLUSH"))
check("every cell that must be is filled", 0, of("TASK", "taskId < 1 OR globalTid IS NULL") + of("PARALLEL", "parallelId < 1"))
check("parallel regions of tasks exist", 0, of("TASK", "kind = 2 AND parallelId NOT IN (SELECT parallelId FROM OPENMP_EVENT_KIND_PARALLEL)"))
check("numbers are named", 0, one("SELECT count(*) FROM OPENMP_EVENT_KIND_SYNC_REGION WHERE kind NOT IN (SELECT id FROM ENUM_OPENMP_SYNC_REGION)") +
      one("SELECT count(*) FROM OPENMP_EVENT_KIND_WORKSHARE WHERE kind NOT IN (SELECT id FROM ENUM_OPENMP_WORK)"))

check("spans of a thread nest", 0, openmp_nesting.crossing(sys.argv[1]))
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
