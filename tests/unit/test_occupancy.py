"""analysis/metrics/occupancy.c beside the vendor's calculator, cuda_occupancy.h, where a CUDA toolkit is installed

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import glob
import os
import re
import subprocess
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHAPES = 100000
NEWEST = 13050          # CUDART_VERSION of the header whose answers are kept
OLDEST = 13000          # ... of the first that knows every limit
LEFT_OUT = 4000         # of so many shapes, at most, are the devices that an older header has otherwise


def header_folder():
    """Where cuda_occupancy.h lies; None: it is not installed."""
    roots = [os.environ.get('CUDA_HOME', '')] + sorted(glob.glob('/usr/local/cuda*')) + ['/usr/local', '/usr']
    for root in filter(None, roots):
        if os.path.exists(os.path.join(root, 'include', 'cuda_occupancy.h')):
            return os.path.join(root, 'include')
    return None


def version_of(include):
    """CUDART_VERSION of the toolkit; 0: it does not say."""
    try:
        with open(os.path.join(include, 'cuda_runtime_api.h'), encoding='utf-8', errors='replace') as f:
            return next((int(line.split()[2]) for line in f if line.startswith('#define CUDART_VERSION')), 0)
    except OSError:
        return 0


class Occupancy(unittest.TestCase):
    def setUp(self):
        include = header_folder()
        if not include:
            self.skipTest('cuda_occupancy.h is not installed')
        self.version = version_of(include)
        if self.version < OLDEST:
            self.skipTest('%s/cuda_occupancy.h is of CUDA %d.%d; %d.0 is the first that knows every limit' % (
                include, self.version // 1000, self.version % 1000 // 10, OLDEST // 1000))
        self.scratch = tempfile.TemporaryDirectory()
        self.oracle = os.path.join(self.scratch.name, 'oracle')
        subprocess.run([os.environ.get('CC', 'gcc'), '-std=gnu11', '-O1', '-w', '-DHEADER=%d' % self.version, '-I', TOP, '-isystem', include, '-o', self.oracle,
                        os.path.join(TOP, 'tests/unit/occupancy_oracle.c'), os.path.join(TOP, 'analysis/metrics/occupancy.c')], check=True)

    def tearDown(self):
        if header_folder():
            self.scratch.cleanup()

    def test_every_launch_fits_as_often_as_the_vendor_says(self):
        done = subprocess.run([self.oracle, 'compare', str(SHAPES)], stdout=subprocess.PIPE, text=True)
        last = re.match(r'(\d+) shapes, (\d+) answered, (\d+) left out, (\d+) differ$', done.stdout.splitlines()[-1])
        shapes, answered, left_out, differ = map(int, last.groups())
        self.assertEqual((shapes, answered, differ), (SHAPES, SHAPES, 0), done.stdout)
        self.assertTrue(left_out == 0 if self.version >= NEWEST else 0 < left_out <= LEFT_OUT, done.stdout)

    def test_kept_answers_are_those_of_this_header(self):
        with open(os.path.join(TOP, 'tests/unit/occupancy_shapes.txt'), encoding='ascii') as f:
            kept = f.read()
        answers = subprocess.run([self.oracle, 'answers', '2000'], stdout=subprocess.PIPE, text=True, check=True).stdout
        # An older header knows the newest devices not, or otherwise.
        differ = [i for i, (a, b) in enumerate(zip(kept.splitlines(), answers.splitlines())) if a != b and b != '-']
        self.assertEqual(differ, [])
        self.assertEqual(len(answers.splitlines()), 2000)


if __name__ == '__main__':
    unittest.main()
