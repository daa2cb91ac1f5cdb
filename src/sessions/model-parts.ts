// Model names as provider and id, and the file name of a process's system prompt. Pure.

export const SYSTEM_PROMPT_FILE = "system-prompt.md";

export interface ModelParts {
  readonly provider: string | null;
  readonly id: string | null;
}

/** Splits `openai/gpt-4.1` or `script:/a/path`; a provider may stand alone. */
export function splitModel(name: string | null): ModelParts {
  if (name === null) return { provider: null, id: null };
  const [, provider = name, id = ""] = /^([^/:]*)[/:](.*)$/s.exec(name) ?? [];
  return { provider, id: id === "" ? null : id };
}

/** The name after a change of one part. A new provider drops the id. */
export function modelWith(now: ModelParts, change: Partial<ModelParts>): string {
  if (change.provider !== undefined) {
    if (change.provider === null) return "";
    return change.provider === now.provider && now.id !== null ? `${now.provider}/${now.id}` : change.provider;
  }
  const id = change.id ?? null;
  if (id === null) return now.provider ?? "";
  return now.provider === null ? id : `${now.provider}/${id}`;
}
