#!/usr/bin/env python3
"""tests/golden/atp_parse.py FILE... - read .atp files as strictly as their oldest readers, and more so

An oracle for the writer that shares no code with it. What it accepts, the profiler's own parser accepts: titles byte by
byte, the Timestamp section right behind the API one, counted blocks, equal names by index, tokens by command type,
QUEUED <= SUBMIT <= START <= END, a blank between any two fields. Beyond that it builds each line again from its
fields with the widths of the format and compares bytes. Prints one line of counts per file:

    FILE: threads=2 calls=14 commands=3 kernels=1 hsa_calls=0 hsa_kernels=0 cuda_calls=0 cuda_commands=0 cuda_kernels=0 markers=0

Calls of CUDA are counted as cuda_calls wherever they stand, their kernels and other work as cuda_kernels and cuda_commands in sections of their own.

Exit status 0: all good; 1: the first fault of each bad file is on stderr.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import re
import sys

OPENCL = """
clGetPlatformIDs clGetPlatformInfo clGetDeviceIDs clGetDeviceInfo clCreateContext clCreateContextFromType
clRetainContext clReleaseContext clGetContextInfo clCreateCommandQueue clRetainCommandQueue clReleaseCommandQueue
clGetCommandQueueInfo clCreateBuffer clCreateSubBuffer clCreateImage2D clCreateImage3D clRetainMemObject
clReleaseMemObject clGetSupportedImageFormats clGetMemObjectInfo clGetImageInfo clSetMemObjectDestructorCallback
clCreateSampler clRetainSampler clReleaseSampler clGetSamplerInfo clCreateProgramWithSource clCreateProgramWithBinary
clRetainProgram clReleaseProgram clBuildProgram clUnloadCompiler clGetProgramInfo clGetProgramBuildInfo clCreateKernel
clCreateKernelsInProgram clRetainKernel clReleaseKernel clSetKernelArg clGetKernelInfo clGetKernelWorkGroupInfo
clWaitForEvents clGetEventInfo clCreateUserEvent clRetainEvent clReleaseEvent clSetUserEventStatus clSetEventCallback
clGetEventProfilingInfo clFlush clFinish clEnqueueReadBuffer clEnqueueReadBufferRect clEnqueueWriteBuffer
clEnqueueWriteBufferRect clEnqueueCopyBuffer clEnqueueCopyBufferRect clEnqueueReadImage clEnqueueWriteImage
clEnqueueCopyImage clEnqueueCopyImageToBuffer clEnqueueCopyBufferToImage clEnqueueMapBuffer clEnqueueMapImage
clEnqueueUnmapMemObject clEnqueueNDRangeKernel clEnqueueTask clEnqueueNativeKernel clEnqueueAcquireD3D10ObjectsKHR
clEnqueueReleaseD3D10ObjectsKHR clEnqueueAcquireGLObjects clEnqueueReleaseGLObjects clEnqueueMarker
clEnqueueWaitForEvents clEnqueueBarrier clCreateFromGLBuffer clCreateFromGLTexture2D clCreateFromGLTexture3D
clCreateFromGLRenderbuffer clGetGLObjectInfo clGetGLTextureInfo clCreateEventFromGLsyncKHR clGetGLContextInfoKHR
clCreateSubDevicesEXT clRetainDeviceEXT clReleaseDeviceEXT clGetDeviceIDsFromD3D10KHR clCreateFromD3D10BufferKHR
clCreateFromD3D10Texture2DKHR clCreateFromD3D10Texture3DKHR clSetCommandQueueProperty clCreateSubDevices clRetainDevice
clReleaseDevice clCreateImage clCreateProgramWithBuiltInKernels clCompileProgram clLinkProgram clUnloadPlatformCompiler
clGetKernelArgInfo clEnqueueFillBuffer clEnqueueFillImage clEnqueueMigrateMemObjects clEnqueueMarkerWithWaitList
clEnqueueBarrierWithWaitList clGetExtensionFunctionAddressForPlatform clCreateFromGLTexture
clGetExtensionFunctionAddress clCreateCommandQueueWithProperties clCreatePipe clGetPipeInfo clSVMAlloc clSVMFree
clEnqueueSVMFree clEnqueueSVMMemcpy clEnqueueSVMMemFill clEnqueueSVMMap clEnqueueSVMUnmap clCreateSamplerWithProperties
clSetKernelArgSVMPointer clSetKernelExecInfo clSVMAllocAMD clSVMFreeAMD clEnqueueSVMFreeAMD clEnqueueSVMMemcpyAMD
clEnqueueSVMMemFillAMD clEnqueueSVMMapAMD clEnqueueSVMUnmapAMD clSetKernelArgSVMPointerAMD clSetKernelExecInfoAMD
clCreateSsgFileObjectAMD clGetSsgFileObjectInfoAMD clRetainSsgFileObjectAMD clReleaseSsgFileObjectAMD
clEnqueueReadSsgFileAMD clEnqueueWriteSsgFileAMD clCloneKernel clCreateProgramWithIL clEnqueueSVMMigrateMem
clGetDeviceAndHostTimer clGetHostTimer clGetKernelSubGroupInfo clSetDefaultDeviceCommandQueue
clSetProgramReleaseCallback clSetProgramSpecializationConstant
""".split()

HSA = """
hsa_status_string hsa_init hsa_shut_down hsa_system_get_info hsa_system_extension_supported
hsa_system_get_extension_table hsa_agent_get_info hsa_iterate_agents hsa_agent_get_exception_policies
hsa_agent_extension_supported hsa_signal_create hsa_signal_destroy hsa_signal_load_scacquire hsa_signal_load_relaxed
hsa_signal_store_relaxed hsa_signal_store_screlease hsa_signal_exchange_scacq_screl hsa_signal_exchange_scacquire
hsa_signal_exchange_relaxed hsa_signal_exchange_screlease hsa_signal_cas_scacq_screl hsa_signal_cas_scacquire
hsa_signal_cas_relaxed hsa_signal_cas_screlease hsa_signal_add_scacq_screl hsa_signal_add_scacquire
hsa_signal_add_relaxed hsa_signal_add_screlease hsa_signal_subtract_scacq_screl hsa_signal_subtract_scacquire
hsa_signal_subtract_relaxed hsa_signal_subtract_screlease hsa_signal_and_scacq_screl hsa_signal_and_scacquire
hsa_signal_and_relaxed hsa_signal_and_screlease hsa_signal_or_scacq_screl hsa_signal_or_scacquire hsa_signal_or_relaxed
hsa_signal_or_screlease hsa_signal_xor_scacq_screl hsa_signal_xor_scacquire hsa_signal_xor_relaxed
hsa_signal_xor_screlease hsa_signal_wait_scacquire hsa_signal_wait_relaxed hsa_queue_create hsa_soft_queue_create
hsa_queue_destroy hsa_queue_inactivate hsa_queue_load_read_index_scacquire hsa_queue_load_read_index_relaxed
hsa_queue_load_write_index_scacquire hsa_queue_load_write_index_relaxed hsa_queue_store_write_index_relaxed
hsa_queue_store_write_index_screlease hsa_queue_cas_write_index_scacq_screl hsa_queue_cas_write_index_scacquire
hsa_queue_cas_write_index_relaxed hsa_queue_cas_write_index_screlease hsa_queue_add_write_index_scacq_screl
hsa_queue_add_write_index_scacquire hsa_queue_add_write_index_relaxed hsa_queue_add_write_index_screlease
hsa_queue_store_read_index_relaxed hsa_queue_store_read_index_screlease hsa_region_get_info hsa_agent_iterate_regions
hsa_memory_allocate hsa_memory_free hsa_memory_copy hsa_memory_assign_agent hsa_memory_register hsa_memory_deregister
hsa_isa_from_name hsa_isa_get_info hsa_isa_compatible hsa_code_object_serialize hsa_code_object_deserialize
hsa_code_object_destroy hsa_code_object_get_info hsa_code_object_get_symbol hsa_code_symbol_get_info
hsa_code_object_iterate_symbols hsa_executable_create hsa_executable_destroy hsa_executable_load_code_object
hsa_executable_freeze hsa_executable_get_info hsa_executable_global_variable_define
hsa_executable_agent_global_variable_define hsa_executable_readonly_variable_define hsa_executable_validate
hsa_executable_get_symbol hsa_executable_symbol_get_info hsa_executable_iterate_symbols hsa_ext_program_create
hsa_ext_program_destroy hsa_ext_program_add_module hsa_ext_program_iterate_modules hsa_ext_program_get_info
hsa_ext_program_finalize hsa_ext_image_get_capability hsa_ext_image_data_get_info hsa_ext_image_create
hsa_ext_image_destroy hsa_ext_image_copy hsa_ext_image_import hsa_ext_image_export hsa_ext_image_clear
hsa_ext_sampler_create hsa_ext_sampler_destroy hsa_amd_coherency_get_type hsa_amd_coherency_set_type
hsa_amd_profiling_set_profiler_enabled hsa_amd_profiling_async_copy_enable hsa_amd_profiling_get_dispatch_time
hsa_amd_profiling_get_async_copy_time hsa_amd_profiling_convert_tick_to_system_domain hsa_amd_signal_async_handler
hsa_amd_async_function hsa_amd_signal_wait_any hsa_amd_image_get_info_max_dim hsa_amd_queue_cu_set_mask
hsa_amd_memory_pool_get_info hsa_amd_agent_iterate_memory_pools hsa_amd_memory_pool_allocate hsa_amd_memory_pool_free
hsa_amd_memory_async_copy hsa_amd_agent_memory_pool_get_info hsa_amd_agents_allow_access hsa_amd_memory_pool_can_migrate
hsa_amd_memory_migrate hsa_amd_memory_lock hsa_amd_memory_unlock hsa_amd_memory_fill hsa_amd_interop_map_buffer
hsa_amd_interop_unmap_buffer hsa_amd_image_create hsa_extension_get_name hsa_system_major_extension_supported
hsa_system_get_major_extension_table hsa_cache_get_info hsa_agent_iterate_caches hsa_agent_major_extension_supported
hsa_signal_silent_store_relaxed hsa_signal_silent_store_screlease hsa_signal_group_create hsa_signal_group_destroy
hsa_signal_group_wait_any_scacquire hsa_signal_group_wait_any_relaxed hsa_agent_iterate_isas hsa_isa_get_info_alt
hsa_isa_get_exception_policies hsa_isa_get_round_method hsa_wavefront_get_info hsa_isa_iterate_wavefronts
hsa_code_object_reader_create_from_file hsa_code_object_reader_create_from_memory hsa_code_object_reader_destroy
hsa_executable_create_alt hsa_executable_load_program_code_object hsa_executable_load_agent_code_object
hsa_executable_validate_alt hsa_executable_get_symbol_by_name hsa_executable_iterate_agent_symbols
hsa_executable_iterate_program_symbols hsa_code_object_get_symbol_from_name hsa_amd_pointer_info
hsa_amd_pointer_info_set_userdata hsa_amd_ipc_memory_create hsa_amd_ipc_memory_attach hsa_amd_ipc_memory_detach
hsa_ext_image_get_capability_with_layout hsa_ext_image_data_get_info_with_layout hsa_ext_image_create_with_layout
hsa_amd_signal_create hsa_amd_ipc_signal_create hsa_amd_ipc_signal_attach hsa_ven_amd_aqlprofile_validate_event
hsa_ven_amd_aqlprofile_start hsa_ven_amd_aqlprofile_stop hsa_ven_amd_aqlprofile_legacy_get_pm4
hsa_ven_amd_aqlprofile_get_info hsa_ven_amd_aqlprofile_iterate_data hsa_ven_amd_aqlprofile_error_string
hsa_ven_amd_loader_query_segment_descriptors hsa_ven_amd_loader_query_host_address hsa_ven_amd_loader_query_executable
hsa_ven_amd_loader_executable_iterate_loaded_code_objects hsa_ven_amd_loader_loaded_code_object_get_info Init Unload
hsa_amd_queue_set_priority hsa_ven_amd_aqlprofile_version_major hsa_ven_amd_aqlprofile_version_minor
hsa_ven_amd_aqlprofile_read hsa_amd_memory_async_copy_rect
""".split()

ENQUEUE = set(range(52, 74)) | set(range(101, 106)) | set(range(114, 119)) | set(range(124, 129)) | {135, 136, 139}
UNKNOWN = 146
HSA_UNKNOWN = 1000

# command type: (name, functions that may set it going, what stands behind the device name)
COMMANDS = {
    4592: ("NDRANGE_KERNEL", "clEnqueueNDRangeKernel", "kernel"),
    4593: ("TASK", "clEnqueueTask", "kernel"),
    4594: ("NATIVE_KERNEL", "clEnqueueNativeKernel", "native"),
    4595: ("READ_BUFFER", "clEnqueueReadBuffer", "bytes"),
    4596: ("WRITE_BUFFER", "clEnqueueWriteBuffer", "bytes"),
    4597: ("COPY_BUFFER", "clEnqueueCopyBuffer", "bytes"),
    4598: ("READ_IMAGE", "clEnqueueReadImage", "bytes"),
    4599: ("WRITE_IMAGE", "clEnqueueWriteImage", "bytes"),
    4600: ("COPY_IMAGE", "clEnqueueCopyImage", "bytes"),
    4601: ("COPY_IMAGE_TO_BUFFER", "clEnqueueCopyImageToBuffer", "bytes"),
    4602: ("COPY_BUFFER_TO_IMAGE", "clEnqueueCopyBufferToImage", "bytes"),
    4603: ("MAP_BUFFER", "clEnqueueMapBuffer", "bytes"),
    4604: ("MAP_IMAGE", "clEnqueueMapImage", "bytes"),
    4605: ("UNMAP_MEM_OBJECT", "clEnqueueUnmapMemObject", ""),
    4606: ("MARKER", "clEnqueueMarker clEnqueueMarkerWithWaitList", ""),
    4607: ("ACQUIRE_GL_OBJECTS", "clEnqueueAcquireGLObjects", ""),
    4608: ("RELEASE_GL_OBJECTS", "clEnqueueReleaseGLObjects", ""),
    4609: ("READ_BUFFER_RECT", "clEnqueueReadBufferRect", "bytes"),
    4610: ("WRITE_BUFFER_RECT", "clEnqueueWriteBufferRect", "bytes"),
    4611: ("COPY_BUFFER_RECT", "clEnqueueCopyBufferRect", "bytes"),
    4613: ("BARRIER", "clEnqueueBarrierWithWaitList", ""),
    4614: ("MIGRATE_MEM_OBJECTS", "clEnqueueMigrateMemObjects", ""),
    4615: ("FILL_BUFFER", "clEnqueueFillBuffer", "bytes"),
    4616: ("FILL_IMAGE", "clEnqueueFillImage", "bytes"),
    4617: ("SVM_FREE", "clEnqueueSVMFree", ""),
    4618: ("SVM_MEMCPY", "clEnqueueSVMMemcpy", "bytes"),
    4619: ("SVM_MEMFILL", "clEnqueueSVMMemFill", ""),
    4620: ("SVM_MAP", "clEnqueueSVMMap", "bytes"),
    4621: ("SVM_UNMAP", "clEnqueueSVMUnmap", "bytes"),
    4622: ("SVM_MIGRATE_MEM", "clEnqueueSVMMigrateMem", ""),
}
# CUDA in sections of its own: command: (number, how many fields stand behind the device)
CUDA_COMMANDS = {
    "CUDA_KERNEL": (4592, "kernel"), "CUDA_COOPERATIVE_KERNEL": (4592, "kernel"), "CUDA_MEMSET": (4615, "fill"), "CUDA_GRAPH": (4776, "graph"),
    "CUDA_MEMCPY": (4597, "copy"), "CUDA_MEMCPY_HTOD": (4596, "copy"), "CUDA_MEMCPY_DTOH": (4595, "copy"), "CUDA_MEMCPY_HTOA": (4596, "copy"),
    "CUDA_MEMCPY_ATOH": (4595, "copy"), "CUDA_MEMCPY_ATOA": (4597, "copy"), "CUDA_MEMCPY_ATOD": (4597, "copy"), "CUDA_MEMCPY_DTOA": (4597, "copy"),
    "CUDA_MEMCPY_DTOD": (4597, "copy"), "CUDA_MEMCPY_HTOH": (4597, "copy"), "CUDA_MEMCPY_PTOP": (4597, "copy"),
}
CUDA_TAILS = {"kernel": 4, "copy": 3, "fill": 3, "graph": 1}
CUDA_NAME = re.compile(r"(__)?cu(da)?[A-Z0-9]\w*$")
CUDA_RUNTIME, CUDA_DRIVER = 0x1000, 0x2000      # where their function numbers begin
# Readers of these count parameters.
PARAMETERS = {
    "clEnqueueWriteBuffer": 9, "clEnqueueReadBuffer": 9, "clEnqueueWriteImage": 11, "clEnqueueReadImage": 11,
    "clEnqueueWriteBufferRect": 14, "clEnqueueReadBufferRect": 14, "clEnqueueNDRangeKernel": 9, "clEnqueueCopyBuffer": 9,
    "clSetKernelArg": 4, "clCreateBuffer": 5, "clFinish": 1, "clFlush": 1, "clWaitForEvents": 2, "clGetDeviceInfo": 5,
}
TITLES = ("ocl API Trace Output", "ocl Timestamp Output", "hsa API Trace Output", "hsa Timestamp Output", "hsa Kernel Timestamp Output",
          "ocl Stack Trace Output", "hsa Stack Trace Output", "cuda Stack Trace Output", "cuda API Trace Output", "cuda Timestamp Output", "cuda Command Timestamp Output",
          "Perfmarker Output")
NUMBER = re.compile(r"(0|[1-9][0-9]*)$")
HANDLE = re.compile(r"(NULL|0x[1-9A-F][0-9A-F]*)$")
ADDRESS = re.compile(r"0x(0|[1-9A-F][0-9A-F]*)$")  # where readers take hexadecimal digits and nothing else
SOURCE_ADDRESS = re.compile(r"0x[0-9A-F]+\+0x[0-9A-F]+$")
SIZES = re.compile(r"\{(NULL|[0-9]+(,[0-9]+){0,2})\}$")
RESULT = re.compile(r"(void|NULL|unknown|cuda[A-Z]\w*|0x[1-9A-F][0-9A-F]*|-?[0-9]+|[A-Z][A-Z0-9_]*)$")
PLAIN = re.compile(r"(-?[0-9][0-9.e+-]*|0x[1-9A-F][0-9A-F]*|[A-Z][A-Z0-9_]*(\|[A-Z0-9_]+)*|[0-9.]*(inf|nan))$")


class Fault(Exception):
    pass


class Lines:
    def __init__(self, text):
        if "\r" in text:
            raise Fault("a carriage return in the file")
        if not text.endswith("\n"):
            raise Fault("no end of line at the end")
        self.lines = text.split("\n")[:-1]
        self.at = 0

    def peek(self):
        return self.lines[self.at] if self.at < len(self.lines) else None

    def next(self):
        if self.at >= len(self.lines):
            raise Fault("the file ends too early")
        self.at += 1
        return self.lines[self.at - 1]

    def fault(self, text):
        raise Fault("line %d: %s: %s" % (self.at, text, self.lines[self.at - 1][:200]))


def check(lines, truth, text):
    if not truth:
        lines.fault(text)


def parse_header(lines):
    header = {}
    while lines.peek() is not None and not lines.peek().startswith("="):
        line = lines.next()
        check(lines, "=" in line and not line.startswith("="), "a header line is no Key=value")
        key, value = line.split("=", 1)
        header[key] = value
    if header.get("TraceFileVersion") != "3.2":
        raise Fault("TraceFileVersion is %r" % header.get("TraceFileVersion"))
    return header


def split_parameters(text):
    """At the semicolons outside quotes and brackets."""
    parts, depth, quoted, start, i = [], 0, False, 0, 0
    while i < len(text):
        c = text[i]
        if quoted:
            quoted = c != '"'
            i += c == "\\" and text[i + 1:i + 2] == '"'
        elif c == '"':
            quoted = True
        else:
            depth += (c in "[{") - (c in "]}")
            if c == ";" and depth == 0:
                parts.append(text[start:i])
                start = i + 1
        i += 1
    return parts + [text[start:]] if text else []


def check_parameter(lines, p):
    if p[:1] in "[\"":
        check(lines, len(p) >= 2 and p[-1] == {"[": "]", '"': '"'}[p[0]], "a value has no end")
    else:
        check(lines, PLAIN.match(p), "no value of the format: %r" % p)


def parse_api_line(lines, prefix):
    line = lines.next()
    m = re.match(r"(.+?) = (\w+) \( (.*) \)$", line)
    check(lines, m, "no API line")
    result, name, text = m.groups()
    check(lines, RESULT.match(result), "no result")
    # As the reader cuts it: the name stands between the first '=' and the first '('.
    check(lines, line[line.index("=") + 2:line.index("(") - 1] == name, "the name cannot be cut out")
    if prefix == "hsa":
        return name
    if prefix == "cuda":
        check(lines, CUDA_NAME.match(name), "no function of CUDA")
        ours = r"cuda[A-Z]" if "cuda" in name[:6] else r"CUDA_"
        check(lines, re.match(ours + r"\w+$|[0-9]+$|unknown$", result), "the result is of another API")
        return name
    check(lines, name.startswith("cl"), "readers crash on this name")
    parameters = split_parameters(text)
    for p in parameters:
        check_parameter(lines, p)
    if name in PARAMETERS and parameters:
        check(lines, len(parameters) == PARAMETERS[name], "%d parameters, not %d" % (len(parameters), PARAMETERS[name]))
    return name


def parse_blocks(lines, parse_line):
    blocks = {}
    while lines.peek() is not None and not lines.peek().startswith("="):
        tid = lines.next()
        check(lines, NUMBER.match(tid), "no thread id")
        count = lines.next()
        check(lines, NUMBER.match(count) and int(count) > 0, "no count of lines")
        check(lines, not blocks or int(tid) > max(blocks), "thread ids do not ascend")
        blocks[int(tid)] = [parse_line() for _ in range(int(count))]
    if not blocks:
        lines.fault("a section without blocks")
    return blocks


def pad(value, width):
    """printf("%-*s"), and a blank in any case."""
    return value.ljust(width) if len(value) < width else value + " "


def numbers(lines, tokens):
    for t in tokens:
        check(lines, NUMBER.match(t), "no number: %r" % t)
    return [int(t) for t in tokens]


def as_read(line):
    """What the profiler's own reader shows of a line of the ocl Timestamp section: it looks for a device part only behind the numbers it knows."""
    tokens = line.split()
    device = tokens[4:] if int(tokens[0]) in ENQUEUE else []
    return {"name": tokens[1], "host": (int(tokens[2]), int(tokens[3])), "device": tuple(int(t) for t in device[2:6]) or (0, 0, 0, 0)}


