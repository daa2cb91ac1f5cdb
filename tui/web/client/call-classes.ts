// The classes of the calls that the console makes. The client repeats a lost `keyed` call with the same request id.

import type { CallClass } from "../../../src/abi/sys.ts";

const CLASSES: { readonly [call: string]: CallClass } = {
  "config.list": "read",
  "config.set": "keyed",
  "config.unset": "keyed",
  "fs.get": "read",
  "fs.list": "read",
  "fs.put": "keyed",
  "fs.stat": "read",
  "hil.answer": "keyed",
  "hil.list": "read",
  "notify.dismiss": "keyed",
  "notify.list": "read",
  "notify.read": "keyed",
  "proc.abort": "keyed",
  "proc.budgets": "read",
  "proc.get": "read",
  "proc.history": "read",
  "proc.history.policy": "read",
  "proc.kill": "keyed",
  "proc.list": "read",
  "proc.message": "read",
  // Shows the model if it gets none.
  "proc.model": "keyed",
  "proc.send": "keyed",
  "proc.signal": "keyed",
  "proc.spawn": "keyed",
  "sched.history": "read",
  "sched.list": "read",
  "sched.run": "keyed",
  "sched.update": "keyed",
  "sys.login.list": "read",
  "sys.login.revoke": "keyed",
  "sys.version": "read",
  "system.whoami": "read",
};

export function classOf(call: string): CallClass {
  const known = CLASSES[call];
  if (known === undefined) throw new Error(`${call} has no class in call-classes.ts`);
  return known;
}
