// What the drivers share: changes go one at a time, and each stores its intent before it moves bytes and ends it together with the row in
// one transaction. An intent left by a crash is settled before the next change: rolled forward if the bytes got there, else dropped. Also
// the rule that a key is never both a file and a directory.

import { SysError } from "../abi/errno.ts";
import { Serial } from "../lib/serial.ts";
import { parentsOf } from "./keys.ts";
import type { ObjectIntent, ObjectMeta, ObjectRows } from "./objects.ts";

export interface Step {
  /** Throws what is wrong with it; asked when nothing else changes. */
  allowed(): Promise<void>;
  move(): Promise<void>;
  /** Once it is true. */
  after?(): Promise<void>;
}

export class Changes {
  private readonly serial = new Serial();
  /** An intent may be stored that nobody has ended: a change failed half-way. The next change settles it first. */
  private unsettled = false;

  constructor(
    private readonly rows: ObjectRows,
    /** Whether an intent is true where the bytes lie; if so it also lasts when this returns. */
    private readonly cameTrue: (intent: ObjectIntent) => Promise<boolean>,
  ) {}

  /** Between changes, when rows and bytes agree. */
  between<T>(work: () => Promise<T>): Promise<T> {
    return this.serial.run(work);
  }

  run(intent: ObjectIntent, step: Step): Promise<void> {
    return this.serial.run(async () => {
      if (this.unsettled) await this.settle();
      await step.allowed();
      this.unsettled = true;
      let moved = false;
      try {
        await this.rows.intend(intent);
        await step.move();
        moved = true;
        await this.rows.fulfil(intent, "done");
        this.unsettled = false;
      } catch (error) {
        // When even this fails (a full disk), the next change or the next start does it.
        const settled = await this.settle().then(
          () => true,
          () => false,
        );
        if (!moved) throw error;
        if (!settled) throw unended(error);
      }
      await step.after?.();
    });
  }

  /** What a change, or an earlier kernel, left open: to its end, or back. Returns how many there were. */
  async settle(): Promise<number> {
    const intents = await this.rows.intents();
    this.unsettled = intents.length > 0;
    for (const intent of intents) await this.rows.fulfil(intent, (await this.cameTrue(intent)) ? "done" : "undone");
    this.unsettled = false;
    return intents.length;
  }
}

export async function present(rows: ObjectRows, key: string): Promise<ObjectMeta> {
  const meta = await rows.get(key);
  if (meta === null) throw new SysError("ENOENT", `no such object: ${key}`);
  return meta;
}

async function hasChildren(rows: ObjectRows, key: string): Promise<boolean> {
  return (await rows.page(`${key}/`, null, 1)).length > 0;
}

/** Neither a directory nor beneath a file. */
export async function mayStand(rows: ObjectRows, key: string): Promise<void> {
  if (await hasChildren(rows, key)) throw new SysError("EISDIR", `${key} is a directory`);
  for (const parent of parentsOf(key)) {
    if ((await rows.get(parent)) !== null) throw new SysError("ENOTDIR", `${parent} is not a directory`);
  }
}

/** An object over another, or a directory to where nothing is yet. */
export async function mayRename(rows: ObjectRows, from: string, to: string): Promise<void> {
  if ((await rows.get(from)) !== null) return;
  if (!(await hasChildren(rows, from))) throw new SysError("ENOENT", `no such object: ${from}`);
  if (await hasChildren(rows, to)) throw new SysError("ENOTEMPTY", `${to} is a directory and not empty`);
  if ((await rows.get(to)) !== null) throw new SysError("ENOTDIR", `${to} is not a directory`);
}

/** Nobody may be told that nothing was saved: the bytes are where they belong, and stay there. */
function unended(why: unknown): SysError {
  const message = why instanceof Error ? why.message.replace(/^not saved: /, "") : String(why);
  return new SysError("EIO", `it was done, but could not be noted yet: ${message}`, [
    "it shows as soon as something can be stored again",
  ]);
}
