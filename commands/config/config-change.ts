// `gsv config set|edit`: changing settings from the command line. A secret comes from the terminal, unseen, or from stdin; as an
// argument it would be in the shell's history and in everybody's process list, so there it is refused.

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

const system = field.flag("change the home's setting, not yours (root)");

const setInput = {
  key,
  value: field.optional(field.text("what it shall be; of a secret never", { positional: true, meta: "VALUE" })),
  system,
};

const setSpec = {
  ...asDeclared("set"),
  input: setInput,
  notes: ["- as VALUE, and no VALUE where stdin is a pipe or a file, take it from stdin."],
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
    throw new SysError("EUSAGE", `${name} is a secret and is not taken as an argument`, [
      "there others would see it, in the process list and in your shell's history",
      `type it unseen: gsv config set ${name}`,
      `or from a file: gsv config set ${name} < FILE`,
    ]);
  }
  const text = (io.stdin.isTTY ? await io.person.askHidden(`${name}: `) : await fed(io)) ?? "";
  const secret = text.replace(/\r?\n$/, "");
  if (secret.trim() === "") throw new SysError("EUSAGE", `nothing came for ${name}: nothing was changed`);
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
    summary: "Change your settings in your editor, all at once or none",
    input: editInput,
    examples: ["gsv config edit", "EDITOR=nano gsv config edit"],
    notes: ["$VISUAL or $EDITOR is started on a file that only you can read. What is not right changes nothing."],
  },
  async ({ args, json }, io) => {
    const whole = args.system === true;
    const before = await layerOf(io, whole);
    // The editor has the terminal: what is pressed there is not meant for us.
    const stop = io.onSignal(() => {});
    const edited = await io.person
      .edit({
        text: layerText(before, whole),
        name: whole ? "system-settings.conf" : "settings.conf",
        onDraft: (path) => note(io, `gsv: goes on with the text of before (delete ${path} to begin anew)`),
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

// What somebody wrote is not thrown away because one line of it is wrong, or because nobody could take it now.
function kept(error: unknown, path: string): unknown {
  if (!(error instanceof SysError)) return error;
  return new SysError(error.code, error.message, [
    ...error.hints,
    `your text is kept in ${path}; gsv config edit goes on with it`,
  ]);
}

async function layerOf(io: Io, whole: boolean): Promise<Values> {
  const { settings } = await io.sys().call<{ settings: readonly SettingInfo[] }>("config.list", {});
  const names: ReadonlySet<string> = new Set(namesIn(whole));
  const said = settings.flatMap(({ key: name, layers }) => {
    const own = layers.find(({ layer }) => layer === (whole ? "system" : "user"));
    return own === undefined || !names.has(name) ? [] : [[name, own.shown]];
  });
  return Object.fromEntries(said);
}
