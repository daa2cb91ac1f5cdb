// `gsv remote list|use|show|rm`: the saved kernels of other computers.

import { SysError } from "../../src/abi/errno.ts";
import { LOCAL, type SavedRemote } from "../../src/abi/remote.ts";
import { isoTime } from "../../src/lib/text/days.ts";
import { field, type Print } from "../../src/syscalls/define.ts";
import type { Command } from "../command.ts";
import { command } from "../define.ts";
import { noun } from "../derive.ts";
import { jsonLine } from "../io/status.ts";
import { printResult, printText } from "../print.ts";
import { forget, remoteIn } from "./logout.ts";

interface Row {
  readonly name: string;
  readonly url: string;
  readonly account: string;
  readonly expiresAt: number | null;
  readonly isUsed: boolean;
}

const rowOf = ({ name, url, account, expiresAt }: SavedRemote, used: string | null): Row => ({
  ...{ name, url, account, expiresAt },
  isUsed: name === used,
});

const ROWS: Print<{ remotes: readonly Row[] }> = {
  kind: "table",
  rows: ({ remotes }) => remotes,
  empty: "(no remotes) gsv login URL adds one",
  columns: [
    { head: "NAME", cell: (row: Row) => row.name },
    { head: "USED", cell: (row: Row) => (row.isUsed ? "yes" : "-") },
    { head: "ACCOUNT", cell: (row: Row) => row.account, minor: 2 },
    { head: "URL", cell: (row: Row) => row.url },
    { head: "EXPIRES", cell: (row: Row) => (row.expiresAt === null ? "-" : isoTime(row.expiresAt)), minor: 1 },
  ],
};

const list = command(
  {
    name: "remote list",
    summary: "List saved computers",
    input: {},
    examples: ["gsv remote list", "gsv remote list --json"],
  },
  async ({ json }, io) => {
    const saved = await io.remotes.saved();
    const used = saved.used();
    await printResult(io, ROWS, { remotes: saved.list().map((remote) => rowOf(remote, used)) }, json);
    return 0;
  },
);

const name = field.text("the remote", { positional: true, longest: 63, meta: "NAME", of: "remote" });

const use = command(
  {
    name: "remote use",
    summary: "Use a saved computer from now on",
    input: {
      name: field.optional({ ...name, doc: `the remote, or ${LOCAL} for this computer` }),
      none: field.flag("use this computer"),
    },
    examples: ["gsv remote use work", `gsv remote use ${LOCAL}`],
    notes: ["First of --remote, GSV_SERVER and GSV_REMOTE counts; without them, the computer set here."],
  },
  async ({ args, json }, io) => {
    if ((args.name === undefined) !== (args.none ?? false))
      throw new SysError("EUSAGE", "give the name of a remote, or local", [`usage: gsv remote use NAME|${LOCAL}`]);
    const saved = await io.remotes.saved();
    const wanted = args.name === undefined || args.name === LOCAL ? null : remoteIn(saved.list(), args.name);
    saved.select(wanted?.name ?? null);
    if (json) await io.stdout.write(jsonLine({ used: wanted?.name ?? null }));
    else await printText(io.stdout, wanted === null ? "Using this computer" : `Using ${wanted.name} (${wanted.url})`);
    return 0;
  },
);

const show = command(
  {
    name: "remote show",
    summary: "Show one saved computer",
    input: { name: field.optional({ ...name, doc: "the remote (default: the one in use)" }) },
    examples: ["gsv remote show", "gsv remote show work --json"],
  },
  async ({ args, json }, io) => {
    const saved = await io.remotes.saved();
    const wanted = args.name ?? (await io.remotes.current())?.name ?? null;
    if (wanted === null || wanted === LOCAL) {
      await printText(io.stdout, json ? jsonLine({ name: null }) : "This computer");
      return 0;
    }
    const remote = remoteIn(saved.list(), wanted);
    const row = { ...rowOf(remote, saved.used()), certificate: remote.certificate === null ? null : "pinned" };
    const facts = [
      ["name", row.name],
      ["url", row.url],
      ["account", row.account],
      ["certificate", row.certificate ?? (row.url.startsWith("https:") ? "verified by authorities" : "none, no TLS")],
      ["expires", row.expiresAt === null ? "-" : isoTime(row.expiresAt)],
      ["used", row.isUsed ? "yes" : "no"],
    ];
    await printText(
      io.stdout,
      json ? jsonLine(row) : facts.map(([key = "", value]) => `${key.padEnd(13)}${value}`).join("\n"),
    );
    return 0;
  },
);

const remove = command(
  {
    name: "remote rm",
    summary: "Sign out and forget a saved computer",
    input: { name },
    examples: ["gsv remote rm work"],
  },
  async ({ args, json }, io) => forget(io, args.name, json),
);

export function remote(): Promise<Command> {
  return noun("remote", "Manage gsv on other computers", { list, use, show, rm: remove });
}