def parse_device_part(lines, api_id, name, tokens):
    check(lines, len(tokens) >= 11, "a device part of %d fields" % len(tokens))
    command = numbers(lines, tokens[:1])[0]
    queued, submit, start, end = numbers(lines, tokens[2:6])
    check(lines, queued <= submit <= start <= end, "QUEUED <= SUBMIT <= START <= END does not hold")
    numbers(lines, [tokens[6], tokens[8]])
    check(lines, HANDLE.match(tokens[7]) and HANDLE.match(tokens[9]), "no handle")
    check(lines, command >= 4592, "readers index a table from 4592")
    label, functions, tail = COMMANDS.get(command, (None, "", None))
    if label:
        check(lines, tokens[1] == "CL_COMMAND_" + label, "the command's name does not fit its number")
        check(lines, name in functions.split() or api_id == UNKNOWN, "the command does not fit the function")
    text = "".join(pad(t, w) for t, w in zip(tokens[:11], (8, 40, 21, 21, 21, 21, 10, 25, 10, 25, 30)))
    rest = tokens[11:]
    if tail is None:
        tail = "bytes" if rest else ""
    if tail == "kernel":
        check(lines, len(rest) == 4 and HANDLE.match(rest[0]) and SIZES.match(rest[2]) and SIZES.match(rest[3]), "no kernel behind the device")
        dims = rest[2].count(",")
        check(lines, "{NULL}" in rest[2:] or rest[3].count(",") == dims, "work sizes of different dimensions")
        text += pad(rest[0], 25) + rest[1] + " " * 6 + rest[2] + " " * 5 + rest[3] + " " * 8
    elif tail == "native":
        check(lines, len(rest) == 1 and HANDLE.match(rest[0]), "no function behind the device")
        text += pad(rest[0], 25)
    elif tail == "bytes":
        check(lines, len(rest) == 1, "no size behind the device")
        numbers(lines, rest)
        text += pad(rest[0], 20)
    else:
        check(lines, not rest, "fields behind the device that no reader wants")
    return text, tail == "kernel"


