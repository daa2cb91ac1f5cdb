// What rewritten scripts call that nobody else types.

/** Names of programs and variables that only rewritten scripts use. */
export const OWN = {
  leave: "__gsv_leave",
  signal: "__gsv_signal",
  job: "__gsv_job",
  wait: "__gsv_wait",
  drain: "__gsv_drain",
  pending: "__gsv_pending",
  failed: "__gsv_failed",
  comes: "__gsv_comes",
  before: "__gsv_before",
  event: "__gsv_event",
  last: "__gsv_last",
  source: "__gsv_source",
  functions: "__gsv_functions",
  home: "__gsv_home",
  isScript: "__gsv_isscript",
  status: "__gsv_status",
  handler: "__gsv_handler",
  lastJob: "__gsv_lastjob",
  file: "__gsv_file",
  range: "__gsv_range",
  directories: "__gsv_directories",
  value: "__gsv_value",
} as const;
