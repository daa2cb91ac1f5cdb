// The two halves in which sessions name a model, and the file in which a process is told a system prompt of its own. Pure.

export const SYSTEM_PROMPT_FILE = "system-prompt.md";

export interface ModelParts {
  readonly provider: string | null;
  readonly id: string | null;
}

/** `openai/gpt-4.1` and `script:/a/path` alike; a provider may stand alone. */
export function splitModel(name: string | null): ModelParts {
  if (name === null) return { provider: null, id: null };
  const [, provider = name, id = ""] = /^([^/:]*)[/:](.*)$/s.exec(name) ?? [];
  return { provider, id: id === "" ? null : id };
}

/** What is asked for when one half changes; the id of a model goes with its provider. */
export function modelWith(now: ModelParts, change: Partial<ModelParts>): string {
  if (change.provider !== undefined) {
    if (change.provider === null) return "";
    return change.provider === now.provider && now.id !== null ? `${now.provider}/${now.id}` : change.provider;
  }
  const id = change.id ?? null;
  if (id === null) return now.provider ?? "";
  return now.provider === null ? id : `${now.provider}/${id}`;
}
