// `gsv config get|list`: shows settings. config-change.ts changes them.

import { field } from "../../src/syscalls/define.ts";
import type { SettingInfo } from "../../src/syscalls/services.ts";
import { configCalls } from "../../src/syscalls/system/config.ts";
import type { Command } from "../command.ts";
import { command } from "../define.ts";
import { declared } from "../derive.ts";
import { jsonLine } from "../io/status.ts";
import { printResult, printText } from "../print.ts";

export const settingKey = field.text("the setting, as in gsv config list", { positional: true, meta: "KEY" });
const verbose = (doc: string) => field.flag(doc, { letter: "v" });

const getInput = {
  key: settingKey,
  verbose: verbose("every layer with a value, and the description"),
};

export const get: Command = command({ ...asDeclared("get"), input: getInput }, async ({ args, json }, io) => {
  const info = await io.sys().call<SettingInfo>("config.get", { key: args.key });
  if (json) await io.stdout.write(jsonLine(info));
  else await printText(io.stdout, args.verbose ? await everything(info) : info.shown);
  return 0;
});

export function asDeclared(verb: "get" | "list" | "set") {
  const { summary, cli } = configCalls.find(({ name }) => name === `config.${verb}`) ?? configCalls[0];
  return { name: `config ${verb}`, summary, examples: cli.examples };
}

async function everything(info: SettingInfo): Promise<string> {
  const { key: name, shown, layer, layers, doc, takes, env, writes, agents } = info;
  const own = agents === "ask" ? "you, and your agents if you approve it" : "you";
  const rows: [string, string][] = [
    [name, `${shown || '""'} (${layer})`],
    ["means", doc],
    ["takes", takes],
    ...[...layers].reverse().map((each): [string, string] => [each.layer, each.shown || '""']),
    ["variable", env ?? "-"],
    ["changed by", writes === "root" ? "root, with --system" : `${own}; root for the whole home, with --system`],
  ];
  const { aligned } = await import("../man/help-text.ts");
  return aligned(rows).join("\n");
}

const listInput = {
  under: field.optional(field.text("prefix of the settings to list", { positional: true, meta: "PREFIX" })),
  verbose: verbose("descriptions too"),
};

export const list: Command = command({ ...asDeclared("list"), input: listInput }, async ({ args, json }, io) => {
  const { print } = (await declared("config.list")).cli;
  const result = await io.sys().call("config.list", args.under === undefined ? {} : { under: args.under });
  if (print.kind !== "table" || !args.verbose) await printResult(io, print, result, json);
  else {
    const means = { head: "MEANS", cell: (row: SettingInfo) => row.doc, below: true } as const;
    await printResult(io, { ...print, columns: [...print.columns, means] }, result, json);
  }
  return 0;
});
