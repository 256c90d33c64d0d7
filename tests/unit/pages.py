"""tests/unit/pages.py - tables in the documents, for tests that hold a page to what it tells of

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""


def rows(text):
    """The cells of each row of the Markdown table in a text, without its head."""
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| ") and "---" not in line][1:]
