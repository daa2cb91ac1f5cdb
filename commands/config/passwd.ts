// `gsv passwd [NAME]`: asks for the current and twice for the new password; on stdin, one line each. Root needs no current password, and
// sets its own first one only on a terminal.

import { SysError } from "../../src/abi/errno.ts";
import type { AccountInfo } from "../../src/syscalls/account/account-service.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { declared } from "../derive.ts";
import { stdinText } from "../io/stdin.ts";
import { printResult } from "../print.ts";

interface Who {
  readonly uid: number;
  readonly username: string;
}

const spec = {
  name: "passwd",
  summary: "Change a password",
  input: {
    username: field.optional(
      field.text("the account (default: yours)", { positional: true, longest: 32, meta: "NAME" }),
    ),
  },
  examples: ["gsv passwd", "gsv passwd root", "gsv passwd bob --user root"],
  notes: [
    "On a terminal the password is not shown. On stdin, give the current password (if needed) and the new one on separate lines.",
  ],
};

export const passwd = command(spec, async ({ args, json }, io) => {
  const sys = io.sys();
  const who = await sys.call<Who>("system.whoami", {});
  const name = args.username ?? who.username;
  const { accounts } = await sys.call<{ accounts: AccountInfo[] }>("account.list", {});
  const hasOne = accounts.find(({ username }) => username === name)?.password === true;
  const words = await read(io, { name, asksOld: who.uid !== 0 && name === who.username && hasOne });
  const result = await sys.call("account.passwd", { username: name, ...words });
  await printResult(io, (await declared("account.passwd")).cli.print, result, json);
  return 0;
});

async function read(io: Io, { name, asksOld }: { readonly name: string; readonly asksOld: boolean }) {
  if (!io.stdin.isTTY) {
    const lines = (await stdinText(io)).split(/\r?\n/);
    const old = asksOld ? { old: lines.shift() ?? "" } : {};
    return { ...old, password: lines[0] ?? "" };
  }
  const old = asksOld ? { old: await ask(io, `current password of ${name}: `) } : {};
  const password = await ask(io, `new password of ${name}: `);
  if ((await ask(io, "repeat new password: ")) !== password)
    throw new SysError("EINVAL", "the passwords differ; nothing changed");
  return { ...old, password, typed: true };
}

async function ask(io: Io, prompt: string): Promise<string> {
  const typed = await io.person.askHidden(prompt);
  if (typed !== null) return typed;
  throw new SysError("EUSAGE", "no terminal to type a password on", ["give it as one line on stdin"]);
}
