// What judges the calls of agents, put together: policies, the parser for commands, what a repository brings along, the questions that wait.

import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Namespace } from "../../fs/namespace.ts";
import { SysError } from "../abi/errno.ts";
import type { Caller } from "../abi/identity.ts";
import type { Core } from "../boot.ts";
import { filesByTarget } from "../kernel/files/file-targets.ts";
import type { HostFiles } from "../kernel/files/host-files.ts";
import { carryOut } from "../process/approvals/approvals.ts";
import { Judge } from "../process/approvals/policy/judge.ts";
import { Policies } from "../process/approvals/policy/policies.ts";
import { modeFloor } from "../process/approvals/policy/service.ts";
import type { ParseShell } from "../process/approvals/policy/shell-parts.ts";
import { Questions } from "../process/approvals/questions.ts";
import type { Ledger } from "../process/life/ledger.ts";
import type { Runners } from "../process/run/runners.ts";
import type { ProcessRow } from "../store/kernel/processes/processes.ts";
import type { Web } from "../syscalls/run/net-service.ts";
import type { ShellParts } from "../workers/shell-workers.ts";
import { foreseer } from "./preview.ts";
import type { FileParts } from "./services.ts";

export interface PolicyParts {
  readonly policies: Policies;
  readonly judge: Judge;
  readonly questions: Questions;
  readonly mayBe: ReturnType<typeof modeFloor>;
}

interface Around {
  readonly files: FileParts;
  readonly shells: ShellParts;
  readonly web: Web;
  readonly hostFiles: HostFiles;
  readonly ledger: Ledger;
  /** Made after what it is handed to. */
  readonly runners: () => Runners;
}

const POLICY_FILE = ".gsv/policy.json";
const POLICY_BYTES_MAX = 64 * 1024;
const SHOWN_BYTES_MAX = 256 * 1024;

export function bootPolicy(core: Core, { files, shells, hostFiles, web, ledger, runners }: Around): PolicyParts {
  const { kernel, processes: store, machine, callers, settings, onFault } = core;
  const { clock, random } = machine;
  const { namespace } = files.options;
  const textIn = async (row: ProcessRow, path: string, bytesMax: number) =>
    textOf(namespace, await callers.process(row), { path, bytesMax });
  const policies = new Policies({
    ...{ kernel, clock, random },
    async repository(row, directory) {
      const workspace = row.workspaceId === null ? null : await kernel.workspaces.get(row.workspaceId);
      const onHost = directory ?? workspace?.directory ?? null;
      if (onHost !== null) return fileOfHost(join(onHost, POLICY_FILE));
      if (workspace === null) return null;
      return await textIn(row, `/workspaces/${workspace.id}/${POLICY_FILE}`, POLICY_BYTES_MAX);
    },
  });
  const judge = new Judge({
    hostGround: shells.hostGround,
    hostFile: async (row, path) => hostFiles.ground(row, await callers.process(row), path),
    proposal: async (row, key, value) => settings.proposal(await callers.process(row), key, value),
    locate: async (row, path) => files.locate(await callers.process(row), path),
    layers: (row, directory) => policies.layers(row, directory),
    async textOf(row, path, target) {
      if (target === "gsv") return await textIn(row, path, SHOWN_BYTES_MAX);
      return await textOf(hostFiles.namespace, await callers.process(row), { path, bytesMax: SHOWN_BYTES_MAX });
    },
    parser: shellParser,
    foresee: foreseer({ callers, shells, web, files: filesByTarget(files.service, hostFiles.files) }),
  });
  const questions = new Questions({
    ...{ clock, onFault, approvals: kernel.approvals },
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

let parser: Promise<ParseShell> | null = null;

/** The interpreter's own, loaded when a line needs it. */
function shellParser(): Promise<ParseShell> {
  parser ??= import("just-bash/browser").then(({ Bash }) => {
    const bash = new Bash({ defenseInDepth: false, commands: [] });
    return (text) => bash.transform(text).ast;
  });
  return parser;
}

/** Null where there is none, or none that is text and short enough. */
async function textOf(
  namespace: Namespace,
  caller: Caller,
  { path, bytesMax }: { readonly path: string; readonly bytesMax: number },
): Promise<string | null> {
  try {
    const { bytes, eof } = await namespace.read(caller, path, { offset: 0, bytesMax });
    return eof ? new TextDecoder("utf-8", { fatal: true }).decode(bytes) : null;
  } catch (error) {
    if (error instanceof SysError || error instanceof TypeError) return null;
    throw error;
  }
}

/** What is there and cannot be read is no policy, and that asks. */
function fileOfHost(path: string): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (!stat.isFile() || stat.size > POLICY_BYTES_MAX) return "";
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
