// The processes as a live table: the rows, columns, order and keys of `gsv top`.

import { type RefObject, useEffect, useRef } from "react";
import { columnsOf, type Row, waitsText } from "../../../commands/proc/process-table.ts";
import { isInit } from "../../../src/abi/ids.ts";
import type { ProcessInfo } from "../../../src/abi/process/process.ts";
import { reveal } from "../../../src/lib/text/sanitize.ts";
import { answerOf } from "../../approval-card/approval-card-keys.ts";
import { usdText } from "../../screen/numbers.ts";
import type { Ask } from "../../state/asks.ts";
import { onTopKey, rateOf, rowsOf, STATE_WORDS, selectedOf, type TopCommand } from "../../views/top.ts";
import { hashOf } from "../route.ts";
import { wishOf } from "../store/signals.ts";
import { keyOf } from "./key-of.ts";
import { Keys } from "./keys.tsx";
import { useKeys } from "./use-keys.ts";
import { useNow } from "./use-now.ts";
import type { ViewProps } from "./view-props.ts";

const LETTERS = "yniplkcst/gG";
/** More rows than a person reads; the filter finds the rest. */
const ROWS_MAX = 300;

export function Processes({ gsv, state }: ViewProps) {
  const { top, asks, notice, isListed } = state;
  const now = useNow(gsv.clock, 1000);
  const rows = rowsOf(top, now);
  const selected = selectedOf(top, now);
  const ask = asks.find(({ pid }) => pid === selected?.pid) ?? null;
  const filter = useRef<HTMLInputElement>(null);
  const act = (command: TopCommand) => carryOut(command, { gsv, state }, ask);
  const press = (key: string) => {
    const done = onTopKey(top, { name: "text", text: key, ctrl: false, alt: false, shift: false }, now);
    gsv.setTop(done.top);
    if (done.command !== null) act(done.command);
  };
  useKeys((event, isInField) => {
    const key = keyOf(event);
    if (key === null || key.ctrl || key.alt || key.name === "tab" || isInField) return false;
    if (key.name === "text" && !LETTERS.includes(key.text) && top.ending === null) return false;
    if (key.name === "enter") {
      if (event.target instanceof HTMLElement && event.target.matches("a, button")) return false;
      if (selected !== null) gsv.go({ view: "talk", pid: selected.pid });
      return selected !== null;
    }
    const done = onTopKey(top, key, now);
    gsv.setTop({ ...done.top, filtering: false });
    if (done.top.filtering) filter.current?.focus();
    if (done.command !== null && done.command.name !== "leave") act(done.command);
    return true;
  });
  return (
    <main className="processes">
      <Summary {...{ gsv, state }} now={now} />
      <Tools {...{ gsv, state, press }} field={filter} />
      <Table
        rows={rows.slice(0, ROWS_MAX)}
        now={now}
        selected={selected?.pid ?? null}
        select={(pid) => gsv.setTop({ ...top, selected: pid })}
      />
      {rows.length > ROWS_MAX && <p className="dim">{rows.length - ROWS_MAX} more. Filter to find them.</p>}
      {isListed && rows.length === 0 && <p className="dim">No process matches.</p>}
      {selected !== null && <Detail {...{ gsv, state, ask, press }} process={selected} />}
      <p className="notice" role="status">
        {notice}
      </p>
      <Keys
        keys={[
          ["↑↓", "move"],
          ["enter", "talk"],
          ["y n", "allow, deny"],
          ["p", "stop, resume"],
          ["i", "abort run"],
          ["k", "kill"],
          ["s", "sort"],
          ["t", "tree"],
          ["/", "filter"],
        ]}
      />
    </main>
  );
}

interface ToolsProps extends ViewProps {
  readonly press: (key: string) => void;
  readonly field: RefObject<HTMLInputElement | null>;
}

function Tools({ gsv, state: { top }, press, field }: ToolsProps) {
  return (
    <div className="tools">
      <input
        ref={field}
        type="search"
        aria-label="Filter processes"
        placeholder="Filter  /"
        value={top.filter}
        onInput={(event) => gsv.setTop({ ...top, filter: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === "Escape") gsv.setTop({ ...top, filter: "" });
          if (event.key === "Escape" || event.key === "Enter") event.currentTarget.blur();
        }}
      />
      <button type="button" onClick={() => press("s")}>
        Sort: {top.sort}
      </button>
      <button type="button" aria-pressed={top.asTree} onClick={() => press("t")}>
        Tree
      </button>
      <button type="button" onClick={() => void gsv.spawn()}>
        New
      </button>
    </div>
  );
}

function carryOut(command: TopCommand, { gsv }: ViewProps, ask: Ask | null): void {
  switch (command.name) {
    case "talk":
    case "log":
    case "calls":
      gsv.go({ view: "talk", pid: command.pid });
      break;
    case "signal":
      void gsv.signal(command.pid, command.signal);
      break;
    case "abort":
      void gsv.abort(command.pid);
      break;
    case "kill":
      void gsv.kill(command.pid);
      break;
    case "answer": {
      const answer = ask === null ? null : answerOf(ask, command.letter);
      if (answer !== null) void gsv.answer(answer);
    }
  }
}

