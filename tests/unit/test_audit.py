#!/usr/bin/env python3
"""tests/unit/test_audit.py - the audit module's answers to the dynamic linker

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import os
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("GPUTAP_BUILD", os.path.join(TOP, "build"))


class Version(unittest.TestCase):
    def test_an_older_dynamic_linker_is_answered_with_its_own_version(self):
        audit = ctypes.CDLL(os.path.join(BUILD, "libgputap-audit.so"))
        self.assertEqual(audit.la_version(1), 1)

    def test_a_newer_dynamic_linker_is_answered_with_the_version_that_we_know(self):
        audit = ctypes.CDLL(os.path.join(BUILD, "libgputap-audit.so"))
        self.assertIn(audit.la_version(1000), (1, 2))


if __name__ == "__main__":
    unittest.main()
