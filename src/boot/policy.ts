// Builds the approval of agent calls: policies, shell parser, open questions.

import { nextTimesText } from "../due/card.ts";
import { timezoneOf } from "../due/default-zone.ts";
import { filesByTarget } from "../kernel/files/file-targets.ts";
import { filesBelow } from "../kernel/shells/file-count.ts";
import { attachedPaths, realPathIn } from "../kernel/workspaces/real-paths.ts";
import type { LinkedTools } from "../links/mcp/linked-tools.ts";
import { carryOut } from "../process/approvals/approvals.ts";
import { Judge } from "../process/approvals/policy/judge.ts";
import { Policies } from "../process/approvals/policy/policies.ts";
import { PolicyFiles } from "../process/approvals/policy/policy-files.ts";
import { scheduleChanges } from "../process/approvals/policy/schedule-lines.ts";
import { modeFloor } from "../process/approvals/policy/service.ts";
import { previewer } from "../process/approvals/preview.ts";
import { Questions } from "../process/approvals/questions.ts";
import type { Ledger } from "../process/life/ledger.ts";
import type { Runners } from "../process/run/runners.ts";
import { shellParser } from "../workers/shell-parser.ts";
import type { Core, FileParts, PolicyParts, TargetParts } from "./core.ts";

interface PolicyPorts extends Omit<TargetParts, "blocks"> {
  readonly files: FileParts;
  readonly linked: Pick<LinkedTools, "use" | "needCallable">;
  readonly ledger: Ledger;
  /** Built after the policy. */
  readonly runners: () => Runners;
}

export function bootPolicy(
  core: Core,
  { files, shells, hostFiles, web, linked, ledger, runners }: PolicyPorts,
): PolicyParts {
  const { kernel, processes: store, machine, callers, settings } = core;
  const { clock, random } = machine;
  const zone = timezoneOf(kernel.config);
  const read = new PolicyFiles({ kernel, callers, gsv: files.options.namespace, host: hostFiles.namespace });
  const policies = new Policies({
    kernel,
    clock,
    random,
    async ofSchedule({ pid, profile, label, ownerUid }) {
      const schedule = profile !== "cron" || label === null ? null : await kernel.schedules.named(ownerUid, label);
      if (schedule?.target.kind !== "task" || schedule.target.policy === undefined) return null;
      if (!(await kernel.occurrences.isOf(schedule.id, pid))) return null;
      return { name: `the policy of schedule ${schedule.name}`, policy: schedule.target.policy };
    },
    repository: (row, directory) => read.repository(row, directory),
  });
  const judge = new Judge({
    hostGround: shells.hostGround,
    hostFile: async (row, path) => hostFiles.ground(row, await callers.process(row), path),
    proposal: async (row, key, value) => settings.proposal(await callers.process(row), key, value),
    locate: async (row, path) => files.locate(await callers.process(row), path),
    layers: (row, directory) => policies.layers(row, directory),
    textOf: (row, path, target) => read.text(row, path, target),
    parser: shellParser,
    async processAt({ ownerUid }, pid) {
      const other = await kernel.processes.get(pid);
      return other?.ownerUid === ownerUid ? other : null;
    },
    filesBelow,
    otherNames: async (row, path, target) => {
      const other =
        target === "host"
          ? await files.options.namespace.named(await callers.process(row), path)
          : await realPathIn(kernel, path);
      return other === path ? [] : [other];
    },
    attached: (row) => attachedPaths(kernel, row.ownerUid),
    async schedules(row, { commands }) {
      const changes = scheduleChanges(commands);
      if (changes.length === 0) return [];
      const now = { now: clock.now(), zone: await zone({ caller: await callers.process(row) }) };
      return changes.map((change) => nextTimesText(change, now));
    },
    toolUse: (row, tool) => linked.use(row, tool),
    dryRun: previewer({ callers, shells, web, files: filesByTarget(files.service, hostFiles.files), tools: linked }),
  });
  const questions = new Questions({
    clock,
    approvals: kernel.approvals,
    sourceOf: async (pid) => (await kernel.sessions.ofProcess(pid))?.source ?? null,
    async close({ pid }, given) {
      const row = await kernel.processes.get(pid);
      if (row?.phase !== "live") return;
      await carryOut({ store, ledger, runners: runners() }, row, { ...given, now: clock.now() });
    },
  });
  const osUid = process.getuid?.() ?? 0;
  return { policies, judge, questions, mayBe: modeFloor({ kernel, osUid, sandbox: shells.sandboxName }) };
}
