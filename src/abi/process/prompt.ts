// The parts of the system text in their order, each with its source, and the size of a request by source.

/** In the order of a request. */
const PROMPT_SOURCES = [
  "tools",
  "mcp",
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

/** A part of the system text, which is the concatenation of all parts. */
export interface PromptPart {
  readonly source: PromptSource;
  /** Its file; null for gsv's own text. */
  readonly path: string | null;
  readonly text: string;
}

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
  /** A file, a tool or a message role. */
  readonly what: string;
  readonly bytes: number;
  /** Estimated: every provider counts differently. */
  readonly tokens: number;
}

export function systemText({ parts }: Pick<Prompt, "parts">): string {
  return parts.map(({ text }) => text).join("");
}
