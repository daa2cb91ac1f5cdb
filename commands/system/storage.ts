// `gsv storage verify`: compares stored bytes with their recorded checksums, page by page. Damage goes to stdout, the total to stderr.

import { reveal } from "../../src/lib/text/sanitize.ts";
import { sizeText } from "../../src/lib/text/size.ts";
import type { StorageFault, VerifiedPage } from "../../src/syscalls/system/storage.ts";
import { storageCalls } from "../../src/syscalls/system/storage.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { jsonLine, note } from "../io/status.ts";

const { summary, cli } = storageCalls[1];

export const verify: Command = command(
  {
    name: "storage verify",
    summary,
    input: {},
    examples: cli.examples,
    notes: [
      "Reads all your objects (as root, all objects) and prints missing or damaged ones.\nExit status: 0 if all are intact, else 1.",
    ],
  },
  async ({ json }, io) => {
    const sum = { checked: 0, bytes: 0, faults: 0 };
    for (let after: string | null = null; ; ) {
      const asked: object = after === null ? {} : { after };
      const page: VerifiedPage = await io.sys().call<VerifiedPage>("storage.verify", asked);
      sum.checked += page.checked;
      sum.bytes += page.bytes;
      sum.faults += page.faults.length;
      await print(io, page.faults, json);
      after = page.next;
      if (after === null) break;
    }
    const what = `${sum.checked} ${sum.checked === 1 ? "object" : "objects"}, ${sizeText(sum.bytes)}`;
    await note(io, sum.faults === 0 ? `${what}: all intact` : `${what}: ${sum.faults} damaged`);
    return sum.faults === 0 ? 0 : 1;
  },
);

async function print(io: Io, faults: readonly StorageFault[], json: boolean): Promise<void> {
  const line = ({ path, fault }: StorageFault) =>
    `${fault}  ${reveal(path)} → restore it from a backup, or delete it\n`;
  if (faults.length > 0) await io.stdout.write(faults.map(json ? jsonLine : line).join(""));
}