def parse_cuda_part(lines, tokens, counts):
    """One device part from the front of tokens: how it must look, how many tokens it has."""
    check(lines, len(tokens) >= 12, "a device part of %d fields" % len(tokens))
    number, tail = CUDA_COMMANDS.get(tokens[1], (None, None))
    check(lines, number is not None and numbers(lines, tokens[:1])[0] == number, "the command's name does not fit its number")
    queued, submit, start, end = numbers(lines, tokens[2:6])
    check(lines, queued <= submit <= start <= end, "QUEUED <= SUBMIT <= START <= END does not hold")
    numbers(lines, [tokens[6], tokens[8]])
    check(lines, tokens[7] == "NULL" and tokens[9] == "NULL", "handles that CUPTI never tells")
    text = "".join(pad(t, w) for t, w in zip(tokens[:11], (8, 40, 21, 21, 21, 21, 10, 25, 10, 25, 30)))
    rest = tokens[11:11 + CUDA_TAILS[tail]]
    check(lines, len(rest) == CUDA_TAILS[tail], "too little behind the device")
    if tail == "kernel":
        check(lines, rest[0] == "NULL" and all(SIZES.match(s) and s.count(",") == 2 for s in rest[2:]), "no kernel behind the device")
        text += pad(rest[0], 25) + rest[1] + " " * 6 + rest[2] + " " * 5 + rest[3] + " " * 8
    elif tail == "graph":
        numbers(lines, rest)
        text += pad(rest[0], 10)
    else:
        numbers(lines, rest[:1])
        check(lines, tail == "copy" or re.match(r"0x[0-9A-F]+$", rest[1]), "no value of a fill")
        text += "".join(pad(t, 20) for t in rest)
    counts["cuda_commands"] += 1
    counts["cuda_kernels"] += tail == "kernel"
    return text, 11 + len(rest)


