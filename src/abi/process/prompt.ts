// What a model is told before it answers, by where it comes from: the parts of the system text in their order, and the bill of a request.

/** In the order in which a request holds them, but for tools, which providers put first. */
const PROMPT_SOURCES = [
  "tools",
  "gsv",
  "system",
  "owner",
  "agent",
  "persona",
  "bundles",
  "project",
  "skills",
  "workspace",
  "process",
  "memory",
  "messages",
] as const;
export type PromptSource = (typeof PROMPT_SOURCES)[number];

/** A piece of the system text. Put together, all of them are that text, byte for byte. */
export interface PromptPart {
  readonly source: PromptSource;
  /** The file it comes from; null of gsv's own words. */
  readonly path: string | null;
  readonly text: string;
}

/** A file that belongs to the prompt and is not in it. */
export interface LeftOut {
  readonly source: PromptSource;
  readonly path: string;
  readonly why: "too long" | "not trusted";
}

export interface Prompt {
  readonly parts: readonly PromptPart[];
  readonly leftOut: readonly LeftOut[];
}

export interface BillLine {
  readonly source: PromptSource;
  /** A file, a tool or a role of messages. */
  readonly what: string;
  readonly bytes: number;
  /** An estimate, as every provider counts for itself. */
  readonly tokens: number;
}

export function systemText({ parts }: Pick<Prompt, "parts">): string {
  return parts.map(({ text }) => text).join("");
}
