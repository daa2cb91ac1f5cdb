// What is said to the kernel in a conversation: messages, answers to what asks, and how full the window of the model is.

import { allProcesses } from "../../commands/proc/top.ts";
import { type HostCommand, withHostCommands } from "../../src/abi/process/host-commands.ts";
import { type Approval, type ProcessInfo, WORKING_STATES } from "../../src/abi/process/process.ts";
import { quoted } from "../../src/lib/text/quote.ts";
import type { Answer } from "../../src/syscalls/approval/approval-service.ts";
import type { Speaking } from "../../src/syscalls/repo/workspace-service.ts";
import type { Aborted, Answered, Sent } from "../../src/syscalls/services.ts";
import type { EffectPorts } from "../effect-ports.ts";
import { worded } from "../screen/worded.ts";
import type { Context } from "../state/process.ts";
import { type SendEffect, unkept } from "./send.ts";

const COMMANDS_KEPT = 5;
/** Nobody who leaves waits for longer. */
const FAREWELL_MS = 1000;

export class ChatEffects {
  /** Messages that the kernel has not taken yet. */
  private readonly sending = new Set<Promise<void>>();
  /** Commands on this computer that the next message tells about. */
  private ran: HostCommand[] = [];

  constructor(private readonly options: EffectPorts) {}

  send(effect: SendEffect): void {
    const sending = this.sent(effect).finally(() => this.sending.delete(sending));
    this.sending.add(sending);
  }

  /** The next message tells about this command. */
  noteCommand(command: HostCommand): void {
    this.ran = [...this.ran, command].slice(-COMMANDS_KEPT);
  }

  /** Takes a message back, unless a run has it by now. */
  async withdraw(pid: string, runId: string): Promise<void> {
    const { io, happen } = this.options;
    try {
      const { aborted } = await io.sys().call<Aborted>("proc.abort", { pid, runId });
      if (!aborted) happen({ type: "told", text: "too late: it was said already", at: io.clock.now() });
    } catch (error) {
      happen({ type: "told", text: worded(error), at: io.clock.now() });
    }
  }

  /** Whoever leaves takes nothing along that was to be said, and is told what goes on. */
  async farewell(): Promise<void> {
    const { io, state, print } = this.options;
    for (const effect of unkept(state())) this.send(effect);
    const going = this.processes().then((processes) => {
      const text = leftText(processes);
      if (text !== null) print({ kind: "note", text });
    });
    await Promise.race([Promise.all([...this.sending, going]), io.clock.sleep(FAREWELL_MS)]);
  }

  private async processes(): Promise<readonly ProcessInfo[]> {
    return await allProcesses(this.options.io).catch(() => []);
  }

  private async sent({ pid, key, text, interrupt }: SendEffect): Promise<void> {
    const { io, happen } = this.options;
    const ran = text.startsWith("/") ? [] : this.ran.splice(0);
    const message = ran.length === 0 ? text : await io.conceal(withHostCommands(text, ran));
    const args = { pid, message, ...(interrupt ? { interrupt } : {}) };
    try {
      const sent = await io.sys().call<Sent | Answered>("proc.send", args);
      if (sent.runId === null) happen({ type: "answered", key, text: sent.response });
      else happen({ type: "sent", key, runId: sent.runId });
    } catch (error) {
      happen({ type: "refused", key, message: text, why: worded(error) });
    }
  }

  /** Where it cannot be told there is no meter, and nothing else is lost. */
  async measure(pid: string): Promise<void> {
    const { io, state, happen } = this.options;
    const view = await io
      .sys()
      .call<{ readonly context: Context }>("proc.history.policy", { pid })
      .catch(() => null);
    if (state().pid === pid) happen({ type: "filled", context: view?.context ?? null });
  }

  /** What was not taken is told where it stays: the card is still there. */
  async answer(given: Answer): Promise<void> {
    const { io, print } = this.options;
    try {
      const { about } = await io.sys().call<Approval>("hil.answer", given);
      if (given.decision === "approve" && about?.attaches !== undefined) await this.nameUntold(about.attaches);
    } catch (error) {
      print({ kind: "note", text: `not answered: ${worded(error)}` });
    }
  }

  /** What a directory that has just been attached would tell agents, and may not before a person has read it. */
  private async nameUntold(directory: string): Promise<void> {
    const { io, print } = this.options;
    const speaking = io.sys().call<Speaking>("workspace.speaks", { id: directory });
    const { trusted, files } = await speaking.catch(() => ({ trusted: true, files: [] }));
    if (trusted || files.length === 0) return;
    const names = files.map(({ path }) => path.slice(path.lastIndexOf("/") + 1)).join(", ");
    const text = `${names} is not told to agents before you trust it: workspace trust ${quoted(directory)}`;
    print({ kind: "note", text });
  }

  async showAsk(id: string): Promise<void> {
    const { io, happen } = this.options;
    try {
      const [ask, { approvalText }] = await Promise.all([
        this.asked(id),
        import("../../commands/approvals/approval-text.ts"),
      ]);
      if (ask !== null) happen({ type: "paged", title: `what ${ask.pid} asks`, text: approvalText(ask) });
    } catch (error) {
      happen({ type: "told", text: worded(error), at: io.clock.now() });
    }
  }

  /** Has the terminal: a person changes it in their editor, and allows what came of it. */
  async editAsk(id: string): Promise<void> {
    const { io, happen } = this.options;
    try {
      const [ask, { editedArgs, UNCHANGED }] = await Promise.all([
        this.asked(id),
        import("../../commands/approvals/edited-call.ts"),
      ]);
      if (ask === null) return;
      const args = await editedArgs(io, ask);
      if (args === null) return happen({ type: "told", text: UNCHANGED, at: io.clock.now() });
      const seen = ask.hash === "" ? {} : { hash: ask.hash };
      await io.sys().call("hil.answer", { id, decision: "approve", args, ...seen });
    } catch (error) {
      happen({ type: "told", text: worded(error), at: io.clock.now() });
    } finally {
      happen({ type: "seen" });
    }
  }

  /** As it is stored: what a list shows may be cut. */
  private async asked(id: string): Promise<Approval | null> {
    const { approvals } = await this.options.io.sys().call<{ approvals: readonly Approval[] }>("hil.list", { id });
    return approvals[0] ?? null;
  }
}

/** What goes on and what waits; null where nothing does. */
function leftText(processes: readonly ProcessInfo[]): string | null {
  const working = processes.filter(({ state }) => WORKING_STATES.includes(state)).length;
  const waiting = processes.filter(({ state }) => state === "waiting_hil").length;
  if (working + waiting === 0) return null;
  const tasks = (count: number) => `${count} ${count === 1 ? "task" : "tasks"}`;
  const going = working === 0 ? [] : [`${tasks(working)} ${working === 1 ? "goes" : "go"} on`];
  const who = working === 0 ? tasks(waiting) : String(waiting);
  const asking = waiting === 0 ? [] : [`${who} ${waiting === 1 ? "waits" : "wait"} for you`];
  return `${[...going, ...asking].join(", ")}: gsv brings you back`;
}
