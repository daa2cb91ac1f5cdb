// The manual's table of contents, pages by name, sections by title. Titles match regardless of case, punctuation and small words. Pure.

import { titleKey, wordsOf } from "../../lib/text/search.ts";
import type { ManualSection } from "../../prompts/manual.ts";

const SHOW = "(?:(?:please |can you |could you )*(?:show|list|open|read|see|print|display|give)(?: me)?(?: all)? )?";
const CONTENTS = new RegExp(
  `^(?:${SHOW}(?:all )?(?:the |your )?(?:(?:gsv )?manual|handbook|(?:help |manual )?(?:topics|pages|chapters|sections)|table of contents|contents|toc)` +
    "(?: of (?:the )?(?:manual|handbook|help))?" +
    "|(?:what|which) (?:help |manual )?(?:topics|pages|chapters|sections) (?:are there|are in (?:the )?manual|do you (?:have|know)|can i ask about)" +
    "|what (?:is|does) (?:in )?the manual(?: (?:hold|cover|contain))?" +
    "|help topics|man)$",
);
const PAGE = new RegExp(
  `^${SHOW}(?:the )?(?:(?:gsv )?(?:manual|help|man|topic|page|chapter)(?: page| topic)?(?: on| about| for| of| called| named)? (?:the )?(.+?)|(.+?) (?:manual )?(?:page|topic|chapter))$`,
);

// Longer commands are not shown beside a title: one line per section.
const COMMAND_CHARS_MAX = 72;

export class ManualBook {
  private readonly pages = new Map<string, ManualSection[]>();
  private readonly titles = new Map<string, ManualSection>();
  private readonly wholeTitles = new Map<string, ManualSection>();

  constructor(sections: readonly ManualSection[]) {
    for (const section of sections) {
      const page = this.pages.get(section.page);
      if (page === undefined) this.pages.set(section.page, [section]);
      else page.push(section);
      this.wholeTitles.set(plain(section.heading), section);
      this.titles.set(titleKey(section.heading), section);
    }
  }

  /** The section with exactly this title. */
  titled(message: string): ManualSection | null {
    return this.wholeTitles.get(plain(message)) ?? null;
  }

  /** The section whose title the question contains. */
  meant(question: string): ManualSection | null {
    return this.titles.get(titleKey(question)) ?? null;
  }

  /** The table of contents or one page of it, if the message asks for that. */
  listing(message: string): string | null {
    const words = plain(message);
    if (CONTENTS.test(words)) return this.contents();
    const [, named, before] = PAGE.exec(words) ?? [];
    return this.page(named ?? before ?? words);
  }

  private contents(): string {
    const width = Math.max(...[...this.pages.keys()].map((page) => page.length));
    const lines = [...this.pages].map(([page, [first]]) => `    ${page.padEnd(width)}  ${first?.about ?? ""}`);
    return `The manual has these pages:\n\n${lines.join("\n")}\n\n\`manual PAGE\` lists the sections of a page. Or ask a question.`;
  }

  private page(name: string): string | null {
    const wanted = plain(name.replace(/[-_]/g, " "));
    for (const [page, sections] of this.pages) {
      if (plain(page) !== wanted) continue;
      const lines = sections.map(({ heading, commands: [command] }) => {
        const isShort = command !== undefined && command.length <= COMMAND_CHARS_MAX;
        return isShort ? `- ${heading}: \`${command}\`` : `- ${heading}`;
      });
      return `${sections[0]?.about ?? ""}\n\n${lines.join("\n")}\n\nmanual: ${page}. To read one, send its title.`;
    }
    return null;
  }
}

function plain(text: string): string {
  return wordsOf(text).join(" ");
}
