// Shared by the drivers: changes run one at a time. Each stores its intent before it moves bytes, and ends it in one transaction with the
// row. An intent left by a crash is settled before the next change: completed if the bytes arrived, else dropped. Also the rule that a
// key is never both a file and a directory.

import { SysError } from "../abi/errno.ts";
import { Serial } from "../lib/serial.ts";
import { parentsOf } from "./keys.ts";
import type { ObjectIntent, ObjectMeta, ObjectRows } from "./objects.ts";

export interface Step {
  /** Throws if the change is not allowed. Runs with no other change in progress. */
  allowed(): Promise<void>;
  move(): Promise<void>;
  /** Runs after the row is stored. */
  after?(): Promise<void>;
}

export class Changes {
  private readonly serial = new Serial();
  /** True if a failed change may have left an intent. The next change settles it first. */
  private unsettled = false;

  constructor(
    private readonly rows: ObjectRows,
    /** True if the bytes are where the intent wants them; they are then durable. */
    private readonly isComplete: (intent: ObjectIntent) => Promise<boolean>,
  ) {}

  /** Runs `work` while no change is in progress. */
  between<T>(work: () => Promise<T>): Promise<T> {
    return this.serial.run(work);
  }

  run(intent: ObjectIntent, step: Step): Promise<void> {
    return this.runAll([intent], step);
  }

  /** Several changes of one kind with one step. */
  runAll(intents: readonly ObjectIntent[], step: Step): Promise<void> {
    return this.serial.run(async () => {
      if (this.unsettled) await this.settle();
      await step.allowed();
      this.unsettled = true;
      let moved = false;
      try {
        await this.rows.intend(...intents);
        await step.move();
        moved = true;
        for (const intent of intents) await this.rows.fulfil(intent, "done");
        this.unsettled = false;
      } catch (error) {
        // If this fails too (full disk), the next change or the next start settles it.
        const settled = await this.settle().then(
          () => true,
          () => false,
        );
        if (!moved) throw error;
        if (!settled) throw unrecorded(error);
      }
      await step.after?.();
    });
  }

  /** Completes or drops open intents. Returns their number. */
  async settle(): Promise<number> {
    const intents = await this.rows.intents();
    this.unsettled = intents.length > 0;
    for (const intent of intents) await this.rows.fulfil(intent, (await this.isComplete(intent)) ? "done" : "undone");
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

/** The key must not be a directory, nor lie below a file. */
export async function checkPlace(rows: ObjectRows, key: string): Promise<void> {
  if (await hasChildren(rows, key)) throw new SysError("EISDIR", `${key} is a directory`);
  const [parent] = await rows.some(parentsOf(key));
  if (parent !== undefined) throw new SysError("ENOTDIR", `${parent.key} is not a directory`);
}

/** An object may replace an object; a directory may only move to a free name. */
export async function checkRename(rows: ObjectRows, from: string, to: string): Promise<void> {
  if ((await rows.get(from)) !== null) return;
  if (!(await hasChildren(rows, from))) throw new SysError("ENOENT", `no such object: ${from}`);
  if (await hasChildren(rows, to)) throw new SysError("ENOTEMPTY", `${to} is a directory and not empty`);
  if ((await rows.get(to)) !== null) throw new SysError("ENOTDIR", `${to} is not a directory`);
}

/** Must not claim that nothing was saved: the bytes are in place and stay there. */
function unrecorded(why: unknown): SysError {
  const message = why instanceof Error ? why.message.replace(/^not saved: /, "") : String(why);
  return new SysError("EIO", `the change was made but is not recorded yet: ${message}`, [
    "it shows after the next successful write",
  ]);
}