function Summary({ state: { top, asks }, now }: ViewProps & { readonly now: number }) {
  const { processes } = top;
  const count = (...states: readonly ProcessInfo["state"][]) =>
    processes.filter(({ state }) => states.includes(state)).length;
  const working = count("running", "waiting_tool", "queued");
  const paused = count("paused", "stopped");
  const rate = Math.ceil(rateOf(top, null, now));
  const cost = processes.reduce((sum, { costUsd }) => sum + costUsd, 0);
  return (
    <h1 className="summary">
      <span>{processes.length === 1 ? "1 process" : `${processes.length} processes`}</span>
      {working > 0 && <span className="ok">{working} working</span>}
      {asks.length > 0 && (
        <span className="needs">{asks.length === 1 ? "1 waits for you" : `${asks.length} wait for you`}</span>
      )}
      {paused > 0 && <span className="needs">{paused} paused</span>}
      {rate > 0 && <span className="dim">{rate} tok/s</span>}
      {cost > 0 && <span className="dim">{usdText(cost)}</span>}
    </h1>
  );
}

interface TableProps {
  readonly rows: readonly Row[];
  readonly now: number;
  readonly selected: string | null;
  readonly select: (pid: string) => void;
}

function Table({ rows, now, selected, select }: TableProps) {
  const columns = columnsOf(rows);
  const chosen = useRef<HTMLAnchorElement>(null);
  const last = useRef(selected);
  useEffect(() => {
    // The first selection is not the person's.
    if (last.current !== null && last.current !== selected) chosen.current?.focus();
    last.current = selected;
  }, [selected]);
  const name = (head: string) => head.toLowerCase().replace(/\W/g, "-");
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            {columns.map(({ head, right, minor }) => (
              <th key={head} scope="col" className={`m${minor} c-${name(head)}${right ? " right" : ""}`}>
                {head === "S" ? <abbr title="State">S</abbr> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const { pid } = row.process;
            const isSelected = pid === selected;
            return (
              <tr key={pid} className={isSelected ? "selected" : undefined} onClick={() => select(pid)}>
                {columns.map(({ head, right, minor, cell }) => {
                  const text = reveal(cell(row, now));
                  const classes = `m${minor} c-${name(head)}${right ? " right" : ""}${text === "-" ? " dim" : ""}`;
                  if (head === "PID")
                    return (
                      <td key={head} className={classes}>
                        <span className="dim branch">{row.branch}</span>
                        <a
                          href={hashOf({ view: "talk", pid })}
                          ref={isSelected ? chosen : undefined}
                          tabIndex={isSelected ? 0 : -1}
                        >
                          {pid}
                        </a>
                      </td>
                    );
                  if (head === "S")
                    return (
                      <td key={head} className={`${classes} ${toneOf(row.process.state)}`}>
                        <span aria-hidden="true">{text}</span>
                        <span className="spoken">{STATE_WORDS[row.process.state]}</span>
                      </td>
                    );
                  return (
                    <td key={head} className={classes}>
                      {text}
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

export function toneOf(state: ProcessInfo["state"]): string {
  if (state === "running" || state === "waiting_tool") return "ok";
  if (state === "error") return "bad";
  return state === "waiting_hil" || state === "paused" || state === "stopped" ? "needs" : "dim";
}

interface DetailProps extends ViewProps {
  readonly process: ProcessInfo;
  readonly ask: Ask | null;
  readonly press: (key: string) => void;
}

function Detail({ gsv, state: { top }, process, ask, press }: DetailProps) {
  const { pid, label, state, waitsFor, cwd, mode, tokens, queued, parentPid } = process;
  if (top.ending === pid)
    return (
      <section className="detail" aria-label="Kill a process" role="alertdialog">
        <p>
          <b className="needs">Kill {pid}?</b> Its history is archived.
        </p>
        <div className="buttons">
          <button type="button" className="danger" onClick={() => press("y")}>
            <kbd>y</kbd> kill
          </button>
          <button type="button" onClick={() => press("x")}>
            cancel
          </button>
        </div>
      </section>
    );
  const model = top.looks[pid]?.model ?? null;
  const facts: readonly (readonly [string, string | null])[] = [
    ["waits", waitsFor === null ? null : waitsText(waitsFor)],
    ["used", `${tokens.toLocaleString("en-US")} tokens · mode ${mode}${queued === 0 ? "" : ` · ${queued} queued`}`],
    ["model", model],
    ["cwd", cwd],
    ["parent", parentPid],
  ];
  return (
    <section className="detail" aria-label="Selected process">
      <h2>
        <span className="you">{pid}</span> {label === null ? "" : reveal(label)}
        <span className={toneOf(state)}> {STATE_WORDS[state]}</span>
      </h2>
      {ask !== null && (
        <p className="needs">
          <span aria-hidden="true">? </span>
          {wishOf(ask)} <span className="dim">{reveal(ask.why)}</span>
        </p>
      )}
      <dl>
        {facts.map(
          ([name, text]) =>
            text !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{reveal(text)}</dd>
              </div>
            ),
        )}
      </dl>
      <div className="buttons">
        <button type="button" className="main" onClick={() => gsv.go({ view: "talk", pid })}>
          Talk
        </button>
        <button type="button" onClick={() => press("p")}>
          {state === "stopped" ? "Resume" : "Stop"}
        </button>
        <button type="button" onClick={() => press("i")}>
          Abort run
        </button>
        {!isInit(pid) && (
          <button type="button" onClick={() => press("k")}>
            Kill…
          </button>
        )}
      </div>
    </section>
  );
}
