"""docs/codexl.md lists every metric that the files hold, with the words of the program

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENTRY = re.compile(r'\{ "([\w.]+)",\s*"([^"]*)",\s*((?:"[^"]*"\s*)+),\s*[IDT],')


def text_of(path):
    with open(os.path.join(TOP, path), encoding='utf-8') as f:
        return f.read()


class Metrics(unittest.TestCase):
    def test_every_metric_has_its_line(self):
        rows = []
        for path in ('analysis/metrics/opencl.c', 'analysis/metrics/cpu.c', 'analysis/metrics/launch.c'):
            table = text_of(path).split('static const struct gt_metric metrics[]')[1]
            entries = ENTRY.findall(table)
            self.assertEqual(len(entries), len(re.findall(r'^\t\{ "', table, re.M)), path)
            rows += ['| `%s` | %s | %s |' % (name, unit, ''.join(re.findall(r'"([^"]*)"', words))) for name, unit, words in entries]
        listed = re.findall(r'^\| `\w+__.*', text_of('docs/codexl.md'), re.M)
        self.assertEqual(listed, rows)


if __name__ == '__main__':
    unittest.main()
