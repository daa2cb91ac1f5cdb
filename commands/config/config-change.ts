// `gsv config set|edit`: changes settings. A secret comes hidden from the terminal, or from stdin; as an argument others could see it.

import { SysError } from "../../src/abi/errno.ts";
import { field } from "../../src/syscalls/define.ts";
import type { ChangedSetting, SettingInfo } from "../../src/syscalls/services.ts";
import { settingNamed } from "../../src/syscalls/system/config.ts";
import { usageError } from "../args.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { declared } from "../derive.ts";
import { note } from "../io/status.ts";
import { stdinText } from "../io/stdin.ts";
import { printResult } from "../print.ts";
import { asDeclared, settingKey as key } from "./config.ts";
import { changesBetween, isSecretKey, layerText, namesIn, type Values, valuesFrom } from "./config-text.ts";

const system = field.flag("setting of the whole home (root only)");

const setInput = {
  key,
  value: field.optional(field.text("the new value; never a secret", { positional: true, meta: "VALUE" })),
  system,
};

const setSpec = {
  ...asDeclared("set"),
  input: setInput,
  notes: ["Without VALUE, or with -, the value is read from stdin."],
};

export const set: Command = command(setSpec, async ({ args, json }, io) => {
  settingNamed(args.key);
  const value = isSecretKey(args.key) ? await secretFor(io, args.key, args.value) : await plainFor(io, args.value);
  const where = args.system === true ? { system: true } : {};
  const result = await io.sys().call<Changed>("config.set", { key: args.key, value, ...where });
  await printResult(io, (await declared("config.set")).cli.print, result, json);
  return 0;
});

interface Changed {
  readonly changed: readonly ChangedSetting[];
}

async function secretFor(io: Io, name: string, value: string | undefined): Promise<string> {
  if (value !== undefined && value !== "-") {
    throw new SysError("EUSAGE", `cannot set ${name} from an argument: it is a secret`, [
      "others could see it in the process list and your shell's history",
      `to type it hidden: gsv config set ${name}`,
      `to read it from a file: gsv config set ${name} < FILE`,
    ]);
  }
  const text = (io.stdin.isTTY ? await io.person.askHidden(`${name}: `) : await fed(io)) ?? "";
  const secret = text.replace(/\r?\n$/, "");
  if (secret.trim() === "") throw new SysError("EUSAGE", `no value for ${name}; nothing changed`);
  return secret;
}

async function plainFor(io: Io, value: string | undefined): Promise<string> {
  if (value !== undefined && value !== "-") return value;
  const text = await fed(io);
  if (text === null) throw usageError(setSpec, "VALUE is missing");
  return text.replace(/\r?\n$/, "");
}

async function fed(io: Io): Promise<string | null> {
  return io.stdin.kind === "none" || io.stdin.kind === "tty" ? null : await stdinText(io);
}

const editInput = { system };

export const edit: Command = command(
  {
    name: "config edit",
    summary: "Edit your settings",
    input: editInput,
    examples: ["gsv config edit", "EDITOR=nano gsv config edit"],
    notes: ["Starts $VISUAL or $EDITOR on a private file. If a line is invalid, nothing changes."],
  },
  async ({ args, json }, io) => {
    const whole = args.system === true;
    const before = await layerOf(io, whole);
    // The editor owns the terminal: ignore signals from its keys.
    const stop = io.onSignal(() => {});
    const edited = await io.person
      .edit({
        text: layerText(before, whole),
        name: whole ? "system-settings.conf" : "settings.conf",
        onDraft: (path) => note(io, `gsv: continuing your draft (delete ${path} to start over)`),
      })
      .finally(stop);
    const result = await applied(io, before, edited.text, whole).catch((error: unknown) => {
      throw kept(error, edited.keep());
    });
    edited.done();
    await printResult(io, (await declared("config.apply")).cli.print, result, json);
    return 0;
  },
);

async function applied(io: Io, before: Values, text: string, whole: boolean): Promise<Changed> {
  const changes = changesBetween(before, valuesFrom(text));
  if (Object.keys(changes).length === 0) return { changed: [] };
  return await io.sys().call<Changed>("config.apply", { changes, ...(whole ? { system: true } : {}) });
}

// Keep the text if a line is wrong or the kernel is unavailable.
function kept(error: unknown, path: string): unknown {
  if (!(error instanceof SysError)) return error;
  return new SysError(error.code, error.message, [
    ...error.hints,
    `your text is saved in ${path}; gsv config edit continues with it`,
  ]);
}

async function layerOf(io: Io, whole: boolean): Promise<Values> {
  const { settings } = await io.sys().call<{ settings: readonly SettingInfo[] }>("config.list", {});
  const names: ReadonlySet<string> = new Set(namesIn(whole));
  const values = settings.flatMap(({ key: name, layers }) => {
    const own = layers.find(({ layer }) => layer === (whole ? "system" : "user"));
    return own === undefined || !names.has(name) ? [] : [[name, own.shown]];
  });
  return Object.fromEntries(values);
}
