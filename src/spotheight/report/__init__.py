"""Reports: everything that is known of a service, read off a campaign and frozen."""

from spotheight.report.build import build_report
from spotheight.report.text import report_json
from spotheight.report.values import ArmRow, HeatMap, HistoryPoint, Report, ServiceRow, thinned

__all__ = [
    "ArmRow",
    "HeatMap",
    "HistoryPoint",
    "Report",
    "ServiceRow",
    "build_report",
    "report_json",
    "thinned",
]
