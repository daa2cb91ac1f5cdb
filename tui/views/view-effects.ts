// What the views ask for, done: lists, logs, calls as they are made, who can answer. One trace is followed at a time.

import { lookAt } from "../../commands/proc/process-look.ts";
import { allProcesses } from "../../commands/proc/top.ts";
import type { Traced } from "../../commands/proc/trace-table.ts";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { messageOf, SysError } from "../../src/abi/errno.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { ModelInfo, ModelPage } from "../../src/syscalls/run/ai-service.ts";
import type { HistoryPage, TraceRow } from "../../src/syscalls/services.ts";
import type { BudgetInfo } from "../../src/syscalls/system/spending-service.ts";
import type { EffectPorts } from "../effect-ports.ts";
import { THEME_KEY } from "../screen/theme.ts";
import type { ViewEffect } from "../state/effect.ts";
import type { Item, Look } from "../state/views.ts";

/** How long the kernel waits for the next call before it is asked again. */
const TRACE_WAIT_MS = 20_000;

export class ViewEffects {
  private tracing = new AbortController();

  constructor(private readonly options: EffectPorts) {}

  async carryOut(effect: ViewEffect): Promise<void> {
    switch (effect.do) {
      case "list":
        return this.list();
      case "look":
        return this.look(effect.processes);
      case "trace":
        return this.trace(effect.pid, effect.after);
      case "log":
        return this.log(effect.pid);
      case "offer-models":
        return this.offerModels();
      case "theme":
        this.options.theme(effect.name);
        await this.options.io.sys().call("config.set", { key: THEME_KEY, value: effect.name });
        return;
    }
  }

  private async list(): Promise<void> {
    const { io, happen, state } = this.options;
    const [processes, day] = await Promise.all([allProcesses(io), state().view?.kind === "top" ? this.day() : null]);
    happen({ type: "listed", processes, day });
  }

  private async day(): Promise<BudgetInfo | null> {
    const { io, state } = this.options;
    const { budgets } = await io
      .sys()
      .call<{ budgets: readonly BudgetInfo[] }>("proc.budgets", {})
      .catch(() => ({ budgets: [] as readonly BudgetInfo[] }));
    return budgets.find(({ pid, owner }) => pid === null && owner === state().who.username) ?? null;
  }

  /** Who answers them, and how full their context is. What cannot be told is not shown. */
  private async look(processes: readonly ProcessInfo[]): Promise<void> {
    const sys = this.options.io.sys();
    const looked = processes.map(async ({ pid, lastActiveAt: activeAt }): Promise<readonly [string, Look]> => {
      return [pid, { activeAt, ...(await lookAt(sys, pid)) }];
    });
    this.options.happen({ type: "looked", looks: Object.fromEntries(await Promise.all(looked)) });
  }

  private async trace(pid: string, after: number | null): Promise<void> {
    const { io, happen } = this.options;
    this.tracing.abort();
    this.tracing = new AbortController();
    const { signal } = this.tracing;
    const query = after === null ? { pid, limit: LIMITS.historyPageMax } : { pid, after, waitMs: TRACE_WAIT_MS };
    try {
      const [{ rows }, info] = await Promise.all([
        io.sys().call<{ rows: readonly TraceRow[] }>("proc.trace", query, { signal }),
        after === null ? io.sys().call<ProcessInfo>("proc.get", { pid }) : null,
      ]);
      if (signal.aborted) return;
      const calls = rows.map((row): Traced => ({ ...row, pid }));
      happen({ type: "traced", pid, rows: calls, info });
    } catch (error) {
      if (signal.aborted) return;
      const isGone = error instanceof SysError && error.code === "ESRCH";
      happen({ type: "untraced", pid, why: isGone ? "it has ended" : messageOf(error) });
    }
  }

  private async log(pid: string): Promise<void> {
    const { io, happen } = this.options;
    const page = await io.sys().call<HistoryPage>("proc.history", { pid, limit: LIMITS.historyPageDefault });
    const text = this.options.told(page);
    const older = page.hasMoreBefore ? [`older messages exist (${page.messageCount} in all): gsv proc history`] : [];
    happen({
      type: "paged",
      title: `log of ${pid}`,
      text: [...older, text === "" ? "(no messages)" : text].join("\n"),
    });
  }

  private async offerModels(): Promise<void> {
    const { io, happen, state } = this.options;
    const { models } = await io.sys().call<ModelPage>("ai.models", {});
    const now = state().model;
    happen({ type: "offered", kind: "model", items: models.map((model) => modelItem(model, now)) });
  }
}

function modelItem({ model, windowTokens, inputUsd, outputUsd, aliases }: ModelInfo, now: string | null): Item {
  const window = windowTokens === null ? "" : `${Math.round(windowTokens / 1000)}k`;
  const price = inputUsd === null || outputUsd === null ? "" : `$${inputUsd} in, $${outputUsd} out`;
  return { id: model, mark: window, text: price, note: aliases.join(" "), isNow: model === now };
}
