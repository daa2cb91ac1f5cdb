// Which voice of the browser reads. Voices that are not on this computer send the text to their vendor: they never read. Pure.

export interface Voice {
  readonly name: string;
  readonly lang: string;
  readonly localService: boolean;
  readonly default: boolean;
}

/** Null: none is on this computer. `languages`: of the browser, preferred first. */
export function localVoice<V extends Voice>(voices: readonly V[], languages: readonly string[]): V | null {
  const local = voices.filter(({ localService }) => localService);
  for (const same of [sameRegion, sameLanguage])
    for (const language of languages) {
      const fitting = local.filter(({ lang }) => same(lang, language));
      const found = fitting.find((voice) => voice.default) ?? fitting[0];
      if (found !== undefined) return found;
    }
  return local.find((voice) => voice.default) ?? local[0] ?? null;
}

/** Android writes `en_US`. */
function plain(tag: string): string {
  return tag.replaceAll("_", "-").toLowerCase();
}

function sameRegion(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function sameLanguage(one: string, other: string): boolean {
  return plain(one).split("-")[0] === plain(other).split("-")[0];
}
