// The cursor of a paged list: opaque to clients, which hand it back.

/** Leads to the rows after this one. */
export function cursorAfter({ createdAt, id }: { readonly createdAt: number; readonly id: string }): string {
  return `${createdAt}:${id}`;
}
