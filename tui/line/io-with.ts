// The same way out and in, but for a few parts of it.

import type { Io } from "../../commands/command.ts";

export function ioWith(io: Io, changes: Partial<Io>): Io {
  return Object.create(io, Object.getOwnPropertyDescriptors(changes));
}
