// Effects of a conversation: messages, answers to requests, how full the model's window is.

import { allProcesses } from "../../commands/proc/process-names.ts";
import { type HostCommand, withHostCommands } from "../../src/abi/process/host-commands.ts";
import { type Approval, type ProcessInfo, WORKING_STATES } from "../../src/abi/process/process.ts";
import { quoted } from "../../src/lib/text/quote.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import type { Answer } from "../../src/syscalls/approval/hil.ts";
import type { NotificationList } from "../../src/syscalls/due/notify-service.ts";
import type { Speaking } from "../../src/syscalls/repo/workspace.ts";
import type { Aborted, Answered, HistoryPage, Sent } from "../../src/syscalls/services.ts";
import { type EffectPorts, failed, worded } from "../effect-ports.ts";
import type { EffectOf } from "../state/effect.ts";
import type { Context } from "../state/process.ts";
import { SHOWN_MESSAGES } from "./attach.ts";
import { entriesOf } from "./collapsed.ts";
import { unsent } from "./send.ts";

const COMMANDS_KEPT = 5;
const FAREWELL_MS = 1000;

export class ChatEffects {
  private readonly sending = new Set<Promise<void>>();
  /** Commands on this computer since the last message. */
  private commands: HostCommand[] = [];

  constructor(private readonly ports: EffectPorts) {}

  send(effect: EffectOf<"send">): void {
    const sending = this.sent(effect).finally(() => this.sending.delete(sending));
    this.sending.add(sending);
  }

  noteCommand(command: HostCommand): void {
    this.commands = [...this.commands, command].slice(-COMMANDS_KEPT);
  }

  /** Withdraws a queued message, unless a run has it by now. */
  async withdraw(pid: string, runId: string): Promise<void> {
    const { aborted } = await this.ports.io.sys().call<Aborted>("proc.abort", { pid, runId });
    if (!aborted) failed(this.ports, "too late: the message was sent already");
  }

  /** Sends kept messages, and names the processes that continue. */
  async farewell(): Promise<void> {
    const { io, state, print } = this.ports;
    for (const effect of unsent(state())) this.send(effect);
    const going = allProcesses(io)
      .catch(() => [])
      .then((processes) => {
        const text = farewellText(processes);
        if (text !== null) print({ kind: "note", text });
      });
    await Promise.race([Promise.all([...this.sending, going]), io.clock.sleep(FAREWELL_MS)]);
  }

  private async sent({ pid, key, text, interrupt }: EffectOf<"send">): Promise<void> {
    const { io, dispatch } = this.ports;
    const commands = text.startsWith("/") ? [] : this.commands.splice(0);
    const message = commands.length === 0 ? text : await io.conceal(withHostCommands(text, commands));
    const args = { pid, message, ...(interrupt ? { interrupt } : {}) };
    try {
      const sent = await io.sys().call<Sent | Answered>("proc.send", args);
      if (sent.runId === null) dispatch({ type: "answered", key, text: sent.response });
      else dispatch({ type: "sent", key, runId: sent.runId });
    } catch (error) {
      dispatch({ type: "refused", key, message: text, why: worded(error) });
    }
  }

  /** If the call fails there is no meter. */
  async measure(pid: string): Promise<void> {
    const { io, state, dispatch } = this.ports;
    const view = await io
      .sys()
      .call<{ readonly context: Context }>("proc.history.policy", { pid })
      .catch(() => null);
    if (state().process.pid === pid) dispatch({ type: "measured", context: view?.context ?? null });
  }

  async countNews(): Promise<void> {
    const { io, dispatch } = this.ports;
    const { unread } = await io
      .sys()
      .call<NotificationList>("notify.list", { unread: true, limit: 1 })
      .catch(() => ({ unread: 0 }));
    if (unread > 0) dispatch({ type: "counted", unread });
  }

  /** After a command that may have changed the model of the attached process. */
  async nameModel(): Promise<void> {
    const { io, state, dispatch } = this.ports;
    const { pid } = state().process;
    const named = await io
      .sys()
      .call<{ readonly answers: string }>("proc.model", { pid })
      .catch(() => null);
    if (named !== null) dispatch({ type: "modelled", pid, model: named.answers });
  }

