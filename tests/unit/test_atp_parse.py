"""The strict .atp parser accepts the golden files and refuses each fault that a reader of the format would stumble over.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import sys
import unittest

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden")
sys.path.insert(0, GOLDEN)
sys.dont_write_bytecode = True
import atp_parse  # noqa: E402


def golden(case):
    with open(os.path.join(GOLDEN, "atp", case, "expect.atp"), encoding="utf-8", errors="surrogateescape", newline="") as f:
        return f.read()


class Faults(unittest.TestCase):
    def refuse(self, case, old, new, count=1):
        text = golden(case)
        self.assertIn(old, text)
        atp_parse.parse(text)
        with self.assertRaises((atp_parse.Fault, ValueError)):
            atp_parse.parse(text.replace(old, new, count))

    def test_counts_are_read(self):
        counts = atp_parse.parse(golden("two_queues"))
        self.assertEqual((counts["calls"], counts["commands"], counts["kernels"]), (11, 4, 4))
        self.assertEqual(atp_parse.parse(golden("hsa"))["hsa_kernels"], 2)

    def test_title_with_six_signs(self):
        self.refuse("threads", "=====ocl API Trace Output=====", "======ocl API Trace Output=====")

    def test_blank_line_behind_title(self):
        self.refuse("threads", "=====ocl Timestamp Output=====\n", "=====ocl Timestamp Output=====\n\n")

    def test_count_too_small(self):
        self.refuse("threads", "\n4712\n2\n", "\n4712\n1\n")

    def test_threads_out_of_order(self):
        self.refuse("threads", "\n4712\n", "\n9900\n", 2)

    def test_names_that_differ_between_sections(self):
        self.refuse("threads", "= clFlush (", "= clFinish (")

    def test_no_blank_before_parenthesis(self):
        self.refuse("threads", "clFlush ( ", "clFlush( ")

    def test_parameter_without_a_shape(self):
        self.refuse("threads", "( 0x55 )", "( 0x5z )")

    def test_handle_in_lower_case(self):
        self.refuse("two_queues", "( 0x5500BB00;", "( 0x5500bb00;")

    def test_number_of_another_function(self):
        self.refuse("threads", "\n50   clFlush", "\n51   clFlush")

    def test_glued_fields(self):
        self.refuse("large", "thirty_bytes 0x", "thirty_bytes0x")

    def test_blank_in_device_name(self):
        self.refuse("two_queues", "Golden_GPU_9  ", "Golden GPU_9  ")

    def test_width_that_differs(self):
        self.refuse("two_queues", "4592    CL", "4592   CL")

    def test_submit_before_queued(self):
        self.refuse("two_queues", "6000007200           6000007300", "6000007300           6000007200")

    def test_end_before_start(self):
        self.refuse("two_queues", "6000017000           6000017500", "6000017500           6000017000")

    def test_command_of_another_function(self):
        self.refuse("transfers", "4596    CL_COMMAND_WRITE_BUFFER ", "4595    CL_COMMAND_READ_BUFFER  ")

    def test_transfer_without_size(self):
        self.refuse("transfers", "Golden_GPU_9                  4096                ", "Golden_GPU_9                  ")

    def test_enqueues_that_the_reader_does_not_know(self):
        """Of an extension's enqueue the file has the device times, and the profiler's reader shows zeros: the page says so."""
        lines = [line for line in golden("transfers").splitlines() if re.match(r"[0-9]+ +clEnqueue", line) and len(line.split()) > 4]
        self.assertGreater(len(lines), 10)
        for line in lines:
            tokens, read = line.split(), atp_parse.as_read(line)
            self.assertEqual(read["host"], (int(tokens[2]), int(tokens[3])))
            known = tokens[1] != "clEnqueueMemcpyINTEL"
            self.assertGreater(int(tokens[8]), 0)
            self.assertEqual(read["device"], tuple(int(t) for t in tokens[6:10]) if known else (0, 0, 0, 0), line)
        self.assertTrue(any("clEnqueueMemcpyINTEL" in line for line in lines))
        with open(os.path.join(GOLDEN, "..", "..", "docs", "atp.md"), encoding="utf-8") as f:
            page = f.read()
        self.assertRegex(page, r"%d for functions they do not know" % atp_parse.UNKNOWN)
        self.assertRegex(page, r"shows the host times alone, and zeros for the device part")

    def test_sources_stand_behind_their_calls(self):
        text = golden("two_queues")
        api = text.split("=====ocl API Trace Output=====\n")[1].split("=====ocl Timestamp Output=====")[0]
        lines = [re.sub(r".* = (\w+) \(.*", r"\1\tmain\t7\tmain.c", line) for line in api.splitlines()]
        good = text + "\n".join(["=====ocl Stack Trace Output====="] + lines) + "\n"
        self.assertEqual(atp_parse.parse(good), atp_parse.parse(text))
        for old, new in ((r"\tmain\t7\tmain.c", "\t0x5500A000+0x1A2B"), (r"\tmain\t7\tmain.c", "\tNA\t0")):
            atp_parse.parse(re.sub(old, new, good))
        for old, new in ((r"\n\w+\tmain\t7", "\nclFlush\tmain\t7"), (r"\t7\tmain.c", ""), (r"\tmain\t", "\ta main\t"),
                         (r"\tmain\t7\tmain.c", "\tNA\t7"), (r"\tmain\t7\tmain.c", "\t0x5500A000+0x1A2B\t7"), ("ocl Stack", "hsa Stack")):
            with self.subTest(new=new), self.assertRaises(atp_parse.Fault):
                atp_parse.parse(re.sub(old, new, good, count=1))

    def test_time_with_a_fraction(self):
        self.refuse("threads", "6000001000 ", "6000001.00 ")

    def test_section_without_blocks(self):
        with self.assertRaises(atp_parse.Fault):
            atp_parse.parse("TraceFileVersion=3.2\n=====ocl API Trace Output=====\n=====ocl Timestamp Output=====\n")

    def test_hsa_kernel_with_a_blank_in_its_name(self):
        self.refuse("hsa", "void&nbsp;scale", "void scale")

    def test_hsa_kernel_without_a_handle(self):
        self.refuse("cuda_odd_hsa", "0x0   ", "NULL  ")

    def test_hsa_kernel_without_a_queue_handle(self):
        text = re.sub(r"0x[0-9A-F]+ *$", lambda m: "NULL".ljust(len(m.group(0))), golden("hsa_eight"), count=1, flags=re.M)
        self.assertNotEqual(text, golden("hsa_eight"))
        with self.assertRaises(atp_parse.Fault):
            atp_parse.parse(text)

    def test_marker_with_a_blank_in_its_name(self):
        self.refuse("markers", "frame&nbsp;1     ", "frame 1          ")

    def test_marker_without_a_group(self):
        self.refuse("markers", "             Default\n", "             \n")

    def test_marker_end_without_a_begin(self):
        self.refuse("markers", "clBeginPerfMarker   worker                                            6000001500             Default\n",
                    "clEndPerfMarker     6000001500          \n")

    def test_marker_out_of_order(self):
        self.refuse("markers", "6000001100 ", "6000000100 ")

    def test_marker_width_that_differs(self):
        self.refuse("markers", "clBeginPerfMarker   here ", "clBeginPerfMarker    here")

    def test_named_end_of_the_innermost(self):
        self.refuse("markers", "clEndPerfMarker     6000002800          ",
                    "clEndPerfMarkerEx   6000002800          draw                                                 Default")

    def test_cuda_counts_are_read(self):
        counts = atp_parse.parse(golden("cuda_odd"))
        self.assertEqual((counts["cuda_calls"], counts["cuda_commands"], counts["cuda_kernels"]), (4, 16, 12))
        counts = atp_parse.parse(golden("cuda_odd_hsa"))
        self.assertEqual((counts["cuda_calls"], counts["cuda_commands"], counts["hsa_kernels"]), (4, 0, 12))

    def test_cuda_in_the_opencl_sections(self):
        with self.assertRaises(atp_parse.Fault):
            atp_parse.parse(golden("cuda_markers").replace("=====cuda ", "=====ocl "))

    def test_cuda_result_of_the_other_api(self):
        self.refuse("cuda_args", "cudaSuccess = cudaMalloc", "CUDA_SUCCESS = cudaMalloc")

    def test_cuda_number_of_the_other_api(self):
        self.refuse("cuda_args", "8197 cuDeviceGetName", "4101 cuDeviceGetName")

    def test_cuda_command_with_another_number(self):
        self.refuse("cuda_markers", "4592    CUDA_KERNEL", "4595    CUDA_KERNEL")

    def test_cuda_part_cut_short(self):
        self.refuse("cuda_odd", "5000000000          Unknown             Unknown             \n", "5000000000          Unknown             \n")

    def test_cuda_parts_out_of_order(self):
        self.refuse("cuda_odd", "6000030200           6000030250", "6000030000           6000030250")

    def test_cuda_commands_miscounted(self):
        self.refuse("cuda_odd", "Command Timestamp Output=====\n5\n", "Command Timestamp Output=====\n4\n")


if __name__ == "__main__":
    unittest.main()
