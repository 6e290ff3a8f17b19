//! The lab: programs, runner, statistics, report.
