// `gsv crontab`: shows, edits, replaces or removes /var/spool/cron/USER. Writing the file installs it. A bad line changes nothing.

import { SysError } from "../../src/abi/errno.ts";
import { field } from "../../src/syscalls/define.ts";
import { usageError } from "../args.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { note } from "../io/status.ts";
import { printText } from "../print.ts";

const NEW = `# minute hour day month weekday command
# 0 9 * * mon-fri echo "good morning"
# CRON_TZ=Europe/Berlin sets the time zone of the lines below it.
`;

const spec = {
  name: "crontab",
  summary: "Show or edit your cron file",
  input: {
    file: field.optional(
      field.text("file to install, or - for stdin", { positional: true, longest: 4096, meta: "FILE" }),
    ),
    list: field.flag("show the file", { letter: "l" }),
    edit: field.flag("edit the file", { letter: "e" }),
    remove: field.flag("remove the file and its schedules", { letter: "r" }),
    account: field.optional(field.text("the account (default: you)", { letter: "u", longest: 32, meta: "ACCOUNT" })),
  },
  examples: ["gsv crontab -l", "gsv crontab -e", "gsv crontab ~/jobs.cron", "gsv crontab -r"],
  notes: ["The commands run in gsv's shell. gsv sched list shows the schedules of the file."],
};

export const crontab = command(spec, async ({ args: { file, list, edit, remove, account } }, io) => {
  const wishes = [list, edit, remove, file !== undefined].filter((wish) => wish === true);
  if (wishes.length !== 1) throw usageError(spec, "use one of -l, -e, -r and FILE");
  const sys = io.sys();
  const name = account ?? (await sys.call<{ username: string }>("system.whoami", {})).username;
  const path = `/var/spool/cron/${name}`;
  if (list) {
    const text = await textAt(io, path);
    if (text === null) throw new SysError("ENOENT", `no crontab for ${name}`, ["to write one: gsv crontab -e"]);
    await printText(io.stdout, text.replace(/\n$/, ""));
  } else if (remove) {
    if ((await textAt(io, path)) === null) throw new SysError("ENOENT", `no crontab for ${name}`);
    await sys.call("fs.remove", { path });
  } else if (edit) await editAt(io, path, name);
  else await install(io, path, await textFrom(io, file ?? "-"));
  return 0;
});

async function textAt(io: Io, path: string): Promise<string | null> {
  try {
    const { data } = await io.sys().call<{ data: string }>("fs.get", { path });
    return Buffer.from(data, "base64").toString();
  } catch (error) {
    if (error instanceof SysError && error.code === "ENOENT") return null;
    throw error;
  }
}

async function textFrom(io: Io, file: string): Promise<string> {
  if (file === "-") return await (await import("../io/stdin.ts")).stdinText(io);
  const pieces = await Array.fromAsync((await io.host()).read(file));
  return Buffer.concat(pieces).toString();
}

async function install(io: Io, path: string, text: string): Promise<void> {
  const content = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  await io.sys().call("fs.write", { path, content });
}

async function editAt(io: Io, path: string, name: string): Promise<void> {
  const before = (await textAt(io, path)) ?? NEW;
  const edited = await io.person.edit({
    ...{ text: before, name: "crontab", draftName: `crontab-${name}` },
    onDraft: (draft) => note(io, `gsv: continuing the draft ${draft}`),
  });
  try {
    if (edited.text !== before) await install(io, path, edited.text);
  } catch (error) {
    await note(io, `gsv: saved as a draft for the next edit: ${edited.keep()}`);
    throw error;
  }
  edited.done();
  await note(io, edited.text === before ? "gsv: nothing changed" : `gsv: installed ${path}`);
}
