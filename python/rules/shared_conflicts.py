"""Threads of a warp that want different words of one bank.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import number, see

CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_%s.sum"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_%s.sum"
LIMIT = 10.0        # percent


def get_identifier():
    return "SharedConflicts"


def get_name():
    return "Bank conflicts"


def get_description():
    return "Access to shared memory that takes several turns because threads want the same bank."


def get_section_identifier():
    return "MemoryWorkloadAnalysis"


def apply(handle):
    action, advice = see(handle)
    for op, word in (("ld", "Reads"), ("st", "Writes")):
        conflicts, wavefronts = number(action, CONFLICTS % op), number(action, WAVEFRONTS % op)
        if not conflicts or not wavefronts or 100.0 * conflicts / wavefronts < LIMIT:
            continue
        if conflicts > wavefronts:      # counted in different runs of the kernel: nothing is known of their share
            continue
        share = 100.0 * conflicts / wavefronts
        advice.say(
            "Bank conflicts", "%s of shared memory took %.0f turns, %.0f of them (%.0f %%) because threads of a warp wanted different "
            "words of one bank. Pad rows of a tile by one element, or exchange the indices." % (word, wavefronts, conflicts, share),
            CONFLICTS % op, ">= %g %% of the turns" % LIMIT, share, whole=False, cause="Bank conflicts: " + op)
