// Extracts a part of an answer: the first code block, or JSON that matches a schema. Nothing is shown before the end of the answer. If the part
// is missing, the command fails.

import type { ChatRequest } from "./request.ts";
import type { ChatResult, ChatView } from "./view.ts";

/** The extracted text, or the reason why it is missing. */
export type Picked = { readonly text: string } | { readonly fault: string };

export interface Pick {
  /** Appended to the message for the model. */
  readonly asks: string | null;
  readonly from: (answer: string) => Picked;
  readonly again: ((fault: string) => string) | null;
}

export function codeBlock(language: string): Pick {
  const kind = language === "" ? "code" : language;
  const fault = `the answer contains no block of ${kind}`;
  return {
    asks: null,
    from: (answer) => {
      const text = firstBlock(answer, language);
      return text === null ? { fault } : { text };
    },
    again: null,
  };
}

/** As in CommonMark: between fences of equal or greater length, or indented if no language is asked for. */
export function firstBlock(answer: string, language: string): string | null {
  const lines = answer.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const opened = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)/.exec(lines[at] ?? "");
    if (opened === null) continue;
    const [, fence = "", info = ""] = opened;
    const closing = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}[ \\t]*\\r?$`);
    const length = lines.slice(at + 1).findIndex((line) => closing.test(line));
    const end = length === -1 ? lines.length : at + 1 + length;
    if (language === "" || info.toLowerCase() === language.toLowerCase()) return lines.slice(at + 1, end).join("\n");
    at = end;
  }
  return language === "" ? indentedBlock(lines) : null;
}

const INDENT = 4;

function indentedBlock(lines: readonly string[]): string | null {
  const isIn = (line: string) => line.startsWith(" ".repeat(INDENT)) && line.trim() !== "";
  const first = lines.findIndex((line, at) => isIn(line) && (lines[at - 1] ?? "").trim() === "");
  if (first === -1) return null;
  const length = lines.slice(first).findIndex((line) => line.trim() !== "" && !isIn(line));
  const block = lines.slice(first, length === -1 ? lines.length : first + length);
  return block
    .map((line) => line.slice(INDENT))
    .join("\n")
    .trimEnd();
}

interface Picking {
  readonly view: ChatView;
  readonly pick: Pick;
  readonly quiet: boolean;
  readonly ask: (request: ChatRequest, view: ChatView) => Promise<number>;
}

/** Asks, and retries once if the part is missing. Returns the exit status. */
export async function askedUntilPicked(request: ChatRequest, { view, pick, quiet, ask }: Picking): Promise<number> {
  const asked = pick.asks === null ? request : { ...request, message: `${request.message}\n\n${pick.asks}` };
  const first = new PickedView(view, { pick, quiet, mayAskAgain: pick.again !== null });
  const exit = await ask(asked, first.shown());
  const { refused } = first;
  if (refused === null || pick.again === null || refused.pid === null) return first.exit ?? exit;
  await view.status(`${refused.fault}; retrying`);
  const again = { ...request, pid: refused.pid, fresh: null, attached: [], message: pick.again(refused.fault) };
  const second = new PickedView(view, { pick, quiet, mayAskAgain: false });
  const exitAgain = await ask(again, second.shown());
  return second.exit ?? exitAgain;
}

class PickedView {
  /** Set if the run succeeded but its answer does not have the part. */
  exit: number | null = null;
  refused: { readonly pid: string | null; readonly fault: string } | null = null;

  constructor(
    private readonly view: ChatView,
    private readonly how: { readonly pick: Pick; readonly quiet: boolean; readonly mayAskAgain: boolean },
  ) {}

  shown(): ChatView {
    const { view, how } = this;
    return {
      ...view,
      async signal(signal) {
        if (!how.quiet || (signal.name !== "chat.text" && signal.name !== "chat.delta")) await view.signal(signal);
      },
      result: (result) => this.result(result),
    };
  }

  private async result(result: ChatResult): Promise<void> {
    if (result.status !== "ok") return await this.view.result(this.how.quiet ? { ...result, text: null } : result);
    const picked = this.how.pick.from(result.text ?? "");
    if ("text" in picked) return await this.view.result({ ...result, text: picked.text });
    if (this.how.mayAskAgain) {
      this.refused = { pid: result.pid, fault: picked.fault };
      return;
    }
    this.exit = 1;
    await this.view.status(picked.fault);
    await this.view.result({ ...result, status: "error", exit: 1, text: null, error: picked.fault });
  }
}
