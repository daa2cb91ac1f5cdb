// Settings of the account: every value, where it comes from, and changes of your own layer. Secrets are never shown.

import { useEffect, useRef, useState } from "react";
import { messageOf } from "../../../src/abi/errno.ts";
import { reveal } from "../../../src/lib/text/sanitize.ts";
import type { SettingInfo } from "../../../src/syscalls/services.ts";
import { keyOf } from "../views/key-of.ts";
import { Keys } from "../views/keys.tsx";
import { useKeys } from "../views/use-keys.ts";
import type { ViewProps } from "../views/view-props.ts";
import { chosenOf } from "./chosen.ts";
import { Facts, List, type ListColumn } from "./list.tsx";
import { Logins } from "./logins.tsx";
import { useReading } from "./use-reading.ts";

const LIST_MS = 30_000;

const keyIn = ({ key }: SettingInfo) => key;

const COLUMNS: readonly ListColumn<SettingInfo>[] = [
  { head: "Name", cell: ({ key }) => key },
  { head: "Value", className: "wide", cell: ({ shown }) => reveal(shown) },
  { head: "From", cell: ({ layer }) => <span className={layer === "default" ? "dim" : undefined}>{layer}</span> },
];

export function Settings({ gsv, state: { notice } }: ViewProps) {
  const [key, choose] = useState<string | null>(null);
  const [filter, setFilter] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const { value, failure, again } = useReading(
    gsv.clock,
    () => gsv.call<{ settings: readonly SettingInfo[] }>("config.list", {}),
    { about: "", everyMs: LIST_MS },
  );
  const settings = (value?.settings ?? []).filter(
    (each) => matches(each, filter) && (filter !== "" || isSet(each) || each.key === key),
  );
  const chosen = chosenOf(settings, keyIn, key);
  useKeys((event, isInField) => {
    const pressed = keyOf(event);
    if (pressed === null || pressed.ctrl || pressed.alt || isInField || pressed.text !== "/") return false;
    field.current?.focus();
    return true;
  });
  return (
    <main className="account">
      <h1 className="summary">Settings</h1>
      <div className="tools">
        <input
          ref={field}
          type="search"
          aria-label="Find a setting"
          placeholder="Find a setting  /"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") setFilter("");
            if (event.key === "Escape" || event.key === "Enter") event.currentTarget.blur();
          }}
        />
        <span className="dim">{filter === "" ? "Shown: settings that have a value of their own" : ""}</span>
      </div>
      {settings.length > 0 && (
        <List
          label="Settings"
          columns={COLUMNS}
          rows={settings}
          keyOf={keyIn}
          choose={choose}
          chosen={chosen?.key ?? null}
        />
      )}
      {value !== null && settings.length === 0 && (
        <p className="dim">{filter === "" ? "Everything has its default." : "No setting matches."}</p>
      )}
      {chosen !== null && <Change key={chosen.key} {...{ gsv, again }} setting={chosen} />}
      <Logins gsv={gsv} />
      <p className="notice" role="status">
        {failure === "" ? notice : failure}
      </p>
      <Keys
        keys={[
          ["↑↓", "choose"],
          ["/", "find"],
        ]}
      />
    </main>
  );
}

function matches({ key, doc }: SettingInfo, filter: string): boolean {
  const wanted = filter.trim().toLowerCase();
  return key.toLowerCase().includes(wanted) || doc.toLowerCase().includes(wanted);
}

function isSet({ layer }: SettingInfo): boolean {
  return layer !== "default";
}

interface ChangeProps extends Pick<ViewProps, "gsv"> {
  readonly setting: SettingInfo;
  readonly again: () => Promise<void>;
}

function Change({ gsv, setting, again }: ChangeProps) {
  const { key, shown, doc, takes, type, layer, writes } = setting;
  const isSecret = type === "secret";
  const own = layer === "user";
  const [text, setText] = useState(isSecret ? "" : shown);
  const [said, setSaid] = useState("");
  const seen = useRef(shown);
  // After a change, also by somebody else. Never at first: an effect comes late, and would take back what was typed meanwhile.
  useEffect(() => {
    if (seen.current === shown) return;
    seen.current = shown;
    setText(isSecret ? "" : shown);
  }, [isSecret, shown]);
  const change = async (call: "config.set" | "config.unset", args: object) => {
    try {
      await gsv.call(call, { key, ...args });
      setSaid("Saved");
      if (isSecret) setText("");
    } catch (error) {
      setSaid(`Not saved: ${messageOf(error)}`);
    }
    await again();
  };
  return (
    <section className="detail" aria-label="Chosen setting">
      <h2 className="you">{key}</h2>
      <Facts
        facts={[
          ["what", doc],
          ["takes", takes],
        ]}
      />
      {writes === "root" ? (
        <p className="dim">Only root changes this setting.</p>
      ) : (
        <form
          className="buttons"
          onSubmit={(event) => {
            event.preventDefault();
            void change("config.set", { value: text });
          }}
        >
          <input
            type={isSecret ? "password" : "text"}
            aria-label={`Value of ${key}`}
            placeholder={isSecret ? "New value, never shown" : ""}
            value={text}
            autoComplete="off"
            spellCheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <button type="submit" className="main" disabled={isSecret ? text === "" : text === shown}>
            Save
          </button>
          {own && (
            <button type="button" onClick={() => void change("config.unset", {})}>
              Remove my value
            </button>
          )}
        </form>
      )}
      <p className="notice" role="status">
        {said}
      </p>
    </section>
  );
}
