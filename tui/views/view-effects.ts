// Effects of the views: lists, logs, traces, models. One trace is followed at a time.

import { lookAt } from "../../commands/proc/process-look.ts";
import { allProcesses } from "../../commands/proc/process-names.ts";
import { inRealPlaces } from "../../commands/proc/real-places.ts";
import type { Traced } from "../../commands/proc/trace-table.ts";
import { nextDue, scheduleItem } from "../../commands/sched/due-text.ts";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { messageOf, SysError } from "../../src/abi/errno.ts";
import type { McpServer } from "../../src/abi/links/mcp.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { ScheduleInfo } from "../../src/abi/schedule.ts";
import type { ModelInfo, ModelPage } from "../../src/syscalls/run/ai.ts";
import type { HistoryPage, TraceRow } from "../../src/syscalls/services.ts";
import type { BudgetInfo } from "../../src/syscalls/system/spending.ts";
import type { EffectPorts } from "../effect-ports.ts";
import { type Line, plainLine } from "../screen/links.ts";
import { themeOf } from "../screen/theme.ts";
import type { Item, Look } from "../state/views.ts";
import { entriesOf } from "../talk/collapsed.ts";
import { Transcript } from "../talk/transcript.ts";
import { ListPace } from "./list-pace.ts";
import { serverItems } from "./picker.ts";

/** The kernel waits this long for the next call. */
const TRACE_WAIT_MS = 20_000;

export class ViewEffects {
  private tracing = new AbortController();
  private readonly pace = new ListPace();

  constructor(private readonly ports: EffectPorts) {}

  async list(byTime: boolean): Promise<void> {
    const { io, dispatch, state } = this.ports;
    const from = io.clock.mono();
    if (byTime && this.pace.isResting(from)) return;
    const isTop = state().overlay.view?.kind === "top";
    const ofTop = isTop ? ([this.day(), nextDue(io.sys())] as const) : ([null, null] as const);
    const [processes, day, due] = await Promise.all([allProcesses(io), ...ofTop]);
    this.pace.took(from, io.clock.mono());
    dispatch({ type: "listed", processes: isTop ? await inRealPlaces(io, processes) : processes, day, due });
  }

  private async day(): Promise<BudgetInfo | null> {
    const { io, state } = this.ports;
    const { budgets } = await io
      .sys()
      .call<{ budgets: readonly BudgetInfo[] }>("proc.budgets", {})
      .catch(() => ({ budgets: [] as readonly BudgetInfo[] }));
    return budgets.find(({ pid, owner }) => pid === null && owner === state().who.username) ?? null;
  }

  /** The model of each process and how full its window is. */
  async look(processes: readonly ProcessInfo[]): Promise<void> {
    const sys = this.ports.io.sys();
    const looked = processes.map(async ({ pid, lastActiveAt: activeAt }): Promise<readonly [string, Look]> => {
      return [pid, { activeAt, ...(await lookAt(sys, pid)) }];
    });
    this.ports.dispatch({ type: "looked", looks: Object.fromEntries(await Promise.all(looked)) });
  }

  async trace(pid: string, after: number | null): Promise<void> {
    const { io, dispatch } = this.ports;
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
      dispatch({ type: "traced", pid, rows: calls, info });
    } catch (error) {
      if (signal.aborted) return;
      const isGone = error instanceof SysError && error.code === "ESRCH";
      dispatch({ type: "trace-over", pid, why: isGone ? "ended" : messageOf(error) });
    }
  }

  async log(pid: string): Promise<void> {
    const { io, dispatch, terminal } = this.ports;
    const page = await io.sys().call<HistoryPage>("proc.history", { pid, limit: LIMITS.historyPageDefault });
    const text = plainHistory(page, terminal.columns);
    const shown = page.messages.length;
    const older = page.hasMoreBefore
      ? [`The last ${shown} of ${page.messageCount} messages. All of them: gsv proc history ${pid}`]
      : [];
    const lines = [...older, text === "" ? "(no messages)" : text];
    dispatch({ type: "paged", title: `log of ${pid}`, text: lines.join("\n") });
  }

  async offerSchedules(): Promise<void> {
    const { io, dispatch } = this.ports;
    const { schedules } = await io.sys().call<{ schedules: readonly ScheduleInfo[] }>("sched.list", {});
    const items = schedules.map((schedule) => ({ ...scheduleItem(schedule, io.clock.now()), isNow: false }));
    dispatch({ type: "offered", kind: "schedule", items });
  }

  async offerMcp(): Promise<void> {
    const { io, dispatch } = this.ports;
    const { servers } = await io.sys().call<{ servers: readonly McpServer[] }>("sys.mcp.list", {});
    dispatch({ type: "offered", kind: "mcp", items: serverItems(servers) });
  }

  async offerModels(): Promise<void> {
    const { io, dispatch, state } = this.ports;
    const { models } = await io.sys().call<ModelPage>("ai.models", {});
    const now = state().process.model;
    dispatch({ type: "offered", kind: "model", items: models.map((model) => modelItem(model, now)) });
  }
}

function modelItem({ model, windowTokens, inputUsd, outputUsd, aliases }: ModelInfo, now: string | null): Item {
  const window = windowTokens === null ? "" : `${Math.round(windowTokens / 1000)}k`;
  const price = inputUsd === null || outputUsd === null ? "" : `$${inputUsd} in, $${outputUsd} out`;
  return { id: model, mark: window, text: price, note: aliases.join(" "), isNow: model === now };
}

function plainHistory(page: HistoryPage, columns: number): string {
  const lines: string[] = [];
  const commit = (more: readonly Line[]) => void lines.push(...more.map(plainLine));
  const theme = themeOf({ colour: false, unicode: true });
  const transcript = new Transcript({ theme, columns: () => columns, commit });
  for (const entry of entriesOf(page)) transcript.add(entry);
  return Bun.stripANSI(lines.join("\n"));
}