def parse_cuda_commands(lines, counts):
    n = int(lines.next())
    check(lines, n > 0, "a section without commands")
    last = 0
    for _ in range(n):
        line = lines.next()
        tokens = line.split()
        text, used = parse_cuda_part(lines, tokens, counts)
        check(lines, used == len(tokens) and text == line, "widths differ, it should be\n%r\nand is\n%r\n" % (text, line))
        check(lines, int(tokens[4]) >= last, "commands are not in order of start")
        last = int(tokens[4])


def parse_times_line(lines, prefix, state, counts):
    line = lines.next()
    hsa = prefix == "hsa"
    tokens = line.split()
    check(lines, len(tokens) >= 4, "fewer than four fields")
    api_id, start, end = numbers(lines, [tokens[0], tokens[2], tokens[3]])
    name = tokens[1]
    if CUDA_NAME.match(name) and prefix != "ocl":
        first = CUDA_DRIVER if not name.lstrip("_").startswith("cuda") else CUDA_RUNTIME
        check(lines, first <= api_id < first + 0x1000, "the number does not fit the function")
        counts["cuda_calls"] += 1
    else:
        table, unknown = (HSA, HSA_UNKNOWN) if hsa else (OPENCL, UNKNOWN)
        check(lines, api_id == (table.index(name) if name in table else unknown), "the number does not fit the function")
        counts["hsa_calls" if hsa else "calls"] += 1
    check(lines, start <= end, "the call ends before it starts")
    check(lines, start >= state.get("start", 0), "calls are not in order of start")
    state["start"] = start
    text = "".join(pad(t, w) for t, w in zip(tokens[:4], (5, 45, 21, 21)))
    if hsa and len(tokens) > 4:
        check(lines, api_id in (128, 197) and len(tokens) == 6, "fields that no reader wants")
        first, last = numbers(lines, tokens[4:])
        check(lines, first <= last, "the copy ends before it starts")
        text += pad(tokens[4], 21) + pad(tokens[5], 21)
    elif prefix == "cuda":
        at, last = 4, 0
        while at < len(tokens):
            part, used = parse_cuda_part(lines, tokens[at:], counts)
            check(lines, int(tokens[at + 4]) >= last, "commands are not in order of start")
            last, at, text = int(tokens[at + 4]), at + used, text + part
    elif len(tokens) > 4:
        check(lines, api_id in ENQUEUE or api_id == UNKNOWN, "a device part where readers expect none")
        part, kernel = parse_device_part(lines, api_id, name, tokens[4:])
        text += part
        counts["commands"] += 1
        counts["kernels"] += kernel
    check(lines, text == line, "widths differ, it should be\n%r\nand is\n%r\n" % (text, line))
    return name


