// Schedules of the account: when each starts next, what became of the last start, and its history.

import { useState } from "react";
import type { Occurrence, ScheduleInfo } from "../../../src/abi/schedule.ts";
import { reveal } from "../../../src/lib/text/sanitize.ts";
import {
  costText,
  lastText,
  stateText,
  targetText,
  timeText,
  toneOfState,
} from "../../../src/syscalls/due/sched-text.ts";
import { keyOf } from "../views/key-of.ts";
import { Keys } from "../views/keys.tsx";
import { useKeys } from "../views/use-keys.ts";
import type { ViewProps } from "../views/view-props.ts";
import { chosenOf } from "./chosen.ts";
import { Facts, List, type ListColumn } from "./list.tsx";
import { timesText, untilText } from "./times.ts";
import { useReading } from "./use-reading.ts";

const LIST_MS = 5000;
const HISTORY_ROWS = 10;
const TONES = { good: "ok", bad: "bad", needs: "needs", faint: "dim" } as const;

const nameOf = ({ name }: ScheduleInfo) => name;

export function Schedules({ gsv, state: { notice } }: ViewProps) {
  const [name, choose] = useState<string | null>(null);
  const { value, failure, again } = useReading(
    gsv.clock,
    () => gsv.call<{ schedules: readonly ScheduleInfo[] }>("sched.list", {}),
    { about: "", everyMs: LIST_MS },
  );
  const schedules = value?.schedules ?? [];
  const chosen = chosenOf(schedules, nameOf, name);
  const change = async (what: string, call: string, args: object) => {
    await gsv.tried(what, () => gsv.call(call, args));
    await again();
  };
  const toggle = ({ name: schedule, enabled }: ScheduleInfo) =>
    void change(enabled ? "Not paused" : "Not resumed", "sched.update", { schedule, enabled: enabled ? "off" : "on" });
  const run = ({ name: schedule }: ScheduleInfo) => void change("Not started", "sched.run", { schedule });
  useKeys((event, isInField) => {
    const key = keyOf(event);
    if (key === null || key.ctrl || key.alt || isInField || chosen === null) return false;
    if (key.text === "p") toggle(chosen);
    else if (key.text === "r") run(chosen);
    else return false;
    return true;
  });
  const now = gsv.clock.now();
  const columns: readonly ListColumn<ScheduleInfo>[] = [
    { head: "Name", cell: (row) => reveal(row.name) },
    { head: "Time", cell: ({ timing, enabled }) => `${timeText(timing)}${enabled ? "" : ", paused"}` },
    { head: "Next", cell: ({ nextAt }) => (nextAt === null ? "-" : untilText(nextAt, now)) },
    {
      head: "Last",
      cell: (row) => <span className={row.last === null ? "dim" : toneOf(row.last)}>{lastText(row)}</span>,
    },
    { head: "Starts", className: "wide m3", cell: ({ target }) => targetText(target) },
  ];
  return (
    <main className="account">
      <h1 className="summary">{schedules.length === 1 ? "1 schedule" : `${schedules.length} schedules`}</h1>
      {value !== null && schedules.length === 0 && (
        <p className="dim">Ask your agent for one, or add it in a terminal: gsv sched add</p>
      )}
      {chosen !== null && (
        <>
          <List label="Schedules" {...{ columns, choose }} rows={schedules} keyOf={nameOf} chosen={chosen.name} />
          <Detail key={chosen.name} {...{ gsv, chosen, toggle, run }} />
        </>
      )}
      <p className="notice" role="status">
        {failure === "" ? notice : failure}
      </p>
      <Keys
        keys={[
          ["↑↓", "choose"],
          ["p", "pause, resume"],
          ["r", "run now"],
        ]}
      />
    </main>
  );
}

function toneOf({ state }: Pick<Occurrence, "state">): string | undefined {
  const tone = toneOfState(state);
  return tone === undefined ? undefined : TONES[tone as keyof typeof TONES];
}

interface DetailProps extends Pick<ViewProps, "gsv"> {
  readonly chosen: ScheduleInfo;
  readonly toggle: (schedule: ScheduleInfo) => void;
  readonly run: (schedule: ScheduleInfo) => void;
}

function Detail({ gsv, chosen, toggle, run }: DetailProps) {
  const { name, target, pausedWhy, last, enabled, nextAt, runs, costMicros } = chosen;
  const about = `${name} ${runs} ${last?.state} ${last?.scheduledAt}`;
  const { value } = useReading(
    gsv.clock,
    () => gsv.call<{ occurrences: readonly Occurrence[] }>("sched.history", { schedule: name, limit: HISTORY_ROWS }),
    { about, everyMs: LIST_MS },
  );
  return (
    <section className="detail" aria-label="Chosen schedule">
      <h2 className="you">{reveal(name)}</h2>
      <Facts
        facts={[
          ["starts", targetText(target)],
          ["next", nextAt === null ? null : timesText(nextAt)],
          ["paused", pausedWhy === null ? null : reveal(pausedWhy)],
          ["used", `${runs === 1 ? "1 run" : `${runs} runs`}${costMicros === 0 ? "" : ` · ${costText(costMicros)}`}`],
        ]}
      />
      <div className="buttons">
        <button type="button" onClick={() => toggle(chosen)}>
          {enabled ? "Pause" : "Resume"}
        </button>
        <button type="button" onClick={() => run(chosen)}>
          Run now
        </button>
      </div>
      <h3 className="dim">History</h3>
      <ul className="history">
        {(value?.occurrences ?? []).map(({ id, scheduledAt, state, error, result }) => (
          <li key={id}>
            <span className="dim">{timesText(scheduledAt)}</span>{" "}
            <span className={toneOf({ state })}>{stateText(state)}</span> {reveal(error ?? result.line ?? "")}
          </li>
        ))}
      </ul>
      {value?.occurrences.length === 0 && <p className="dim">It has not started yet.</p>}
    </section>
  );
}
