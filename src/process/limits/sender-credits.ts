// Credits of senders. In a session of another channel each answer costs its sender one credit, charged with the answer and checked before
// the next one. Without credits the process stops until the sender has some again. Owners, terminals and browsers pay nothing.

import { isAtHand } from "../../abi/process/lifecycle.ts";
import type { UsageRow } from "../../abi/process/process.ts";
import { senderOf } from "../../abi/process/session.ts";
import { CreditGate } from "../../kernel/accounts/credits.ts";
import { settingsFor } from "../../kernel/settings/config.ts";
import type { Clock } from "../../lib/clock.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { SessionRow } from "../../store/kernel/processes/sessions.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { Ledger } from "../life/ledger.ts";
import type { Stopping } from "./timeouts.ts";

export interface SenderCreditPorts {
  readonly kernel: Pick<KernelStore, "sessions" | "credits" | "config" | "processes">;
  readonly store: Pick<ProcessStore, "head">;
  readonly ledger: Pick<Ledger, "emit">;
  readonly control: () => Stopping;
  readonly clock: Clock;
}

type Paying = SessionRow & { readonly sender: string };

const EXHAUSTED = "no credits left for";

export class SenderCredits {
  private readonly gate: CreditGate;

  constructor(private readonly ports: SenderCreditPorts) {
    this.gate = new CreditGate({ credits: ports.kernel.credits, clock: ports.clock });
  }

  async holdsBack(row: ProcessRow): Promise<boolean> {
    const session = await this.paying(row.pid);
    if (session === null || (await this.gate.mayStart(walletOf(session)))) return false;
    const wallet = clip(session.sender);
    const text = `${EXHAUSTED} ${wallet}`;
    this.emit(row, session, { available: 0, isExhausted: true, text });
    await this.ports.control().stop(row, { why: `${text}; add some: gsv credits grant ${wallet} 100` });
    return true;
  }

  /** Charging the same answer again costs nothing. */
  async charge(row: ProcessRow, usage: readonly UsageRow[]): Promise<void> {
    const answers = usage.filter(({ wasted }) => !wasted);
    const session = answers.length === 0 ? null : await this.paying(row.pid);
    if (session === null) return;
    for (const { runId, turn } of answers) {
      const reference = `${runId}:${turn}`;
      const charged = await this.gate.chargeTurn({ ...walletOf(session), reference, sessionId: session.id });
      const { available, isLow } = charged;
      if (charged.isKnown || !isLow) continue;
      const text = `${clip(session.sender)} has ${available} credits left`;
      this.emit(row, session, { available, isExhausted: false, text });
    }
  }

  /** Resumes processes that stopped because this wallet was empty. */
  async toppedUp(ownerUid: number, wallet: string): Promise<void> {
    const { kernel, store, control } = this.ports;
    for (const { pid } of await kernel.sessions.ofSender(ownerUid, wallet)) {
      const row = pid === null ? null : await kernel.processes.get(pid);
      if (row === null || row.phase !== "live" || row.state !== "stopped") continue;
      const { stoppedWhy } = await store.head(row.pid);
      if (stoppedWhy?.startsWith(EXHAUSTED)) await control().resume(row);
    }
  }

  private emit(
    row: ProcessRow,
    { sender: wallet }: Paying,
    about: { readonly available: number; readonly isExhausted: boolean; readonly text: string },
  ): void {
    this.ports.ledger.emit(row, { name: "process.credits", wallet, ...about });
  }

  private async paying(pid: string): Promise<Paying | null> {
    const { kernel } = this.ports;
    const session = await kernel.sessions.ofProcess(pid);
    const sender = session === null ? null : senderOf(session);
    if (session === null || sender === null || isAtHand(session.source)) return null;
    return (await ownersOf(kernel, session.ownerUid)).includes(sender) ? null : { ...session, sender };
  }
}

/** Addresses that are the owner's own. */
async function ownersOf(kernel: Pick<KernelStore, "config">, ownerUid: number): Promise<readonly unknown[]> {
  const setting = await settingsFor(kernel.config, { uid: ownerUid, client: undefined });
  return JSON.parse(setting("credits.owners").text) as unknown[];
}

function walletOf({ ownerUid, sender: wallet }: Paying) {
  return { ownerUid, wallet };
}
