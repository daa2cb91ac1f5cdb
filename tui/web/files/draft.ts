// The text of a file that is being edited. It outlives a reload and another view, until it is saved or discarded.

export interface Draft {
  readonly text: string;
  readonly newline: "\n" | "\r\n";
  /** Of the file when editing began. */
  readonly version: string;
}

export interface DraftPlace {
  readonly uid: number;
  readonly path: string;
}

export function draftOf(place: DraftPlace): Draft | null {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(place)) ?? "null") as Draft | null;
  } catch {
    return null;
  }
}

export function keepDraft(place: DraftPlace, draft: Draft | null): void {
  try {
    if (draft === null) sessionStorage.removeItem(keyOf(place));
    else sessionStorage.setItem(keyOf(place), JSON.stringify(draft));
  } catch {}
}

function keyOf({ uid, path }: DraftPlace): string {
  return `gsv.file.${uid}.${path}`;
}