def parse_pair(lines, prefix, counts):
    calls = parse_blocks(lines, lambda: parse_api_line(lines, prefix))
    check(lines, lines.peek() is not None and lines.next() == "=====%s Timestamp Output=====" % prefix,
          "the Timestamp section does not follow the API Trace section")
    state = {}

    def parse_line():
        return parse_times_line(lines, prefix, state, counts)

    times = {}
    while lines.peek() is not None and not lines.peek().startswith("="):
        state.clear()
        tid = int(lines.next())
        n = int(lines.next())
        times[tid] = [parse_line() for _ in range(n)]
    if list(calls) != list(times):
        lines.fault("the two sections have different threads")
    for tid in calls:
        if calls[tid] != times[tid]:
            lines.fault("thread %d: names differ between the sections" % tid)
    counts["threads"] = max(counts["threads"], len(calls))
    return calls


def parse_sources(lines, calls):
    """A Stack Trace section: for each line of the API section in front of it one that names the same function, and its caller."""
    def parse_line():
        fields = lines.next().split("\t")
        check(lines, 2 <= len(fields) <= 4 and all(f and " " not in f for f in fields), "no place of a call")
        if not SOURCE_ADDRESS.match(fields[1]):
            check(lines, len(fields) > 2 and NUMBER.match(fields[2]), "no number of a line")
            check(lines, fields[1] != "NA" or fields[2:] == ["0"], "a line of nothing")
        else:
            check(lines, len(fields) == 2, "a line of an address")
        return fields[0]

    if parse_blocks(lines, parse_line) != calls:
        lines.fault("not the calls of the API section")


