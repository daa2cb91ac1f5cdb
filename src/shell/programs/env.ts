// `env` and `printenv`: print the exported variables, or run a program with changed ones.

import { options } from "./options.ts";
import { type Call, whole } from "./program.ts";

export async function env(call: Call): Promise<number> {
  const { flags, uses, operands } = options("env", call.args, {
    letters: "iu:0S:C:",
    long: { "ignore-environment": "i", "unset=": "u", null: "0" },
    stopsEarly: true,
    status: 125,
  });
  const bare = flags.has("i") || operands[0] === "-";
  const words = operands[0] === "-" ? operands.slice(1) : operands;
  const values: { [name: string]: string } = bare ? {} : { ...call.env };
  for (const [flag, name] of uses) if (flag === "u") delete values[name];
  let at = 0;
  for (; /^[A-Za-z_]\w*=/.test(words[at] ?? ""); at++) {
    const word = words[at] ?? "";
    values[word.slice(0, word.indexOf("="))] = word.slice(word.indexOf("=") + 1);
  }
  const command = words.slice(at);
  if (command.length > 0) return call.run(command, await whole(call, "-"), values);
  const end = flags.has("0") ? "\0" : "\n";
  for (const [name, value] of Object.entries(values)) call.out(`${name}=${value}${end}`);
  return 0;
}

export async function printenv(call: Call): Promise<number> {
  const { operands } = options("printenv", call.args, { letters: "0", long: { null: "0" }, status: 2 });
  if (operands.length === 0) for (const [name, value] of Object.entries(call.env)) call.out(`${name}=${value}\n`);
  let status = 0;
  for (const name of operands) {
    if (call.env[name] === undefined) status = 1;
    else call.out(`${call.env[name]}\n`);
  }
  return status;
}
