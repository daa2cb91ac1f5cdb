// Messages between the console and the document of the seeded voice.

export const VOICE_PAGE = "/voice";

export interface ToVoice {
  readonly id: number;
  readonly sentence: string;
}

/** 0: the voice is ready. */
export interface FromVoice {
  readonly id: number;
  readonly wav?: ArrayBuffer;
  readonly fault?: string;
}

export function isFromVoice(data: unknown): data is FromVoice {
  return typeof data === "object" && data !== null && "id" in data && typeof data.id === "number";
}

export function isToVoice(data: unknown): data is ToVoice {
  return isFromVoice(data) && "sentence" in data && typeof data.sentence === "string";
}
