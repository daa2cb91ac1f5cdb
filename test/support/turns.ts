// Test files that cost more than one second of CPU each: four fifths of all that a run takes. `npm test` runs one of three groups of them, by
// the seed; `npm run soak` and `npm test -- ./test` run all. Files that look at the whole product (its texts, calls and rights) always run.

/** Groups of the same cost, measured with `bun test FILE` and the shell's `time`. */
const GROUPS = [
  `
    backup/hostile backup/load backup/repos boot/sign-in commands/crash commands/doctor
    commands/files/attached commands/files/cp commands/global-flags commands/hostile commands/man
    commands/not-found commands/sh-mistakes crash/disk crash/held crash/host crash/places doctor/databases
    due/agents due/notifications due/own-news due/watches hooks/allowing hooks/notices kernel/sys-files
    process/attacks/addresses process/attacks/paths process/chat-asking process/checkpoint process/exits
    process/file-use process/fork process/heavy process/idle process/loops process/manager/asking
    process/manager/lifecycle process/manager/start-stop process/model-choice process/outage
    process/policy/cards process/policy/run-again process/queue process/recovery process/reset process/rights
    process/script-messages process/search/search process/told process/undo repos/guard repos/hostile
    repos/quick repos/remotes seeds/manager-program seeds/manager-services seeds/processes serve/program
    sessions/arrival sessions/property sessions/shown store/migrate store/reconcile targets/jobs
    targets/mistakes targets/pipes targets/redirections tui/allowing tui/cards tui/first-hour tui/line
    tui/linked tui/plan tui/restored tui/signals tui/web/console tui/web/voice`,
  `
    commands/acp/agent commands/did-you-mean commands/ipc commands/sched crash/burst crash/calls crash/corrupt
    crash/homes crash/pipes crash/random doctor/bucket due/scheduler fs/model fs/mounts fs/real-paths
    kernel/cache-memory kernel/config kernel/dispatch kernel/entries kernel/heap kernel/setup
    kernel/storage-rebuild kernel/workspaces links/mcp/left-behind objects/crash objects/s3 process/agents
    process/archives process/budget-routes process/budgets process/children process/compaction/wire
    process/control-files process/cost-wire process/crashes process/failures process/host-files process/images
    process/keys process/kill-signals process/media process/models process/paused-runs
    process/policy/answering process/policy/dangers process/policy/injected process/policy/plan process/prompt
    process/raise process/reset-parts process/restart process/rewind process/signals process/stale
    process/tools repos/first-file repos/homes seeds/manager-methods serve/bad-input sessions/scope
    sessions/sessions store/process-files store/process-store targets/appends targets/arithmetic targets/bin
    targets/endless targets/volume tui/card-keys tui/chosen tui/going tui/here tui/host-line tui/model-trouble
    tui/newcomer tui/rendering tui/safety tui/shell tui/web/conversation`,
  `
    backup/kept backup/killed backup/moving commands/completion-shells commands/fetch commands/files/edit
    commands/files/programs commands/host-shell commands/jq commands/shown-values commands/small commands/undo
    crash/inprocess crash/ipc crash/lost crash/schedules crash/seams crash/stack doctor/live doctor/objects
    due/cron due/ipc due/targets fs/host-links fs/mounted fs/stream hooks/veto kernel/file-tree kernel/login
    kernel/resends kernel/retention kernel/storage links/mcp/agents links/mcp/link process/attacks/commands
    process/attacks/orders process/attacks/spellings process/charged-later process/chat process/codemode
    process/compaction/runs process/context-reset process/fetch process/manager/subscriptions
    process/missing-models process/model-servers process/models-listed process/offline process/policy/allowing
    process/policy/modes process/sender-credits process/shell-tool process/stack process/tasks
    process/timeouts process/usage repos/watch rpc/frame seeds/differences seeds/sessions serve/cuts
    serve/entry serve/event-cuts serve/events serve/files serve/install serve/keys serve/sessions
    sessions/independence setup store/crash store/properties targets/corpus targets/gsv tools/code tui/golden
    tui/habits tui/jobs tui/several`,
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
