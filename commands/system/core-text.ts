// The text of a crash record: what failed, the last steps, unfinished calls, and what to do now. Control characters are made visible. Pure.

import { type CoreMessage, type CrashCore, coreInstant } from "../../src/abi/process/crash.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { shortText } from "../../src/lib/text/truncate.ts";
import { aligned } from "../man/help-text.ts";
import { tookText } from "../proc/trace-table.ts";

const LINE_CHARS = 160;
const STEPS = 8;
const CALLS = 8;
const FAULT_LINES = 6;

const CLASSES: { readonly [reason: string]: string } = {
  fault: "an internal error of gsv",
  "kernel.deaths": "the kernel crashed repeatedly during the run",
  "model.protocol": "the model did not answer in the expected format",
  "model.config": "the model name or address is wrong",
  "model.auth": "the model server rejected the credential",
  "model.request": "the model server refused the request",
  "model.content": "the model server rejected the content",
  auto_resume_exhausted: "the model could not be reached after several attempts",
};

export function whyText(reason: string): string {
  return Object.hasOwn(CLASSES, reason) ? (CLASSES[reason] ?? "") : reveal(reason);
}

export function coreText(name: string, core: CrashCore): string {
  const { pid, label, owner, run, fault, messages, calls, inFlight, versions } = core;
  const facts = aligned([
    ["process", one(label === null ? pid : `${pid} (${label})`)],
    ["owner", one(owner)],
    ["when", new Date(coreInstant(name) ?? core.at).toISOString()],
    ["why", `${whyText(run.reason)} (${one(run.reason)})`],
    ["error", one(run.error)],
    ["run", one(run.id)],
    ["model", one(run.model ?? "-")],
    ["tokens", `${run.usage.input ?? 0} in, ${run.usage.output ?? 0} out`],
    ["gsv", one(`${versions.gsv} (${versions.commit}), Bun ${versions.bun}, ${versions.system}`)],
  ]);
  return [
    `${one(pid)} failed: ${one(run.error)}`,
    "",
    ...facts,
    ...part("WHERE", fault === null ? [] : fault.split("\n").slice(0, FAULT_LINES).map(one)),
    ...part("LAST STEPS", messages.slice(-STEPS).map(stepText)),
    ...part(
      "IN FLIGHT",
      inFlight.map(({ tool, args }) => one(`${tool} ${JSON.stringify(args)}`)),
    ),
    ...part(
      "LAST CALLS",
      calls
        .slice(-CALLS)
        .map((call) => one(`${call.call}(${call.args}) = ${call.outcome} <${tookText(Number(call.ms))}>`)),
    ),
    ...part("WHAT TO DO", whatToDo(name, core).map(one)),
  ].join("\n");
}

function part(head: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", head, ...lines.map((line) => `  ${line}`)];
}

function stepText({ role, content }: CoreMessage): string {
  if (typeof content === "string") return one(`${role}: ${content}`);
  const {
    text = "",
    toolCalls = [],
    toolName,
    outcome,
    output,
  } = (content ?? {}) as {
    readonly [name: string]: string | undefined;
  } & { readonly toolCalls?: readonly { readonly name: string; readonly args: unknown }[] };
  if (toolName !== undefined) return one(`${toolName}: ${outcome}: ${output}`);
  const called = Array.isArray(toolCalls)
    ? toolCalls.map((call) => ` [${call?.name} ${JSON.stringify(call?.args)}]`)
    : [];
  return one(`${role}: ${text}${called.join("")}`);
}

function one(text: unknown): string {
  return shortText(reveal(String(text)), LINE_CHARS);
}

function whatToDo(name: string, { pid, run }: CrashCore): readonly string[] {
  const again = `gsv send --pid ${pid} "Go on."`;
  switch (run.reason) {
    case "fault":
    case "kernel.deaths":
      return [`gsv bugreport ${name}: collects what is needed for a report; sends nothing`, `${again}: tries again`];
    case "model.auth":
      return ["gsv auth setup: sets a key", again];
    case "model.config":
      return [`gsv model ${pid}: shows its model; gsv ai models lists all`, again];
    case "auto_resume_exhausted":
      return ["gsv outage: shows which providers do not answer", again];
    case "model.protocol":
      return [`gsv model ${pid} PROVIDER/MODEL: changes the model`, again];
    default:
      return [`gsv history show --pid ${pid}: shows the whole conversation`, again];
  }
}
