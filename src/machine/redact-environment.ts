// Redacts the secrets of an environment.

import { SECRET_ENV } from "../abi/config/environment.ts";
import { Redactor } from "../lib/text/redact.ts";

type Env = { readonly [name: string]: string | undefined };

export function learnEnvironment(redactor: Redactor, env: Env): void {
  for (const name of SECRET_ENV) redactor.add(env[name] ?? "");
}

export function redactorOf(env: Env): Redactor {
  const redactor = new Redactor();
  learnEnvironment(redactor, env);
  return redactor;
}
