// `gsv approve ID` and `gsv deny ID`: a person's answer to what a process asked for.

import type { Approval } from "../src/abi/process.ts";
import { field } from "../src/syscalls/define.ts";
import type { Command } from "./command.ts";
import { command } from "./define.ts";
import { declared } from "./derive.ts";
import { printResult } from "./print.ts";

export const approve = answer("approve", "Allow what a process asked for; it goes on");
export const deny = answer("deny", "Refuse what a process asked for; it is told so and goes on");

function answer(decision: "approve" | "deny", summary: string): Command {
  const spec = {
    name: decision,
    summary,
    input: {
      id: field.text("the approval, as gsv approvals lists it", {
        positional: true,
        longest: 16,
        meta: "ID",
        of: "approval",
      }),
    },
    examples: [`gsv ${decision} k3x9`],
    notes: ["Given twice, the same answer is fine; another one fails and names who answered before."],
  };
  return command(spec, async ({ args, json }, io) => {
    const result = await io.sys().call<Approval>("hil.answer", { id: args.id, decision });
    await printResult(io, (await declared("hil.answer")).cli.print, result, json);
    return 0;
  });
}