MARKER = re.compile(r"(clBeginPerfMarker|clEndPerfMarker|clEndPerfMarkerEx) ")


def parse_marker(lines, state):
    """One line of the Perfmarker section. state: names of what is open, the last time."""
    line = lines.next()
    check(lines, MARKER.match(line), "no marker")
    tokens = line.split()
    kind, text = tokens[0], pad(tokens[0], 20)
    if kind == "clEndPerfMarker":
        check(lines, len(tokens) == 2, "%d fields" % len(tokens))
        time = numbers(lines, tokens[1:])[0]
        text += pad(tokens[1], 20)
        check(lines, state["open"], "an end without a begin")
        state["open"].pop()
    else:
        check(lines, len(tokens) == 4, "%d fields: a blank in a name, or no group" % len(tokens))
        name, at = (tokens[1], tokens[2]) if kind == "clBeginPerfMarker" else (tokens[2], tokens[1])
        time = numbers(lines, [at])[0]
        name_text = name + "   " if len(name) >= 50 else name.ljust(50)
        time_text = pad(at, 20)
        text += (name_text + time_text if kind == "clBeginPerfMarker" else time_text + name_text) + "   " + tokens[3]
        if kind == "clBeginPerfMarker":
            state["open"].append((name, tokens[3]))
        else:
            check(lines, (name, tokens[3]) in state["open"][:-1], "ends what is not open, or what a plain end would")
            state["open"].remove((name, tokens[3]))
    check(lines, time >= state.get("time", 0), "markers are not in order of time")
    state["time"] = time
    check(lines, text == line, "widths differ, it should be\n%r\nand is\n%r\n" % (text, line))
    return kind