  /** A refused answer is noted in the transcript; the card stays. */
  async answer(given: Answer): Promise<void> {
    const { io, print } = this.ports;
    try {
      const { about } = await io.sys().call<Approval>("hil.answer", given);
      if (given.decision === "approve" && about?.attaches !== undefined) await this.nameUntrusted(about.attaches);
    } catch (error) {
      print({ kind: "note", text: `Not answered: ${worded(error)}` });
    }
  }

  /** Names the instruction files of a directory that was just attached: agents get them only after the person trusts it. */
  private async nameUntrusted(directory: string): Promise<void> {
    const { io, print } = this.ports;
    const asked = io.sys().call<Speaking>("workspace.speaks", { id: directory });
    const { trusted, files } = await asked.catch(() => ({ trusted: true, files: [] }));
    if (trusted || files.length === 0) return;
    const names = files.map(({ path }) => path.slice(path.lastIndexOf("/") + 1)).join(", ");
    const text = `Agents do not get ${names} until you trust this directory: workspace trust ${quoted(directory)}`;
    print({ kind: "note", text });
  }

  async showAsk(id: string): Promise<void> {
    const [ask, { approvalText }, { realSubject }] = await Promise.all([
      this.stored(id),
      import("../../commands/approvals/approval-card-text.ts"),
      import("../approval-card/approval-card-title.ts"),
    ]);
    if (ask === null) return;
    const [head = "", ...rest] = approvalText(ask).split("\n");
    // The file first: below a long diff it would be missed.
    const file = ask.about?.path === undefined ? [] : [`  file: ${reveal(ask.about.path)}`];
    const [subject = ""] = ask.kind === "question" ? [] : realSubject({ ...ask, since: 0 }).split("\n");
    const title = subject === "" ? `request of ${ask.pid}` : `${reveal(ask.tool)} ${reveal(subject)}`;
    this.ports.dispatch({ type: "paged", title, text: [head, ...file, ...rest].join("\n") });
  }

  /** The person edits the call in their editor and approves the result. */
  async editAsk(id: string): Promise<void> {
    const { io, dispatch } = this.ports;
    try {
      const [ask, { editedArgs, UNCHANGED }] = await Promise.all([
        this.stored(id),
        import("../../commands/approvals/edited-call.ts"),
      ]);
      if (ask === null) return;
      const args = await editedArgs(io, ask);
      if (args === null) return failed(this.ports, UNCHANGED);
      const seen = ask.hash === "" ? {} : { hash: ask.hash };
      await io.sys().call("hil.answer", { id, decision: "approve", args, ...seen });
    } catch (error) {
      failed(this.ports, worded(error));
    } finally {
      dispatch({ type: "terminal-back" });
    }
  }

  private async stored(id: string): Promise<Approval | null> {
    const { approvals } = await this.ports.io.sys().call<{ approvals: readonly Approval[] }>("hil.list", { id });
    return approvals[0] ?? null;
  }

  /** Signals were lost: reads the messages that were stored meanwhile. */
  async catchUp(pid: string, afterSeq: number): Promise<void> {
    const { io, dispatch, print } = this.ports;
    const query = afterSeq > 0 ? { pid, afterSeq } : { pid, limit: SHOWN_MESSAGES };
    const [page, info] = await Promise.all([
      io.sys().call<HistoryPage>("proc.history", query),
      io.sys().call<ProcessInfo>("proc.get", { pid }),
    ]);
    for (const entry of entriesOf(page)) if (entry.kind !== "message") print(entry);
    dispatch({ type: "refreshed", info });
  }
}

/** `2 tasks keep running, 1 waits for you. Run gsv to return.` null if there is nothing to say. */
function farewellText(processes: readonly ProcessInfo[]): string | null {
  const running = processes.filter(({ state }) => WORKING_STATES.includes(state)).length;
  const waiting = processes.filter(({ state }) => state === "waiting_hil").length;
  if (running + waiting === 0) return null;
  const tasks = (count: number) => `${count} ${count === 1 ? "task" : "tasks"}`;
  const going = running === 0 ? [] : [`${tasks(running)} ${running === 1 ? "keeps" : "keep"} running`];
  const who = running === 0 ? tasks(waiting) : String(waiting);
  const asking = waiting === 0 ? [] : [`${who} ${waiting === 1 ? "waits" : "wait"} for you`];
  return `${[...going, ...asking].join(", ")}. Run gsv to return.`;
}
