// Full-text search over short sections of text: BM25 with light English stemming and a few families of words that mean the same
// here. Pure and small: a few hundred sections at most, their words counted once. It ranks; what is good enough is the caller's decision.

export interface Searchable {
  readonly heading: string;
  readonly words: string;
  readonly text: string;
}

export interface Hit<T> {
  readonly section: T;
  readonly score: number;
  /** Share of the query that the section covers, weighted by how rare each word is: 0 to 1. */
  readonly coverage: number;
}

export interface SearchIndex<T> {
  /** Best first. Leaves out sections without a matching word. */
  search(question: string): readonly Hit<T>[];
}

const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.4;
const HEADING_WEIGHT = 3;
const WORDS_WEIGHT = 2;

const SILENT_WORDS = new Set(
  (
    "a an the and or but if of to in on at by for from with as is are was were be been being am do does did doing have has " +
    "had having i me my mine we us our you your yours it its this that these those there here he she they them their how " +
    "what which whom when where why can could may might must shall should will would please tell show want need like " +
    "just some any something anything so then than too very also about into out up gsv way possible able let get got make " +
    "use using all go one thing things between mean means meaning s t re ve ll m d don doesn didn isn im ive"
  ).split(" "),
);

// Not the plural of a window.
const WHOLE_WORDS = new Set(["windows"]);

// Each line is one idea, represented by its first word. Only families that are valid in the whole manual.
const FAMILIES = [
  "stop halt quit terminate finish",
  "pause suspend freeze hold",
  "resume continue unpause",
  "start launch begin spawn",
  "delete remove erase rm",
  "see view list display look watch",
  "process task agent job worker subprocess",
  "history transcript",
  "conversation chat dialogue discussion talk",
  "old earlier previous past former",
  "approve allow accept permit authorise authorize",
  "deny refuse reject forbid",
  "approval permission consent",
  "find search grep locate",
  "wait block await",
  "code status",
  "data database",
  "store keep save saved kept",
  "empty clear wipe blank",
  "background daemon detached",
  "script scripting automate automation",
  "json jsonl",
  "crash crashed reboot",
  "version release",
  "help usage",
  "directory folder",
  "read cat print",
  "message prompt",
  "file document",
  "difference differ versus vs compare distinguish",
  "tmp temp temporary",
  "maximum max biggest largest",
  "variable env",
] as const;

/** Statistics of sections for the search. Plain data, so it can be built ahead. */
export interface WordCounts {
  /** Weighted length of each section in words. */
  readonly lengths: readonly number[];
  /** Per word, its sections and weighted counts: section, count, section, count … */
  readonly words: { readonly [word: string]: readonly number[] };
}

export function countWords(sections: readonly Searchable[]): WordCounts {
  const words = new Map<string, number[]>();
  const lengths = sections.map(({ heading, words: others, text }, at) => {
    let length = 0;
    for (const [part, weight] of [
      [heading, HEADING_WEIGHT],
      [others, WORDS_WEIGHT],
      [text, 1],
    ] as const) {
      for (const term of termsOf(part)) {
        const places = words.get(term) ?? [];
        if (places.at(-2) === at) places[places.length - 1]! += weight;
        else places.push(at, weight);
        words.set(term, places);
        length += weight;
      }
    }
    return length;
  });
  return { lengths, words: Object.fromEntries(words) };
}

export function indexSections<T extends Searchable>(sections: readonly T[]): SearchIndex<T> {
  return countedIndex(sections, countWords(sections));
}

/** An index from counted sections. Does not need their text. */
export function countedIndex<T>(sections: readonly T[], { lengths, words }: WordCounts): SearchIndex<T> {
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  const placesOf = (term: string) => (Object.hasOwn(words, term) ? words[term] : undefined) ?? [];
  function rarity(term: string): number {
    const within = placesOf(term).length / 2;
    return Math.log(1 + (lengths.length - within + 0.5) / (within + 0.5));
  }

  return {
    search(question) {
      const asked = [...new Set(termsOf(question))];
      const whole = asked.reduce((sum, term) => sum + rarity(term), 0);
      const found = new Map<number, { score: number; covered: number }>();
      for (const term of asked) {
        const rare = rarity(term);
        const places = placesOf(term);
        for (let at = 0; at < places.length; at += 2) {
          const [section = 0, count = 0] = places.slice(at, at + 2);
          const damped = count + SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * lengths[section]!) / averageLength);
          const sums = found.get(section) ?? { score: 0, covered: 0 };
          sums.score += (rare * count * (SATURATION + 1)) / damped;
          sums.covered += rare;
          found.set(section, sums);
        }
      }
      const hits = [...found].map(([at, { score, covered }]) => {
        const coverage = covered / whole;
        // One very good match is worth less than matches of all words.
        return { at, section: sections[at]!, score: score * (0.5 + coverage / 2), coverage };
      });
      return hits.sort((left, right) => right.score - left.score || left.at - right.at);
    },
  };
}

const STANDS_FOR = new Map(
  FAMILIES.flatMap((family) => {
    const [first = "", ...others] = family.split(" ").map(stem);
    return others.map((other) => [other, first] as const);
  }),
);

/** The significant words of a text, stemmed. Names such as GSV_KERNEL and context.d are words, and so are their parts. */
export function termsOf(text: string): string[] {
  return wordsOf(text)
    .flatMap((word) => (/[._]/.test(word) ? [word, ...word.split(/[._]/)] : [word]))
    .filter((word) => word !== "" && !SILENT_WORDS.has(word))
    .map(stem)
    .map((word) => STANDS_FOR.get(word) ?? word);
}

const TITLE_SILENT_WORDS = new Set(
  (
    "a an the and or is are was be do does i me my we you your our it its of to in on for with by from at can could should would " +
    "will may might must how what which when where why who please tell show explain that this there"
  ).split(" "),
);

/** A title, or a question that may be one, without case, punctuation and small words. */
export function titleKey(text: string): string {
  return wordsOf(text)
    .filter((word) => !TITLE_SILENT_WORDS.has(word))
    .map(stem)
    .join(" ");
}

export function wordsOf(text: string): readonly string[] {
  const plain = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/['’]s\b/g, "");
  return plain.match(/[\p{L}\p{N}_]+(?:\.[\p{L}\p{N}_]+)*/gu) ?? [];
}

// Enough to bring together approve/approves/approved/approving/approval's plural; it need not be good English.
function stem(word: string): string {
  if (word.length <= 3 || WHOLE_WORDS.has(word) || !/^[a-z]+$/.test(word)) return word;
  let root = word;
  if (root.endsWith("ies")) root = `${root.slice(0, -3)}y`;
  else if (/(?:ss|x|ch|sh)es$/.test(root)) root = root.slice(0, -2);
  else if (/[^su]s$/.test(root)) root = root.slice(0, -1);
  if (/[aeiouy].*ing$/.test(root) && root.length > 5) root = root.slice(0, -3);
  else if (/[aeiouy].*ed$/.test(root) && root.length > 4) root = root.slice(0, -2);
  if (/([bdgmnprt])\1$/.test(root)) root = root.slice(0, -1);
  return root.length > 3 && root.endsWith("e") ? root.slice(0, -1) : root;
}
