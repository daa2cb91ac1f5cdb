// Redacts the secrets of an environment.

import type { Output } from "../../commands/command.ts";
import { SECRET_ENV } from "../abi/config/environment.ts";
import { Redactor } from "../lib/text/redact.ts";

type Env = { readonly [name: string]: string | undefined };

export function learnEnvironment(redactor: Redactor, env: Env): void {
  for (const name of SECRET_ENV) redactor.add(env[name] ?? "");
}

/** The output without the secrets of the environment. */
export function redactedOutput(env: Env, output: Output): Output {
  const redactor = new Redactor();
  learnEnvironment(redactor, env);
  // Bytes need not be text, so search them as Latin-1.
  const clean = (bytes: Uint8Array) => Buffer.from(redactor.known(Buffer.from(bytes).toString("latin1")), "latin1");
  return {
    write: (text) => output.write(typeof text === "string" ? redactor.known(text) : clean(text)),
    isTTY: output.isTTY,
    get closed() {
      return output.closed;
    },
    get failure() {
      return output.failure;
    },
    get columns() {
      return output.columns;
    },
    get rows() {
      return output.rows;
    },
  };
}
