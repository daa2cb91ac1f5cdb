// One layer of settings as editable text: `key = value` lines, and all other settings as comments. A missing line unsets a value, and each error
// names its line. Secrets are never included. Pure.

import { SETTING_NAMES, SETTINGS, type Setting, type SettingName } from "../../src/abi/config/config.ts";
import { keyWritten } from "../../src/abi/config/config-key.ts";
import { canonicalValue } from "../../src/abi/config/config-value.ts";
import { SysError } from "../../src/abi/errno.ts";
import { settingNamed } from "../../src/syscalls/system/config.ts";

export type Values = { readonly [key: string]: string };

export function namesIn(system: boolean): readonly SettingName[] {
  return SETTING_NAMES.filter((name) => {
    const { type, writes }: Setting = SETTINGS[name];
    return type !== "secret" && (system || writes === "user");
  });
}

export function layerText(values: Values, system: boolean): string {
  const head = [
    system ? "# Settings of the whole home." : "# Your settings.",
    "# Lines without # set a value; deleting a line unsets it. Set secrets with: gsv config set KEY",
    "",
  ];
  const lines = namesIn(system).flatMap((name) => {
    const value = values[name];
    const { doc, fallback }: Setting = SETTINGS[name];
    return [`# ${doc}`, value === undefined ? `# ${name} = ${written(fallback)}` : `${name} = ${written(value)}`, ""];
  });
  return [...head, ...lines].join("\n");
}

/** The values in canonical form. Throws one ECONFIG that names every wrong line. */
export function valuesFrom(text: string): Values {
  const values: { [key: string]: string } = {};
  const faults: string[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    try {
      const [name, value] = valueOn(line);
      if (Object.hasOwn(values, name)) throw new SysError("ECONFIG", `${name} is set twice`);
      values[name] = value;
    } catch (error) {
      const { message, hints } = error as SysError;
      const hint = hints.find((each) => each.startsWith("did you mean"));
      faults.push(`line ${index + 1}: ${message}${hint === undefined ? "" : `; ${hint}`}`);
    }
  }
  if (faults.length > 0) throw new SysError("ECONFIG", "nothing changed: a line is invalid", faults);
  return values;
}

function valueOn(line: string): [SettingName, string] {
  const equals = line.indexOf("=");
  if (equals < 0) throw new SysError("ECONFIG", "expected KEY = VALUE");
  const { name } = settingNamed(line.slice(0, equals).trim());
  const setting: Setting = SETTINGS[name];
  if (setting.type === "secret") throw new SysError("ECONFIG", `${name} is a secret: gsv config set ${name}`);
  return [name, canonicalValue(name, setting, unwritten(line.slice(equals + 1).trim()))];
}

// Text that would change when read back is quoted as JSON.
function written(text: string): string {
  const plain = text === text.trim() && !/^"|[\u0000-\u001f\u2028\u2029]/.test(text);
  return plain ? text : JSON.stringify(text);
}

function unwritten(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    throw new SysError("ECONFIG", "the quotes are not closed");
  }
}

export function changesBetween(before: Values, after: Values): { [key: string]: string | null } {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const changed = Object.entries(after).filter(([name, value]) => before[name] !== value);
  return { ...Object.fromEntries(gone.map((name) => [name, null])), ...Object.fromEntries(changed) };
}

export function isSecretKey(text: string): boolean {
  const found = keyWritten(text);
  return found !== null && SETTINGS[found.name].type === "secret";
}

/** Values of a setting with few of them; empty for others. Takes any spelling of the key. */
export function choicesOf(text: string): readonly string[] {
  const found = keyWritten(text);
  const setting: Setting | null = found === null ? null : SETTINGS[found.name];
  return setting?.type === "flag" ? ["true", "false"] : (setting?.choices ?? []);
}