def parse_markers(lines, counts):
    last = -1
    while lines.peek() is not None and not lines.peek().startswith("="):
        tid, n = numbers(lines, [lines.next(), lines.next()])
        check(lines, tid > last and n > 0, "thread ids do not ascend, or no lines")
        last, state = tid, {"open": []}
        kinds = [parse_marker(lines, state) for _ in range(n)]
        counts["markers"] += kinds.count("clBeginPerfMarker")
    if last < 0:
        lines.fault("a section without blocks")


def parse_hsa_kernels(lines, counts):
    n = int(lines.next())
    check(lines, n > 0, "a section without dispatches")
    for _ in range(n):
        line = lines.next()
        t = line.split()
        check(lines, len(t) in (8, 11), "%d fields" % len(t))
        start, end, _queue = numbers(lines, [t[2], t[3], t[6]])
        check(lines, start <= end, "the dispatch ends before it starts")
        check(lines, ADDRESS.match(t[1]), "no kernel handle")
        check(lines, re.match(r"\{[0-9]+\}$", t[5]), "no agent handle")
        text = "".join(pad(v, w) for v, w in zip(t[:7], (50, 21, 21, 21, 64, 21, 21)))
        if len(t) == 8:
            check(lines, ADDRESS.match(t[7]), "no queue handle")
            text += pad(t[7], 21)
        else:
            numbers(lines, [t[7], t[9]])
            check(lines, t[8].startswith("HSA_PACKET_TYPE_") and re.match(r"\{[^{}\s]*\}$", t[10]), "no packet")
            text += pad(t[7], 10) + pad(t[8], 35) + pad(t[9], 21) + t[10]
        check(lines, text == line, "widths differ, it should be\n%r\nand is\n%r\n" % (text, line))
    counts["hsa_kernels"] += n


