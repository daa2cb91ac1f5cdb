// Hooks: programs of a person in hooks.d/EVENT/ that get events. Each event lists the fields of its JSON
// besides `event`, `at`, `pid`, `parent` and `run`. Only hooks of VETO can refuse a call.

interface EventDoc {
  readonly when: string;
  /** Fields of its JSON. */
  readonly says: string;
}

export const HOOK_EVENTS = {
  "run-start": { when: "a run begins", says: "model" },
  prompt: { when: "a message of a person or a process was taken in", says: "text from" },
  "tool-before": { when: "a tool is about to be used; status 2 refuses it", says: "callId tool call args approved" },
  "tool-after": { when: "a tool was used, or a rule or a hook refused it", says: "callId tool call ok output" },
  approval: { when: "an approval or a question waits for a person", says: "id kind tool call args why" },
  "run-end": { when: "a run is over", says: "status reason text error usage" },
  "process-start": { when: "a process was started", says: "label" },
  "process-end": { when: "a process is gone", says: "archive" },
  reset: { when: "a history starts over", says: "archive" },
  compact: { when: "old history was summarised", says: "cause fromSeq toSeq tokensBefore tokensAfter" },
  notification: { when: "something is worth calling a person for", says: "why title text" },
} as const satisfies { readonly [name: string]: EventDoc };

export type HookEvent = keyof typeof HOOK_EVENTS;

export const HOOK_EVENT_NAMES = Object.keys(HOOK_EVENTS) as readonly HookEvent[];

/** The event whose hooks gsv waits for; they may refuse the call. */
export const VETO = "tool-before" satisfies HookEvent;

/** Exit status of a hook that refuses. Its stderr is the reason. */
export const VETO_STATUS = 2;

export function isHookEvent(name: string): name is HookEvent {
  return Object.hasOwn(HOOK_EVENTS, name);
}

/** `EVENT/NAME`, without blanks or invisible characters. */
export const HOOK_NAME = /^[a-z-]{1,40}\/[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;

/** new: not decided. changed: the file has changed since it was allowed. refused: it cannot be allowed (see `why`). */
export type HookState = "new" | "allowed" | "changed" | "denied" | "refused";

export interface HookInfo {
  /** `EVENT/NAME`. */
  readonly hook: string;
  readonly state: HookState;
  readonly path: string;
  /** Of its bytes; null if refused. */
  readonly sha256: string | null;
  /** Why it is refused, and how to fix that. */
  readonly why: string | null;
  readonly fix: string | null;
  /** Who decided, and when; null if undecided. */
  readonly by: string | null;
  readonly decidedAt: number | null;
}
