// All that waits for the person, of every process, oldest first.

import { useState } from "react";
import { hashOf } from "../route.ts";
import { AskCard } from "./ask-card.tsx";
import { keyOf } from "./key-of.ts";
import { Keys } from "./keys.tsx";
import { useKeys } from "./use-keys.ts";
import type { ViewProps } from "./view-props.ts";

export function Waiting(props: ViewProps) {
  const { asks, notice } = props.state;
  const [chosen, setChosen] = useState<string | null>(null);
  const at = Math.max(
    0,
    asks.findIndex(({ id }) => id === chosen),
  );
  useKeys((event, isInField) => {
    const key = keyOf(event);
    const by = key?.name === "down" ? 1 : key?.name === "up" ? -1 : 0;
    if (by === 0 || isInField || asks.length === 0) return false;
    setChosen(asks[Math.min(asks.length - 1, Math.max(0, at + by))]?.id ?? null);
    return true;
  });
  return (
    <main className="waiting-list">
      <h1 className="summary">
        {asks.length === 0
          ? "Nothing waits for you"
          : `${asks.length} ${asks.length === 1 ? "request waits" : "requests wait"} for you`}
      </h1>
      {asks.map((ask, index) => (
        <div key={ask.id} className={index === at ? "chosen" : undefined}>
          <AskCard {...props} asks={[ask]} hasKeys={index === at} />
          <p className="of">
            <a href={hashOf({ view: "talk", pid: ask.pid })}>Open {ask.pid}</a>
          </p>
        </div>
      ))}
      <p className="notice" role="status">
        {notice}
      </p>
      {asks.length > 0 && (
        <Keys
          keys={[
            ["↑↓", "choose"],
            ["y", "allow"],
            ["n", "deny"],
          ]}
        />
      )}
    </main>
  );
}
