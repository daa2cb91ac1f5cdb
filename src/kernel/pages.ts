// The cursor of a paged list, an opaque text that clients hand back.

import { SysError } from "../abi/errno.ts";
import type { ListCursor } from "../store/kernel/db.ts";
import { cursorAfter } from "../syscalls/list-cursor.ts";

export function placeOf(cursor: string | undefined): { readonly after?: ListCursor } {
  if (cursor === undefined) return {};
  const [, createdAt, id] = /^([0-9]{1,16}):(.+)$/.exec(cursor) ?? [];
  if (createdAt === undefined || id === undefined) throw new SysError("EINVAL", "invalid cursor for this list");
  return { after: { createdAt: Number(createdAt), id } };
}

/** null if the list ends with these rows. */
export function nextPlace(last: ListCursor | undefined, isFull: boolean): string | null {
  return last === undefined || !isFull ? null : cursorAfter(last);
}
