// The editor that VISUAL or EDITOR names is there to be started.

import { type Check, notice, ok, problem } from "../check.ts";
import type { Patient } from "../patient.ts";

const COMMON = ["nano", "vim", "vi", "emacs"];

export const editor: Check = {
  name: "editor",
  needsHome: false,
  look(patient) {
    const { env, find } = patient;
    const name = env.VISUAL ? "VISUAL" : "EDITOR";
    const told = (env[name] ?? "").trim();
    if (told === "") return [notice("neither VISUAL nor EDITOR is set", { fix: exported("EDITOR", patient) })];
    // It may come with flags of its own, as in `code --wait`.
    const program = told.split(/\s+/)[0] ?? "";
    const path = find(program);
    if (path !== null) return [ok(`${told} (${name}, ${path})`)];
    return [problem(`${name} is ${told}, and there is no program ${program}`, { fix: exported(name, patient) })];
  },
};

function exported(name: string, { find }: Patient): string {
  const there = COMMON.find((program) => find(program) !== null);
  return there === undefined ? `install an editor and export ${name}` : `export ${name}=${there}`;
}
