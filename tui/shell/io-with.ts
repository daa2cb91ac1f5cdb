// The same Io with some parts replaced.

import type { Io } from "../../commands/command.ts";

export function ioWith(io: Io, changes: Partial<Io>): Io {
  return Object.create(io, Object.getOwnPropertyDescriptors(changes));
}
