"""The structures of CUPTI's profilers, and of the library below them, compared with installed headers

Size, and for each member its offset and its size. Members are named otherwise here and there, so they are told one by one.

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
HEADERS = ['cupti_result.h', 'cupti_target.h', 'cupti_profiler_target.h', 'cupti_profiler_host.h', 'cupti_range_profiler.h',
           'cupti_sass_metrics.h', 'cupti_pmsampling.h', 'nvperf_host.h', 'nvperf_cuda_host.h']
OBJECT = {'object': 'pRangeProfilerObject'}
HOST = {'object': 'pHostObject'}
# of a structure: those of CUPTI that it stands for, and CUPTI's names of its members; each begins with structSize and pPriv
COLLECTOR = {
    'initialize': [('Profiler_Initialize', {})],
    'supported': [('Profiler_DeviceSupported', {
        'device': 'cuDevice', 'all': 'isSupported', 'architecture': 'architecture', 'sli': 'sli', 'vgpu': 'vGpu',
        'confidential': 'confidentialCompute', 'cmp': 'cmp', 'wsl': 'wsl', 'api': 'api'})],
    'chip_name': [('Device_GetChipName', {'device': 'deviceIndex', 'name': 'pChipName'})],
    'enable': [('RangeProfiler_Enable', {'context': 'ctx', **OBJECT})],
    'of_object': [('RangeProfiler_Disable', OBJECT), ('RangeProfiler_Start', OBJECT), ('RangeProfiler_PopRange', OBJECT)],
    'data_size': [('RangeProfiler_GetCounterDataSize', {
        **OBJECT, 'names': 'pMetricNames', 'n': 'numMetrics', 'ranges': 'maxNumOfRanges', 'nodes': 'maxNumRangeTreeNodes',
        'bytes': 'counterDataSize'})],
    'data_initialize': [('RangeProfiler_CounterDataImage_Initialize', {**OBJECT, 'bytes': 'counterDataSize', 'data': 'pCounterData'})],
    'set_config': [('RangeProfiler_SetConfig', {
        **OBJECT, 'config_bytes': 'configSize', 'config': 'pConfig', 'data_bytes': 'counterDataImageSize', 'data': 'pCounterDataImage',
        'range': 'range', 'replay': 'replayMode', 'most': 'maxRangesPerPass', 'levels': 'numNestingLevels',
        'least_level': 'minNestingLevel', 'pass': 'passIndex', 'level': 'targetNestingLevel'})],
    'stop': [('RangeProfiler_Stop', {**OBJECT, 'pass': 'passIndex', 'level': 'targetNestingLevel', 'all': 'isAllPassSubmitted'})],
    'push': [('RangeProfiler_PushRange', {**OBJECT, 'name': 'pRangeName'})],
    'decode': [('RangeProfiler_DecodeData', {**OBJECT, 'dropped': 'numOfRangeDropped'})],
    'data_info': [('RangeProfiler_GetCounterDataInfo', {
        'data': 'pCounterDataImage', 'bytes': 'counterDataImageSize', 'ranges': 'numTotalRanges'})],
}
TOOL = {
    'initialize': [('Profiler_Host_Initialize', {
        'use': 'profilerType', 'chip': 'pChipName', 'availability': 'pCounterAvailabilityImage', **HOST})],
    'deinitialize': [('Profiler_Host_Deinitialize', HOST)],
    'chips': [('Profiler_Host_GetSupportedChips', {'n': 'numChips', 'names': 'ppChipNames'})],
    'base_metrics': [('Profiler_Host_GetBaseMetrics', {**HOST, 'type': 'metricType', 'names': 'ppMetricNames', 'n': 'numMetrics'})],
    'properties': [('Profiler_Host_GetMetricProperties', {
        **HOST, 'name': 'pMetricName', 'description': 'pDescription', 'hardware_unit': 'pHwUnit', 'unit': 'pDimUnit',
        'type': 'metricType'})],
    'add_metrics': [('Profiler_Host_ConfigAddMetrics', {**HOST, 'names': 'ppMetricNames', 'n': 'numMetrics'})],
    'image_size': [('Profiler_Host_GetConfigImageSize', {**HOST, 'bytes': 'configImageSize'})],
    'image': [('Profiler_Host_GetConfigImage', {**HOST, 'bytes': 'configImageSize', 'data': 'pConfigImage'})],
    'passes': [('Profiler_Host_GetNumOfPasses', {'bytes': 'configImageSize', 'data': 'pConfigImage', 'n': 'numOfPasses'})],
    'evaluate': [('Profiler_Host_EvaluateToGpuValues', {
        **HOST, 'image': 'pCounterDataImage', 'bytes': 'counterDataImageSize', 'range': 'rangeIndex', 'names': 'ppMetricNames',
        'n': 'numMetrics', 'values': 'pMetricValues'})],
    'chip_name': [('Device_GetChipName', {'device': 'deviceIndex', 'name': 'pChipName'})],
}
EVALUATOR = {'evaluator': 'pMetricsEvaluator'}
CONFIG = {'config': 'pRawCounterConfig'}
DOMAINS = {
    'initialize': [('NVPW_InitializeHost_Params', {})],
    'scratch_size': [('NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize_Params', {
        'chip': 'pChipName', 'availability': 'pCounterAvailabilityImage', 'bytes': 'scratchBufferSize'})],
    'evaluator': [('NVPW_CUDA_MetricsEvaluator_Initialize_Params', {
        'scratch': 'pScratchBuffer', 'bytes': 'scratchBufferSize', 'chip': 'pChipName', 'availability': 'pCounterAvailabilityImage',
        'data': 'pCounterDataImage', 'data_bytes': 'counterDataImageSize', **EVALUATOR})],
    'evaluator_end': [('NVPW_MetricsEvaluator_Destroy_Params', EVALUATOR)],
    'metric': [('NVPW_MetricEvalRequest', {
        'index': 'metricIndex', 'type': 'metricType', 'rollup': 'rollupOp', 'submetric': 'submetric'})],
    'find_metric': [('NVPW_MetricsEvaluator_ConvertMetricNameToMetricEvalRequest_Params', {
        **EVALUATOR, 'name': 'pMetricName', 'metric': 'pMetricEvalRequest', 'metric_bytes': 'metricEvalRequestStructSize'})],
    'dependencies': [('NVPW_MetricsEvaluator_GetMetricRawDependencies_Params', {
        **EVALUATOR, 'metrics': 'pMetricEvalRequests', 'n': 'numMetricEvalRequests', 'metric_bytes': 'metricEvalRequestStructSize',
        'stride': 'metricEvalRequestStrideSize', 'counters': 'ppRawDependencies', 'n_counters': 'numRawDependencies',
        'optional': 'ppOptionalRawDependencies', 'n_optional': 'numOptionalRawDependencies'})],
    'create': [('NVPW_CUDA_RawCounterConfig_Create_Params', {
        'chip': 'pChipName', 'availability': 'pCounterAvailabilityImage', 'activity': 'activityKind', **CONFIG})],
    'of_config': [('NVPW_RawCounterConfig_Destroy_Params', CONFIG), ('NVPW_RawCounterConfig_GenerateConfigImage_Params', CONFIG)],
    'all_domains': [('NVPW_RawCounterConfig_GetAllAvailableRawCounterDomains_Params', {
        **CONFIG, 'n': 'numAvailableDomains', 'domains': 'pAvailableDomains'})],
    'find_domain': [('NVPW_RawCounterConfig_StringToRawCounterDomain_Params', {'name': 'pDomainName', 'domain': 'domain'})],
    'collected_in': [('NVPW_RawCounterConfig_GetRawCounterProperties_Params', {
        **CONFIG, 'counter': 'pRawCounterName', 'n': 'numSupportedDomains', 'domains': 'pSupportedDomains',
        'n_groups': 'numSupportedCdgDomains', 'groups': 'pSupportedCdgDomains'})],
    'pass_group': [('NVPW_RawCounterConfig_BeginPassGroup_Params', {**CONFIG, 'n': 'numDomains', 'domains': 'pDomains'}),
                   ('NVPW_RawCounterConfig_EndPassGroup_Params', {**CONFIG, 'n': 'numDomains', 'domains': 'pDomains'})],
    'request': [('NVPW_RawCounterRequest', {
        'none': 'pPriv', 'counter': 'pRawCounterName', 'domain': 'domain', 'keep': 'keepInstances'})],
    'add': [('NVPW_RawCounterConfig_AddRawCounters_Params', {
        **CONFIG, 'request_bytes': 'rawCounterRequestStructSize', 'n': 'numRawCounterRequests', 'requests': 'pRawCounterRequests'})],
    'image_of': [('NVPW_RawCounterConfig_GetConfigImage_Params', {
        **CONFIG, 'room': 'bytesAllocated', 'data': 'pBuffer', 'bytes': 'bytesCopied'})],
    'passes_of': [('NVPW_RawCounterConfig_GetNumPasses_Params', {**CONFIG, 'n': 'numPasses'})],
}
SASS = {
    'properties': [('SassMetrics_GetProperties', {
        'chip': 'pChipName', 'name': 'pMetricName', 'id': 'metric.metricId', 'same': 'metric.pMetricName',
        'description': 'metric.pMetricDescription'})],
    'config': [('SassMetrics_Config', {'id': 'metricId', 'granularity': 'outputGranularity'})],
    'set_config': [('SassMetricsSetConfig', {'n': 'numOfMetricConfig', 'all': 'pConfigs', 'device': 'deviceIndex'})],
    'unset_config': [('SassMetricsUnsetConfig', {'device': 'deviceIndex'})],
    'enable': [('SassMetricsEnable', {'context': 'ctx', 'lazy': 'enableLazyPatching'})],
    'disable': [('SassMetricsDisable', {'context': 'ctx', 'dropped': 'numOfDroppedRecords'})],
    'data_properties': [('SassMetricsGetDataProperties', {
        'context': 'ctx', 'n': 'numOfPatchedInstructionRecords', 'per': 'numOfInstances'})],
    'flush': [('SassMetricsFlushData', {
        'context': 'ctx', 'n': 'numOfPatchedInstructionRecords', 'per': 'numOfInstances', 'all': 'pMetricsData'})],
    'value': [('SassMetrics_InstanceValue', {'id': 'metricId', 'value': 'value'})],
    'instruction': [('SassMetrics_Data', {
        'crc': 'cubinCrc', 'function': 'functionIndex', 'name': 'functionName', 'offset': 'pcOffset', 'values': 'pInstanceValues'})],
}
MONITORS_OBJECT = {'object': 'pPmSamplingObject'}
MONITORS = {
    'enable': [('PmSampling_Enable', {'device': 'deviceIndex', **MONITORS_OBJECT})],
    'of_object': [(f'PmSampling_{call}', MONITORS_OBJECT) for call in ('Disable', 'Start', 'Stop')],
    'set_config': [('PmSampling_SetConfig', {
        **MONITORS_OBJECT, 'config_bytes': 'configSize', 'config': 'pConfig', 'buffer_bytes': 'hardwareBufferSize',
        'interval': 'samplingInterval', 'trigger': 'triggerMode', 'append': 'hwBufferAppendMode'})],
    'data_size': [('PmSampling_GetCounterDataSize', {
        **MONITORS_OBJECT, 'names': 'pMetricNames', 'n': 'numMetrics', 'samples': 'maxSamples', 'bytes': 'counterDataSize'})],
    'data_initialize': [('PmSampling_CounterDataImage_Initialize', {**MONITORS_OBJECT, 'bytes': 'counterDataSize', 'data': 'pCounterData'})],
    'decode': [('PmSampling_DecodeData', {
        **MONITORS_OBJECT, 'data': 'pCounterDataImage', 'bytes': 'counterDataImageSize', 'reason': 'decodeStopReason', 'overflow': 'overflow'})],
    'data_info': [('PmSampling_GetCounterDataInfo', {
        'data': 'pCounterDataImage', 'bytes': 'counterDataImageSize', 'total': 'numTotalSamples', 'populated': 'numPopulatedSamples',
        'completed': 'numCompletedSamples'})],
    'sample_info': [('PmSampling_CounterData_GetSampleInfo', {
        **MONITORS_OBJECT, 'data': 'pCounterDataImage', 'bytes': 'counterDataImageSize', 'sample': 'sampleIndex', 'begin': 'startTimestamp',
        'end': 'endTimestamp'})],
}
# structures that calls point to, not their parameters: their names in CUPTI end otherwise
PLAIN = {'SassMetrics_Config', 'SassMetrics_InstanceValue', 'SassMetrics_Data'}
# of a file: its structures, and its numbers that are CUPTI's
FILES = {
    'collectors/profiler/session.c': (COLLECTOR, {
        'AUTO_RANGE': 'CUPTI_AutoRange', 'USER_RANGE': 'CUPTI_UserRange', 'APPLICATION_REPLAY': 'CUPTI_ApplicationReplay',
        'USER_REPLAY': 'CUPTI_UserReplay', 'KERNEL_REPLAY': 'CUPTI_KernelReplay', 'SUPPORTED': 'CUPTI_PROFILER_CONFIGURATION_SUPPORTED'}),
    'collectors/cupti_answer.h': ({}, {
        'TAP_CUPTI_OK': 'CUPTI_SUCCESS', 'TAP_CUPTI_INVALID_PARAMETER': 'CUPTI_ERROR_INVALID_PARAMETER',
        'TAP_CUPTI_NOT_INITIALIZED': 'CUPTI_ERROR_NOT_INITIALIZED', 'TAP_CUPTI_INVALID_KIND': 'CUPTI_ERROR_INVALID_KIND',
        'TAP_CUPTI_HARDWARE_BUSY': 'CUPTI_ERROR_HARDWARE_BUSY', 'TAP_CUPTI_PRIVILEGES': 'CUPTI_ERROR_INSUFFICIENT_PRIVILEGES',
        'TAP_CUPTI_BUSY': 'CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED',
        'TAP_CUPTI_VIRTUAL_PRIVILEGES': 'CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES', 'TAP_CUPTI_UNKNOWN': 'CUPTI_ERROR_UNKNOWN'}),
    'collectors/profiler/pm.c': (MONITORS, {
        'KEEP_OLDEST': 'CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST',
        'DATA_FULL': 'CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL'}),
    'collectors/profiler/sass.c': (SASS, {'OF_DEVICE': 'CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU'}),
    'analysis/metrics/host.c': (TOOL, {
        'NOT_SUPPORTED': 'CUPTI_ERROR_NOT_SUPPORTED', 'INVALID_CHIP_NAME': 'CUPTI_ERROR_INVALID_CHIP_NAME'}),
    'analysis/metrics/domains.c': (DOMAINS, {'PROFILER': 'NVPA_ACTIVITY_KIND_PROFILER'}),
}
# of a file: a header, and what those of some releases do not declare in it (the first of 12.6; the second of 12.6 and of 13.1, whose
# library has the call all the same)
NEEDS = {'collectors/profiler/pm.c': ('cupti_pmsampling.h', 'hwBufferAppendMode'),
         'analysis/metrics/domains.c': ('nvperf_host.h', 'NVPW_RawCounterConfig_AddRawCounters')}
# numbers that CUDA 12's headers lack; its libraries cannot give them either
NEWER = {'CUPTI_ERROR_INVALID_CHIP_NAME'}
# of CUPTI's structures: the member that CUDA 13.1 added behind ours. The size said is the one before it, which newer libraries take.
ADDED = {'CUpti_Profiler_DeviceSupported_Params': 'sku', 'CUpti_Profiler_Host_GetMetricProperties_Params': 'metricCollectionScope'}


def text_of(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def structures(source):
    """The part of a file that declares what CUPTI's calls take, the macro BEGIN among it; and each structure's members."""
    found = re.search(r'^#define BEGIN .*?^#undef BEGIN$', source, re.M | re.S)
    if not found:                       # numbers alone
        return '', {}
    part = found.group(0)
    part = part.replace('#undef BEGIN', '')
    members = {}
    for name, body in re.findall(r'struct (\w+) \{(.*?)\};', part, re.S):
        members[name] = [re.search(r'(\w+)\s*$', one).group(1) for one in re.split(r'[,;]', body) if one.strip() and one.strip() != 'BEGIN']
    return part, members


def includes():
    roots = sorted({os.path.realpath(r) for r in [os.environ.get('CUDA_HOME', '')] + glob.glob('/usr/local/cuda*') + ['/usr', '/usr/local'] if r})
    return [d for r in roots for d in (r + '/include', r + '/extras/CUPTI/include') if os.path.exists(d + '/cupti_range_profiler.h')]


class Layouts(unittest.TestCase):
    def test_each_structure_is_known_here(self):
        for path, (known, _) in FILES.items():
            members = structures(text_of(os.path.join(TOP, path)))[1]
            self.assertEqual(set(members), set(known), path)
            for name, all_of in members.items():
                for theirs, named in known[name]:
                    self.assertEqual(sorted(all_of), sorted(named), f'{path}: {name}, {theirs}')

    def test_structures_are_those_of_installed_headers(self):
        if not includes():
            self.skipTest('no headers of CUPTI with a range profiler (CUDA 12.6) here')
        for include in includes():
            for path in FILES:
                with self.subTest(include=include, path=path):
                    header, word = NEEDS.get(path, (HEADERS[0], ''))
                    if word not in text_of(os.path.join(include, header)):
                        self.skipTest('%s/%s does not declare %s' % (include, header, word))
                    self.check(include, path)

    def check(self, include, path):
        source = text_of(os.path.join(TOP, path))
        known, numbers = FILES[path]
        headers = ''.join(text_of(os.path.join(include, h)) for h in HEADERS)
        # a header of CUDA 13.1 says bool and includes nothing that declares it
        lines = ['#include <stdbool.h>', '#include <stddef.h>', '#include <stdint.h>', '#include <cuda.h>'] + ['#include <%s>' % h for h in HEADERS]
        lines.append(structures(source)[0])
        for name, all_theirs in known.items():
            for theirs, members in all_theirs:
                struct = theirs if theirs.startswith('NVPW_') else 'CUpti_%s%s' % (theirs, '' if theirs in PLAIN else '_Params')
                of_call = struct.endswith('_Params') or theirs == 'SassMetrics_Data'
                pairs = ([('size', 'structSize'), ('none', 'pPriv')] if of_call else []) + list(members.items())
                for mine, other in pairs:
                    what = '%s.%s and %s.%s' % (name, mine, struct, other)
                    lines.append('_Static_assert(offsetof(struct %s, %s) == offsetof(%s, %s), "offsets of %s");' % (name, mine, struct, other, what))
                    lines.append('_Static_assert(sizeof ((struct %s *)0)->%s == sizeof ((%s *)0)->%s, "bytes of %s");' % (name, mine, struct, other, what))
                lines.append('_Static_assert(sizeof(struct %s) == sizeof(%s), "bytes of %s and %s");' % (name, struct, name, struct))
                # what a call is told, and what the headers say that it is told
                last = self.last_of(source, name)
                if last:
                    size = {'NVPW_RawCounterRequest': 'NVPW_RAW_COUNTER_REQUEST'}.get(struct, struct) + '_STRUCT_SIZE'
                    if struct in ADDED and re.search(r'\b%s;' % ADDED[struct], headers):
                        size = 'offsetof(%s, %s)' % (struct, ADDED[struct])
                    lines.append('_Static_assert(offsetof(struct %s, %s) + sizeof ((struct %s *)0)->%s == %s, "size said of %s");' %
                                 (name, last, name, last, size, name))
        for mine, other in numbers.items():
            number = re.search(r'\b%s = (\d+)' % mine, source)
            self.assertTrue(number, mine)
            if other in NEWER and not re.search(r'\b%s\b' % other, headers):
                continue
            lines.append('_Static_assert(%s == %s, "%s");' % (number.group(1), other, mine))
        with tempfile.TemporaryDirectory() as folder:
            # one of these headers includes C++'s <string> and needs nothing of it
            for name, text in (('string', ''), ('a.c', '\n'.join(lines) + '\n')):
                with open(os.path.join(folder, name), 'w', encoding='utf-8') as f:
                    f.write(text)
            done = subprocess.run(['cc', '-w', '-std=gnu11', '-fsyntax-only', '-I' + include, '-I' + folder, folder + '/a.c'], capture_output=True,
                                  text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    @staticmethod
    def last_of(source, name):
        """The member that PARAMS(name, member, ...) or BYTES(name, member) counts the size to."""
        found = set(re.findall(r'\b(?:PARAMS|BYTES)\(%s, (\w+)' % name, source))
        return found.pop() if len(found) == 1 else None


if __name__ == '__main__':
    unittest.main()
