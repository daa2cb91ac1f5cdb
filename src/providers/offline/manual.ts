// Answers from the manual: a page or section by name; one section, with command and source, if it clearly matches; otherwise the three
// nearest entries. Invents nothing: every command is in the manual. Pure.

import { FENCED } from "../../lib/text/fences.ts";
import { type Hit, indexSections, type SearchIndex, termsOf } from "../../lib/text/search.ts";
import type { ManualSection } from "../../prompts/manual.ts";
import { ManualBook } from "./contents.ts";

// Thresholds measured with the questions in the tests. A section whose heading shares no word with the question needs a high score, or a
// clear lead over the next one.
const COVERAGE_MIN = 0.5;
const SCORE_MIN = 6;
const LEAD_MIN = 1.2;
const FOREIGN_COVERAGE_MIN = 0.6;
const FOREIGN_SCORE_MIN = 6;
const NEAREST = 3;
// Orders without an object: no section may look like the way to carry them out.
const TOO_WIDE =
  /^(?:please )?(?:delete|remove|erase|destroy|wipe|kill|purge|clear|rm)(?: me)? (?:everything|anything|all|it|this|that|them|it all|them all|all of (?:it|this|them|that))(?: now| please)?[.!?]*$/i;
const QUESTION_CHARS_MAX = 500;
/** Repeats what other pages explain: answers come from those. */
const TOUR = "tour";

export class ManualAnswers {
  private static readonly made = new WeakMap<readonly ManualSection[], ManualAnswers>();
  private readonly book: ManualBook;
  private readonly sections: readonly ManualSection[];
  private counted: SearchIndex<ManualSection> | null = null;

  private constructor(sections: readonly ManualSection[]) {
    this.sections = sections;
    this.book = new ManualBook(sections);
  }

  /** Providers are created per turn; the index is built once per manual. */
  static from(sections: readonly ManualSection[]): ManualAnswers {
    const known = ManualAnswers.made.get(sections);
    if (known !== undefined) return known;
    const answers = new ManualAnswers(sections);
    ManualAnswers.made.set(sections, answers);
    return answers;
  }

  /** Built on demand: indexing takes longer than the rest of a turn, and orders do not need it. */
  private get index(): SearchIndex<ManualSection> {
    this.counted ??= indexSections(this.sections.filter(({ page }) => page !== TOUR));
    return this.counted;
  }

  /** The section with exactly this title, or null. */
  titled(message: string): string | null {
    const section = this.book.titled(message.slice(0, QUESTION_CHARS_MAX));
    return section === null ? null : shown(section);
  }

  answer(message: string): string {
    const asked = message.slice(0, QUESTION_CHARS_MAX);
    if (isOrder(asked)) return this.found(asked);
    const named = this.book.meant(asked);
    if (named !== null) return shown(named);
    return this.book.listing(asked) ?? this.found(asked);
  }

  /** True if one section clearly answers it. */
  isClear(message: string): boolean {
    const asked = message.slice(0, QUESTION_CHARS_MAX);
    if (isOrder(asked)) return false;
    return this.book.meant(asked) !== null || this.book.listing(asked) !== null || this.look(asked).best !== null;
  }

  private look(asked: string) {
    // "What is the command to X" is about X, not about commands.
    const question = asked.replace(/\bcommands? (?:to|for|that)\b/gi, "").replace(/\bdid (.{1,60}?) do\b/gi, "$1 done");
    const hits = this.index.search(question);
    const [first, second] = hits;
    const isElsewhere = isOrder(asked) || isAboutCode(asked) || SMALL_TALK.some((talk) => talk.test(asked.trim()));
    const clear = first !== undefined && !isElsewhere && isClear(first, second, question);
    return { hits, best: clear ? first : null };
  }

  private found(asked: string): string {
    const { hits, best } = this.look(asked);
    if (best === null) return this.nearest(hits, WORK.test(asked.trim()) || isOrder(asked) || isAboutCode(asked));
    const section = best.section;
    const related = hits.slice(1, NEAREST).filter((hit) => hit.score > best.score * 0.8);
    const also = related.map((hit) => entryLine(hit.section));
    const tail = also.length === 0 ? "" : `\n\nSee also:\n${also.join("\n")}`;
    return shown(section) + tail;
  }

  private nearest(hits: readonly Hit<ManualSection>[], isWork: boolean): string {
    const found = hits.map((hit) => hit.section);
    const general = this.sections.filter((section) => !found.includes(section));
    const entries = [...found, ...general].slice(0, NEAREST).map(entryLine);
    const lead =
      found.length === 0 ? "I found nothing about that in the manual" : "The manual has no clear answer to that";
    if (isWork)
      return `That needs a model, and none is set up: run \`gsv auth setup\`. Nearest entries in the manual:\n\n${entries.join("\n")}`;
    return `${lead}, and no model is set up: run \`gsv auth setup\`. Nearest entries:\n\n${entries.join("\n")}`;
  }
}

