"""Reports of kernel metrics (.ncu-rep) in Python: the package behind ``ncu_report`` and ``NvRules``.

Pure Python, standard library alone. ``wire`` decodes protocol buffers, ``schema`` names their fields, ``file`` reads
and writes blocks, ``model`` and ``nvtx`` are the classes that scripts see, ``rules`` runs rule files.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
