// A played terminal with approval cards: how a test opens it, presses keys and reads the answers.

import { Played, type PlayOptions } from "./played.ts";

/** After the time in which a card ignores keys. */
export const READ_MS = 450;

/** Every answer to a request is accepted. */
export async function answering(options: PlayOptions = {}): Promise<Played> {
  const shell = await Played.open(options);
  shell.io.fakeSys.answer("hil.answer", () => ({}));
  return shell;
}

/** A single key, with nothing after it. */
export async function press(shell: Played, key: string): Promise<void> {
  await shell.type(key);
  await shell.settle(READ_MS);
}

export function answers({ io }: Played): readonly object[] {
  return io.fakeSys.asked("hil.answer");
}
