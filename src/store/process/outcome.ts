// Results of verbs: refusals are values, not errors.

/** fenced: another owner took over, stop at once. conflict: the key was used for other content. */
export type Refusal = "fenced" | "conflict" | "no-process" | "full";

export type Outcome<T> =
  | { readonly ok: true; readonly value: T; readonly replay: boolean }
  | { readonly ok: false; readonly why: Refusal };

export function isRefusal(value: unknown): value is Refusal {
  return value === "fenced" || value === "conflict" || value === "no-process" || value === "full";
}