def parse(text):
    lines = Lines(text)
    counts = dict(threads=0, calls=0, commands=0, kernels=0, hsa_calls=0, hsa_kernels=0, cuda_calls=0, cuda_commands=0, cuda_kernels=0, markers=0)
    parse_header(lines)
    seen, calls = [], {}
    while lines.peek() is not None:
        title = lines.next()
        m = re.match(r"=====([^=].*[^=])=====$", title)
        check(lines, m and m.group(1) in TITLES and m.group(1) not in seen, "no title")
        seen.append(m.group(1))
        if m.group(1) in ("ocl API Trace Output", "hsa API Trace Output", "cuda API Trace Output"):
            calls = parse_pair(lines, m.group(1).split()[0], counts)
        elif m.group(1).endswith(" Stack Trace Output"):
            check(lines, seen[-2:-1] == [m.group(1).replace("Stack", "API")], "a Stack Trace section that is not behind its pair")
            parse_sources(lines, calls)
        elif m.group(1) == "cuda Command Timestamp Output":
            parse_cuda_commands(lines, counts)
        elif m.group(1) == "Perfmarker Output":
            parse_markers(lines, counts)
        elif m.group(1) == "hsa Kernel Timestamp Output":
            parse_hsa_kernels(lines, counts)
        else:
            lines.fault("a section that this writer does not make")
    return counts


def main():
    bad = 0
    for path in sys.argv[1:]:
        with open(path, "rb") as f:
            text = f.read().decode("utf-8", "surrogateescape")
        try:
            counts = parse(text)
        except (Fault, ValueError) as e:
            print("%s: %s" % (path, e), file=sys.stderr)
            bad = 1
            continue
        print("%s: %s" % (path, " ".join("%s=%d" % c for c in counts.items())))
    return bad


if __name__ == "__main__":
    sys.exit(main())
