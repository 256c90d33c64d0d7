"""Reports of kernel metrics (.ncu-rep): load_report opens one, its classes give ranges, actions and metrics.

    import ncu_report
    for action in ncu_report.load_report("run.ncu-rep")[0]:
        print(action, action["launch__grid_size"].value())

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_report.frontend import IController, IFrontend, IMessageVault, MarkerKind, MsgType, Severity, SpeedupType
from gputap_report.model import (
    IAction, IBaseContext, IContext, IEvaluator, IMetric, IMutableMetric, IRange, ISourceInfo, ITrace, load_report)
from gputap_report.nvtx import INvtxDomainInfo, INvtxRange, INvtxState
from gputap_report.wire import ReportError

__all__ = [
    "IAction", "IBaseContext", "IContext", "IController", "IEvaluator", "IFrontend", "IMessageVault", "IMetric",
    "IMutableMetric", "INvtxDomainInfo", "INvtxRange", "INvtxState", "IRange", "ISourceInfo", "ITrace", "MarkerKind",
    "MsgType", "ReportError", "Severity", "SpeedupType", "load_report"]
