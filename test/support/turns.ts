// Test files that cost more than two seconds of CPU each: half of all that a run takes. `npm test` runs every second one of them, by the
// seed; `npm run soak` and `npm test -- ./test` run all.

/** Measured with `bun test FILE` and the shell's `time`. */
const SLOW = `
  backup/killed
  backup/load
  commands/files/cp
  crash/burst
  crash/calls
  crash/corrupt
  crash/disk
  crash/homes
  crash/host
  crash/schedules
  crash/seams
  crash/stack
  doctor/bucket
  doctor/databases
  doctor/live
  due/cron
  due/notifications
  due/scheduler
  hooks/veto
  kernel/heap
  kernel/retention
  kernel/setup
  kernel/storage
  links/mcp/agents
  objects/s3
  process/attacks/spellings
  process/budgets
  process/checkpoint
  process/codemode
  process/compaction/runs
  process/control-files
  process/cost-wire
  process/exits
  process/failures
  process/file-use
  process/heavy
  process/host-files
  process/idle
  process/images
  process/kill-signals
  process/manager/asking
  process/manager/subscriptions
  process/media
  process/model-choice
  process/models
  process/models-listed
  process/outage
  process/paused-runs
  process/policy/allowing
  process/policy/answering
  process/policy/cards
  process/policy/dangers
  process/policy/injected
  process/policy/modes
  process/search/search
  process/shell-tool
  process/stale
  process/told
  process/tools
  process/undo
  repos/guard
  repos/homes
  repos/hostile
  repos/quick
  serve/bad-input
  serve/cuts
  serve/event-cuts
  serve/install
  serve/program
  sessions/independence
  targets/bin
  targets/corpus
  targets/endless
  targets/gsv
  targets/jobs
  tools/code
  tui/model-trouble
  tui/safety
  tui/shell
  tui/web/console
  tui/web/voice
`
  .trim()
  .split(/\s+/)
  .map((name) => `test/${name}.test.ts`);

/** Those of these files that have their turn with this seed. */
export function filesOfRun(files: readonly string[], seed: number): readonly string[] {
  const waiting = new Set(SLOW.filter((_, at) => (at + seed) % 2 !== 0));
  return files.filter((file) => !waiting.has(file));
}

/** Names that stand here without a file. */
export function lostFiles(files: readonly string[]): readonly string[] {
  return SLOW.filter((name) => !files.includes(name));
}
