// Hooks: programs of a person that are told what happens, in hooks.d/EVENT/. The events are these and no others, each with what its JSON
// says besides `event`, `at` and, where there is one, `pid`, `parent` and `run`. One of them can object: nothing else about a hook decides.

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

/** The one whose hooks are waited for, and may refuse. */
export const VETO = "tool-before" satisfies HookEvent;

/** What a hook that refuses exits with; its stderr is the reason. */
export const VETO_STATUS = 2;

export function isHookEvent(name: string): name is HookEvent {
  return Object.hasOwn(HOOK_EVENTS, name);
}

/** `EVENT/NAME`: no blanks and nothing hidden, so that it is what it looks like wherever it is printed. */
export const HOOK_NAME = /^[a-z-]{1,40}\/[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;

/** new: nobody has decided. changed: it was allowed, and is not what it was then. refused: it cannot be allowed as it lies there. */
export type HookState = "new" | "allowed" | "changed" | "denied" | "refused";

export interface HookInfo {
  /** `EVENT/NAME`. */
  readonly hook: string;
  readonly state: HookState;
  readonly path: string;
  /** Of its bytes; null where it is refused. */
  readonly sha256: string | null;
  /** Why it is refused, and what mends that. */
  readonly why: string | null;
  readonly fix: string | null;
  /** Who decided, and when; null where nobody has. */
  readonly by: string | null;
  readonly decidedAt: number | null;
}
