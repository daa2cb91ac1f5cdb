// Test files that cost more than 0.6 seconds of CPU each: most of what all cost. `npm test` runs one of three groups of them, by the
// seed; `npm run soak` and `npm test -- ./test` run all. Files that look at the whole product (its texts, calls and rights) always run.

/** Groups of the same cost, measured with `bun test FILE` and the shell's `time`. */
const GROUPS = [
  `
    backup/hostile backup/load backup/repos boot/sign-in commands/acp/follow commands/approve-edit
    commands/crash commands/doctor commands/files/attached commands/files/cp commands/files/patterns
    commands/global-flags commands/hostile commands/looks commands/man commands/mcp-server/program
    commands/not-found commands/roff commands/sh-mistakes commands/storage-migrate commands/usage-lines
    crash/disk crash/held crash/host crash/places crash/points crash/readonly crash/rollforward
    doctor/databases doctor/repositories due/agents due/ipc-background due/notifications due/own-news
    due/watches hooks/allowing hooks/notices kernel/log-file kernel/receipts kernel/sys-files kernel/users
    links/mcp/conformance objects/disk process/attacks/addresses process/attacks/paths process/chat-asking
    process/checkpoint process/exits process/file-use process/fork process/heavy process/idle
    process/long-script process/loops process/manager/asking process/manager/lifecycle
    process/manager/start-stop process/model-choice process/outage process/policy/cards
    process/policy/run-again process/queue process/recovery process/reset process/rights
    process/script-messages process/search/search process/spawn process/told process/undo process/wait
    repos/guard repos/hostile repos/quick repos/remotes seeds/manager-program seeds/manager-services
    seeds/processes serve/metrics serve/program sessions/arrival sessions/model sessions/property
    sessions/shown store/migrate store/reconcile targets/exploding targets/jobs targets/line-ends
    targets/live-loops targets/mistakes targets/pipes targets/redirections tui/allowing tui/cards
    tui/first-hour tui/line tui/linked tui/names tui/plan tui/restored tui/schedules tui/signals tui/states
    tui/web/console tui/web/voice`,
  `
    boot/early-kernel commands/acp/agent commands/acp/choices commands/complete commands/did-you-mean
    commands/ipc commands/notify commands/pipe commands/sched commands/stdin commands/typed-secrets
    crash/burst crash/calls crash/corrupt crash/homes crash/lock crash/logs crash/pipes crash/random
    crash/spending doctor/bucket doctor/home doctor/passing due/cron-files due/many due/scheduler fs/disk
    fs/model fs/mounts fs/real-paths fs/repo kernel/cache-memory kernel/config kernel/dispatch kernel/entries
    kernel/heap kernel/lifetime kernel/setup kernel/storage-rebuild kernel/workspaces links/mcp/asking
    links/mcp/code links/mcp/left-behind objects/crash objects/s3 process/agents process/archives
    process/budget-routes process/budgets process/children process/compaction/lasting process/compaction/wire
    process/control-files process/cost-wire process/crashes process/failures process/gone process/host-files
    process/images process/keys process/kill process/kill-signals process/manager/interleaving
    process/manager/tools process/media process/models process/paused-runs process/policy/answering
    process/policy/dangers process/policy/foreseen process/policy/injected process/policy/plan process/prompt
    process/raise process/reset-parts process/restart process/rewind process/signals process/stale
    process/tools repos/first-file repos/homes seeds/manager-methods serve/bad-input sessions/scope
    sessions/sessions sessions/typed-keys store/process-files store/process-store store/wal targets/appends
    targets/arithmetic targets/bin targets/endless targets/select targets/volume tui/card-keys tui/chosen
    tui/going tui/here tui/host-line tui/model-trouble tui/newcomer tui/plain tui/rendering tui/safety
    tui/shell tui/web/conversation`,
  `
    backup/kept backup/killed backup/moving commands/completion-shells commands/context commands/fetch
    commands/files/edit commands/files/programs commands/hooks commands/host-shell commands/jq
    commands/mcp-server/approvals commands/mcp-server/limits commands/mcp-server/tools commands/pager
    commands/shown-values commands/small commands/undo crash/inprocess crash/ipc crash/lost crash/schedules
    crash/seams crash/stack crash/suspended doctor/live doctor/objects due/cron due/ipc due/targets
    fs/host-links fs/mounted fs/proc-files fs/stream hooks/veto kernel/contract kernel/file-tree kernel/login
    kernel/resends kernel/retention kernel/storage kernel/tokens links/mcp/agents links/mcp/attacks
    links/mcp/bill links/mcp/http links/mcp/link process/approvals process/attacks/commands
    process/attacks/orders process/attacks/spellings process/bad-environment process/charged-later
    process/chat process/codemode process/compaction/runs process/context-reset process/faults process/fetch
    process/lanes process/manager/messages process/manager/subscriptions process/missing-models
    process/model-servers process/models-listed process/offline process/policy/allowing process/policy/modes
    process/sender-credits process/shell-tool process/stack process/tasks process/timeouts process/usage
    providers/wire repos/watch rpc/frame rpc/frames rpc/server seeds/differences seeds/sessions serve/cuts
    serve/entry serve/event-cuts serve/events serve/files serve/install serve/keys serve/sessions
    sessions/inbound sessions/independence sessions/keys setup store/crash store/disk-full store/properties
    targets/coproc targets/corpus targets/gsv targets/tar tools/code tui/alike tui/golden tui/habits tui/jobs
    tui/people tui/several tui/views`,
].map((names) =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => `test/${name}.test.ts`),
);

export const TURNS = GROUPS.length;

/** Those of these files that have their turn with this seed. */
export function filesOfRun(files: readonly string[], seed: number): readonly string[] {
  const waiting = new Set(GROUPS.filter((_, group) => group !== seed % TURNS).flat());
  return files.filter((file) => !waiting.has(file));
}

/** Names that stand here without a file. */
export function lostFiles(files: readonly string[]): readonly string[] {
  return GROUPS.flat().filter((name) => !files.includes(name));
}
