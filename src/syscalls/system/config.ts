// config.*: settings of an account and of the home. Anyone may read them, without the values of secrets. Only a person changes them, or a
// process with the user's approval.

import { SETTING_NAMES } from "../../abi/config/config.ts";
import { canonicalForm, type KeyWritten, keyWritten } from "../../abi/config/config-key.ts";
import { SysError } from "../../abi/errno.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { clip } from "../../lib/text/truncate.ts";
import { field, syscall, value } from "../define.ts";
import type { ChangedSetting, SettingInfo, Settings } from "../services.ts";

const KEY_CHARS_MAX = 200;
const VALUE_CHARS_MAX = 16_384;
const NAMED_MAX = 3;

const key = field.text("name of the setting", { positional: true, longest: KEY_CHARS_MAX, meta: "KEY" });
const system = field.flag("change the home's setting, not yours (root)");

/** Throws with similar names if there is no such setting. */
export function settingNamed(text: string): KeyWritten {
  const found = keyWritten(text);
  if (found !== null) return found;
  const canonical = canonicalForm(text);
  // People often name a setting by its last word alone.
  const close = [
    ...new Set([
      ...SETTING_NAMES.filter((name) => name.endsWith(`.${canonical}`)),
      ...nearest(canonical, SETTING_NAMES),
    ]),
  ].slice(0, NAMED_MAX);
  throw new SysError("ECONFIG", `no such setting: ${clip(text)}`, [
    ...(close.length > 0 ? [`did you mean ${close.join(" or ")}`] : []),
    "gsv config list shows all",
  ]);
}

function changedText({ key: name, value, layer, whose }: ChangedSetting): string {
  const where = whose === null ? "" : ` for ${whose}`;
  if (value === null) return `${name} unset${where}`;
  return `${name} = ${value}${layer === "system" ? " for the whole home" : where}`;
}

const changes = {
  kind: "list",
  rows: (result: { changed: readonly ChangedSetting[] }) => result.changed,
  line: changedText,
  empty: "(nothing changed)",
} as const;

export const configCalls = [
  syscall({
    name: "config.get",
    summary: "Show a setting",
    class: "read",
    capability: "sys.config.get",
    input: { key },
    cli: {
      examples: ["gsv config get ai.model", "gsv config get -v kernel.idleMs"],
      print: value(({ shown }: SettingInfo) => shown),
    },
    run: ({ settings }: { settings: Settings }, args, context) => settings.get(context, args.key),
  }),

  syscall({
    name: "config.list",
    summary: "List settings, their values and layers",
    class: "read",
    capability: "sys.config.get",
    input: {
      under: field.optional(
        field.text("prefix of the names", { positional: true, longest: KEY_CHARS_MAX, meta: "PREFIX" }),
      ),
    },
    cli: {
      examples: ["gsv config list", "gsv config list compaction", "gsv config list -v"],
      print: {
        kind: "table",
        rows: (result: { settings: readonly SettingInfo[] }) => result.settings,
        empty: "(no settings)",
        columns: [
          { head: "KEY", cell: (row: SettingInfo) => row.key },
          { head: "VALUE", cell: (row: SettingInfo) => row.shown, shrink: true },
          { head: "FROM", cell: (row: SettingInfo) => row.layer },
        ],
      },
    },
    run: ({ settings }: { settings: Settings }, args, context) => settings.list(context, args.under ?? ""),
  }),

  syscall({
    name: "config.set",
    summary: "Change a setting",
    class: "keyed",
    by: "approved",
    capability: "sys.config.set",
    input: {
      key,
      value: field.text("new value", { positional: true, longest: VALUE_CHARS_MAX, meta: "VALUE", hide: "tool" }),
      system,
    },
    cli: {
      examples: [
        "gsv config set ai.model offline",
        "gsv config set ai.apiKey",
        "gsv config set ai.apiKey < key.txt",
        "gsv config set session.identityLinks '{}'",
      ],
      print: changes,
    },
    run: ({ settings }: { settings: Settings }, args, context) =>
      settings.change(context, { changes: { [args.key]: args.value }, system: args.system === true }),
  }),

  syscall({
    name: "config.unset",
    summary: "Remove your value of a setting",
    class: "keyed",
    by: "person",
    capability: "sys.config.set",
    input: { key, system },
    cli: { examples: ["gsv config unset ai.model"], print: changes },
    run: ({ settings }: { settings: Settings }, args, context) =>
      settings.change(context, { changes: { [args.key]: null }, system: args.system === true }),
  }),

  syscall({
    name: "config.apply",
    summary: "Change several settings, all or none",
    class: "keyed",
    by: "person",
    capability: "sys.config.set",
    input: { changes: field.object("text by key; null unsets"), system },
    cli: { hidden: true, print: changes },
    run: ({ settings }: { settings: Settings }, args, context) =>
      settings.change(context, { changes: textsOnly(args.changes), system: args.system === true }),
  }),
] as const;

function textsOnly(given: { readonly [key: string]: unknown }): { readonly [key: string]: string | null } {
  for (const [name, value] of Object.entries(given)) {
    if (value !== null && typeof value !== "string") {
      throw new SysError("EINVAL", `changes: ${name.slice(0, 80).toWellFormed()} must be text or null`);
    }
  }
  return given as { readonly [key: string]: string | null };
}
