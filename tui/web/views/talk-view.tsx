// A conversation: its messages in a list that holds only the visible ones, the pending request, and the line to write on.

import { useEffect, useRef } from "react";
import { waitsText } from "../../../commands/proc/process-table.ts";
import type { ProcessInfo } from "../../../src/abi/process/process.ts";
import { reveal } from "../../../src/lib/text/sanitize.ts";
import { usdText } from "../../screen/numbers.ts";
import { STATE_WORDS } from "../../views/top.ts";
import type { Console } from "../store/console.ts";
import { itemsOf } from "../store/items.ts";
import { nameOf } from "../store/signals.ts";
import { processIn } from "../store/state.ts";
import { AskCard } from "./ask-card.tsx";
import { Composer } from "./composer.tsx";
import { Entries } from "./entries.tsx";
import { Keys } from "./keys.tsx";
import { toneOf } from "./processes.tsx";
import { useNow } from "./use-now.ts";
import type { ViewProps } from "./view-props.ts";

export function TalkView(props: ViewProps) {
  const { gsv, state } = props;
  const { talk, asks, notice } = state;
  const composer = useRef<HTMLTextAreaElement>(null);
  const pid = talk?.pid ?? "";
  useEffect(() => {
    // A phone would cover half of the page with its keyboard.
    if (pid !== "" && !matchMedia("(pointer: coarse)").matches) composer.current?.focus();
  }, [pid]);
  if (talk === null) return null;
  const own = asks.filter((ask) => ask.pid === talk.pid);
  const items = itemsOf(talk, own);
  return (
    <main className="talk">
      <Head {...props} />
      {items.length === 0 ? (
        <p className="empty">{talk.isRead ? "No messages yet. Write the first one below." : ""}</p>
      ) : (
        <Entries items={items} key={pid} onTop={() => void gsv.older()} />
      )}
      <div className="dock">
        {own.length > 0 && <AskCard {...props} asks={own} composer={composer} hasKeys={true} />}
        {own.length === 0 && <Status {...props} />}
        <p className="notice" role="status">
          {notice}
        </p>
        <Composer {...props} field={composer} />
        <Keys
          keys={
            talk.doing === null
              ? [
                  ["enter", "send"],
                  ["shift-enter", "new line"],
                  ["ctrl-p", "processes"],
                ]
              : [
                  ["enter", "send"],
                  ["ctrl-s", "interrupt or wait"],
                  ["esc", "stop"],
                  ["ctrl-p", "processes"],
                ]
          }
        />
      </div>
    </main>
  );
}

function Head({ state }: ViewProps) {
  const { talk } = state;
  const process = processIn(state, talk?.pid ?? "");
  if (talk === null) return null;
  const look = state.top.looks[talk.pid];
  const name = nameOf(state, { pid: talk.pid });
  const context = look?.context ?? null;
  return (
    <div className="talk-head">
      <h1>
        <span className="you">{name}</span>
        {name !== talk.pid && <span className="dim"> {talk.pid}</span>}
      </h1>
      <p className="facts">
        {process !== null && <span className={toneOf(process.state)}>{STATE_WORDS[process.state]}</span>}
        {look?.model != null && <span>{look.model.slice(look.model.lastIndexOf("/") + 1)}</span>}
        {context !== null && <Meter share={context} />}
        {process !== null && process.costUsd > 0 && <span>{usdText(process.costUsd)}</span>}
        {process !== null && process.mode !== "ask" && <span className="needs">{process.mode}</span>}
      </p>
    </div>
  );
}

function Meter({ share }: { readonly share: number }) {
  const percent = Math.round(100 * share);
  return (
    <span className={share >= 0.8 ? "needs" : undefined}>
      ctx{" "}
      <span className="meter" aria-hidden="true">
        <i style={{ width: `${Math.min(100, percent)}%` }} />
      </span>{" "}
      {percent}%
    </span>
  );
}

/** The kernel or a person holds the run: nothing is being done. */
const HELD: ReadonlySet<ProcessInfo["state"]> = new Set(["waiting_hil", "paused", "stopped"]);

function Status({ gsv, state }: ViewProps) {
  const { talk } = state;
  const now = useNow(gsv.clock, 1000);
  const doing = talk?.doing ?? null;
  if (talk === null || doing === null) return null;
  const process = processIn(state, talk.pid);
  if (process !== null && HELD.has(process.state)) return <Held {...{ gsv, process }} />;
  const seconds = Math.max(0, Math.floor((now - doing.since) / 1000));
  const tokens = Math.round(doing.chars / 4);
  return (
    <div className="status">
      <i className="spin" aria-hidden="true" />
      <span className="doing">
        {doing.word} {doing.what}
      </span>
      <span className="dim">
        {seconds} s{tokens > 0 && ` · ${tokens} tok`}
      </span>
      <button type="button" onClick={() => void gsv.abort(talk.pid)}>
        Stop
      </button>
    </div>
  );
}

function Held({ gsv, process: { pid, state, waitsFor } }: { readonly gsv: Console; readonly process: ProcessInfo }) {
  const why = reveal(waitsText(waitsFor));
  return (
    <div className="status">
      <span className="doing needs">{STATE_WORDS[state]}</span>
      <span className="dim">{why}</span>
      <button type="button" onClick={() => void gsv.abort(pid)}>
        Stop
      </button>
    </div>
  );
}
