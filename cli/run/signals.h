/*
 * cli/run/signals.h - what is sent to the launcher reaches the program, once, as if the launcher were the program
 *
 * SIGNALS1  The program starts with the dispositions and the mask that gputap was given, whatever the launcher did to
 *           its own.
 * SIGNALS2  From before the program is made until it has ended the launcher blocks every signal: none kills it, stops
 *           it or is ignored, and each is taken where the launcher waits. What the launcher was told to ignore counts
 *           too, because the program may not ignore it.
 * SIGNALS3  A signal to the process group has reached the program already. It has reached the sentinel as well, and
 *           nothing but a signal to the group does (cli/run/sentinel.c): so the two can be told apart, although the
 *           kernel tells the launcher the same of both.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_RUN_SIGNALS_H
#define GPUTAP_CLI_RUN_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct gt_run;

/* First of all: remembers what gputap was given, then sets what every command needs. */
void gt_signals_begin(void);
/* In a child, before it becomes another program (SIGNALS1). */
void gt_signals_give(void);

/* Before the child is made (SIGNALS2, SIGNALS3). */
void gt_signals_hold(void);
/* Readable when a signal has come; -1: none here, look now and then. */
int gt_signals_descriptor(void);
/* Passes on what has come. True: SIGCHLD was among it. */
bool gt_signals_pass(const struct gt_run *run);
bool gt_signals_is_pending(int number);
/* While signals are held: stops the launcher as it does, until it is continued; returns where it may not be. */
void gt_signals_stop_by(int number);
/* Ends the process as this signal does; returns where that does not end one. */
void gt_signals_die_by(int number);
/* The program has ended: what was sent to it meanwhile went with it. From now on a stray one does no harm. */
void gt_signals_release(void);

/* sentinel.c */
struct gt_signals_list { siginfo_t *v; unsigned n, room; };
bool gt_signals_add(struct gt_signals_list *list, const siginfo_t *info);       /* false: no memory */
void gt_signals_take_pending(struct gt_signals_list *list);                     /* all that is pending here, in order */
void gt_signals_wait_for_senders(void);
bool gt_sentinel_begin(void);
/* Adds what the group was sent since the last time. False: there is no sentinel any more. */
bool gt_sentinel_ask(struct gt_signals_list *list);
void gt_sentinel_end(void);

#endif