/** Requests to do something to what the person has: no page may look like the way to do it. */
const ORDER =
  /^(?:(?:please|now|can you|could you) )*(?:build|clean(?: up)?|clear|close|commit|compile|copy|delete|deploy|destroy|email|erase|fix|install|kill|make|merge|move|purge|push|remove|rename|restart|revert|run|send|start|stop|update|wipe) (?:all|an? email|every\w*|me|my|our|that|the|these|this|those)\b/i;
function isOrder(asked: string): boolean {
  return TOO_WIDE.test(asked.trim()) || ORDER.test(asked.trim());
}

/** Small talk, which shares words with some page: "what time is it", "meaning of life", "nice work". */
const SMALL_TALK = [
  /^(?:what(?:'s| is| was)? )?(?:the )?meaning of (?:life|everything|it all)\b/i,
  /^what (?:time|day|date|year|month) is (?:it|today)\b/i,
  /^(?:what|who|where|why|how|when)(?:'s| is| are| do| did| old| tall| was)+ (?:you|your|yours|he|she|we|everybody|life|it(?: going)?[.!? ]*$)(?!\w)/i,
  /^who (?:made|built|wrote|created|invented) (?:you|gsv|this)\b/i,
  /^(?:(?:do|did|can|will|would|could|have) you|can I|may I) (?:see|hear|feel|love|like|hate|know|remember|trust|sing|dance|marry)\b/i,
  /^(?:nice|good|great|well) (?:work|job|one|done|night|morning|try)\b/i,
  /^(?:no|yes|yeah|nope|sure|maybe|never ?mind|what (?:next|now)|let'?s (?:go|start|begin)|go ahead|come on)[.!? ]*$/i,
  /^what did (?:I|you) (?:say|mean|just)\b/i,
  /^say \S/i,
];
/** Questions about the code at hand, which need a model to read it. "How do I" asks about gsv. */
const ABOUT_CODE =
  /^(?!how (?:do|can|should) I)(?:.*\b)?(?:(?:this|my|our|the) (?:code|codebase|repo|repository|function|class|module|script|app|build|bugs?|tests?|main function)|(?:which|what) (?:programming )?language|(?:what|why|where|how) (?:does|is|do|are) (?:this|my|our|the) (?:project|program|code)|how many (?:files|lines|functions|tests))\b/i;

/** Numbers alone are found on any page. */
const WORD = /\p{L}{2}/u;

function isAboutCode(asked: string): boolean {
  return ABOUT_CODE.test(asked.trim());
}

/** "What is docker" asks for more than a page about gsv says. */
const DEFINITION = /^what(?:'s| is| are) (?:an? )?\w+[.!? ]*$/i;

/** Requests for a model's work, which no manual answers. */
const WORK =
  /^(?:(?:please|can you|could you) )?(?:add|analy[sz]e|build|clean up|debug|document|explain|fix|generate|implement|improve|make|optimi[sz]e|port|refactor|rename|rewrite|review|simplify|summari[sz]e|translate|update|write) \S/i;

function isClear(best: Hit<ManualSection>, second: Hit<ManualSection> | undefined, question: string): boolean {
  if (best.coverage < COVERAGE_MIN || !termsOf(question).some((term) => WORD.test(term))) return false;
  const asked = termsOf(question);
  if (termsOf(best.section.heading).some((term) => asked.includes(term))) return true;
  // A few words that a page happens to contain are no answer.
  const isListed =
    asked.length > 1 || (termsOf(best.section.words).includes(asked[0] ?? "") && !DEFINITION.test(question));
  if (!isListed || best.coverage < FOREIGN_COVERAGE_MIN || best.score < SCORE_MIN) return false;
  return best.score >= FOREIGN_SCORE_MIN || best.score >= LEAD_MIN * (second?.score ?? 0);
}

function shown(section: ManualSection): string {
  return `${section.heading}\n\n${indented(section.text)}\n\nmanual: ${section.page}`;
}

function entryLine(section: ManualSection): string {
  const command = section.commands[0];
  const shown = command === undefined ? "" : `: \`${command}\``;
  return `- ${section.heading}${shown} (manual: ${section.page})`;
}

/** Fenced code as indented lines: readable on a terminal and still Markdown. */
function indented(markdown: string): string {
  return markdown.replace(FENCED, (_whole, _fence, _kind, block: string) =>
    block.trimEnd().replace(/^(?=.)/gm, "    "),
  );
}
