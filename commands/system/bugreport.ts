// `gsv bugreport`: a Markdown file for a bug report, to read before sharing. Nothing is sent. Secrets and the path of the home are redacted
// again from the finished text.

import { SECRET_ENV } from "../../src/abi/config/environment.ts";
import { SysError } from "../../src/abi/errno.ts";
import type { Finding } from "../../src/doctor/examine.ts";
import { Redactor } from "../../src/lib/text/redact.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { sizeText } from "../../src/lib/text/size.ts";
import { field } from "../../src/syscalls/define.ts";
import type { KernelStatus, SettingInfo } from "../../src/syscalls/services.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { fenced } from "../io/fenced.ts";
import { writeNew } from "../io/host-files.ts";
import { jsonLine, note } from "../io/status.ts";
import { printText } from "../print.ts";
import { coreField, coreNamed, type NamedCore } from "./core.ts";
import { coreText } from "./core-text.ts";

const spec = {
  name: "bugreport",
  summary: "Collect a bug report",
  input: {
    core: { ...coreField, doc: "failed run to report (default: the newest)" },
    output: field.optional(
      field.text("file to write; - for stdout", { letter: "o", longest: 4096, meta: "FILE", of: "host-or-file" }),
    ),
    force: field.flag("overwrite an existing file"),
  },
  examples: ["gsv bugreport", "gsv bugreport task:abc123 -o report.md", "gsv bugreport -o - | less"],
  notes: [
    "Contains the record of a failed run (last messages and calls), results of gsv doctor, versions and changed settings. Contains no secrets, environment or files. Nothing is sent: read the file before you share it.",
  ],
} as const;

interface Part {
  readonly title: string;
  readonly about: string;
  readonly text: string;
}

export const bugreport = command(spec, async ({ args, json }, io) => {
  const parts = await partsOf(io, args.core);
  const text = await withoutSecrets(io, reportOf(parts, io.clock.now()));
  const file = args.output ?? `gsv-bugreport-${new Date(io.clock.now()).toISOString().replace(/[-:]|\.\d+/g, "")}.md`;
  if (file === "-") {
    await printText(io.stdout, text);
    return 0;
  }
  await writeNew(io, file, text, args.force === true);
  const bytes = Buffer.byteLength(text);
  const about = parts.map((part) => part.about);
  if (json) await io.stdout.write(jsonLine({ file, bytes, parts: about }));
  else {
    await printText(io.stdout, reveal(file));
    await note(io, `${sizeText(bytes)}: ${about.join("; ")}. Nothing was sent. Read it before you share it.`);
  }
  return 0;
});

async function partsOf(io: Io, wanted: string | undefined): Promise<readonly Part[]> {
  const core = await coreNamed(io, wanted).catch((error: unknown) => {
    // The report works without a crash record, unless one was named.
    if (wanted === undefined && error instanceof SysError && error.code === "ENOENT") return null;
    throw error;
  });
  return [...(core === null ? [] : ofCore(core)), await versions(io), await health(io), await settings(io)];
}

function ofCore({ name, core }: NamedCore): readonly Part[] {
  return [
    { title: "What failed", about: `why ${core.pid} failed`, text: fenced(coreText(name, core)) },
    {
      ...{ title: "Core", text: fenced(JSON.stringify(core, null, 2)) },
      about: `its last ${core.messages.length} messages and ${core.calls.length} calls`,
    },
  ];
}

async function versions(io: Io): Promise<Part> {
  const status = await io.sys().call<KernelStatus>("system.status", {});
  const { version, commit, bun, running } = status;
  const lines = [`gsv ${version} (${commit})`, `Bun ${bun}`, running ? "a kernel runs" : "no kernel runs"];
  return { title: "Versions", about: "versions", text: fenced(lines.join("\n")) };
}

async function health(io: Io): Promise<Part> {
  const found = await (await io.machine.doctor()).examine({ checks: [], fix: false });
  const line = ({ level, check, what }: Finding) => reveal(`${level}  ${check}  ${what}`);
  return { title: "Doctor", about: "results of gsv doctor", text: fenced(found.map(line).join("\n")) };
}

async function settings(io: Io): Promise<Part> {
  const { settings: all } = await io.sys().call<{ settings: readonly SettingInfo[] }>("config.list", {});
  const changed = all.filter(({ layer }) => layer !== "default");
  // Secrets are not even abbreviated.
  const line = ({ key, type, shown, layer }: SettingInfo) =>
    reveal(`${key} = ${type === "secret" ? "(a secret)" : shown} (${layer})`);
  const text = changed.length === 0 ? "(none changed)" : changed.map(line).join("\n");
  return { title: "Settings", about: "changed settings", text: fenced(text) };
}

function reportOf(parts: readonly Part[], now: number): string {
  return [
    "# gsv bug report",
    `Made ${new Date(now).toISOString()}. Contents:`,
    parts.map(({ about }) => `- ${about}`).join("\n"),
    "Secrets were removed. Nothing was sent.",
    ...parts.flatMap(({ title, text }) => [`## ${title}`, text]),
  ].join("\n\n");
}

async function withoutSecrets(io: Io, text: string): Promise<string> {
  const redactor = new Redactor();
  for (const name of SECRET_ENV) redactor.add(io.env[name] ?? "");
  const clean = redactor.text(await io.conceal(text));
  const { HOME: home } = io.env;
  return home === undefined || home.length < 2 ? clean : clean.replaceAll(home, "~");
}
