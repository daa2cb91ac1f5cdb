// The manual inside the binary, split into sections: the unit of search and of answers. A page is Markdown with one `# Title` and one line
// about the page; every `## Heading` begins a section. A comment `<!-- also: … -->` holds search words and is never shown. Import this
// file lazily: it carries all the text.

import { FENCED } from "../lib/text/fences.ts";
import accounts from "./manual/accounts.md" with { type: "text" };
import agents from "./manual/agents.md" with { type: "text" };
import approvals from "./manual/approvals.md" with { type: "text" };
import chat from "./manual/chat.md" with { type: "text" };
import configuration from "./manual/configuration.md" with { type: "text" };
import context from "./manual/context.md" with { type: "text" };
import costAndBudgets from "./manual/cost-and-budgets.md" with { type: "text" };
import downloads from "./manual/downloads.md" with { type: "text" };
import editors from "./manual/editors.md" with { type: "text" };
import environment from "./manual/environment.md" with { type: "text" };
import exitStatus from "./manual/exit-status.md" with { type: "text" };
import files from "./manual/files.md" with { type: "text" };
import gettingStarted from "./manual/getting-started.md" with { type: "text" };
import glossary from "./manual/glossary.md" with { type: "text" };
import historyAndArchives from "./manual/history-and-archives.md" with { type: "text" };
import homesAndAccounts from "./manual/homes-and-accounts.md" with { type: "text" };
import hooks from "./manual/hooks.md" with { type: "text" };
import ipc from "./manual/ipc.md" with { type: "text" };
import jobs from "./manual/jobs.md" with { type: "text" };
import kernel from "./manual/kernel.md" with { type: "text" };
import limits from "./manual/limits.md" with { type: "text" };
import lookingInside from "./manual/looking-inside.md" with { type: "text" };
import mcp from "./manual/mcp.md" with { type: "text" };
import models from "./manual/models.md" with { type: "text" };
import notifications from "./manual/notifications.md" with { type: "text" };
import oauth from "./manual/oauth.md" with { type: "text" };
import offline from "./manual/offline.md" with { type: "text" };
import outputAndJson from "./manual/output-and-json.md" with { type: "text" };
import patterns from "./manual/patterns.md" with { type: "text" };
import performance from "./manual/performance.md" with { type: "text" };
import policy from "./manual/policy.md" with { type: "text" };
import processes from "./manual/processes.md" with { type: "text" };
import schedules from "./manual/schedules.md" with { type: "text" };
import scriptProvider from "./manual/script-provider.md" with { type: "text" };
import scripting from "./manual/scripting.md" with { type: "text" };
import seeds from "./manual/seeds.md" with { type: "text" };
import serve from "./manual/serve.md" with { type: "text" };
import sessions from "./manual/sessions.md" with { type: "text" };
import shell from "./manual/shell.md" with { type: "text" };
import signals from "./manual/signals.md" with { type: "text" };
import storage from "./manual/storage.md" with { type: "text" };
import terminal from "./manual/terminal.md" with { type: "text" };
import tools from "./manual/tools.md" with { type: "text" };
import tour from "./manual/tour.md" with { type: "text" };
import undo from "./manual/undo.md" with { type: "text" };
import versions from "./manual/versions.md" with { type: "text" };
import watches from "./manual/watches.md" with { type: "text" };
import workspaces from "./manual/workspaces.md" with { type: "text" };

export interface ManualSection {
  readonly page: string;
  readonly about: string;
  readonly heading: string;
  /** Markdown without the heading and the search words. */
  readonly text: string;
  /** Search words, never shown. */
  readonly words: string;
  readonly commands: readonly string[];
}

const PAGES: readonly (readonly [string, string])[] = [
  ["getting-started", gettingStarted],
  ["tour", tour],
  ["terminal", terminal],
  ["processes", processes],
  ["jobs", jobs],
  ["scripting", scripting],
  ["looking-inside", lookingInside],
  ["patterns", patterns],
  ["chat", chat],
  ["agents", agents],
  ["signals", signals],
  ["ipc", ipc],
  ["approvals", approvals],
  ["policy", policy],
  ["hooks", hooks],
  ["tools", tools],
  ["history-and-archives", historyAndArchives],
  ["schedules", schedules],
  ["notifications", notifications],
  ["mcp", mcp],
  ["oauth", oauth],
  ["editors", editors],
  ["watches", watches],
  ["sessions", sessions],
  ["seeds", seeds],
  ["kernel", kernel],
  ["serve", serve],
  ["downloads", downloads],
  ["context", context],
  ["files", files],
  ["shell", shell],
  ["undo", undo],
  ["versions", versions],
  ["workspaces", workspaces],
  ["models", models],
  ["cost-and-budgets", costAndBudgets],
  ["offline", offline],
  ["script-provider", scriptProvider],
  ["exit-status", exitStatus],
  ["output-and-json", outputAndJson],
  ["homes-and-accounts", homesAndAccounts],
  ["accounts", accounts],
  ["environment", environment],
  ["configuration", configuration],
  ["storage", storage],
  ["limits", limits],
  ["performance", performance],
  ["glossary", glossary],
];

/** Lines that begin a block, and lines that no paragraph continues from. */
const BEGINS = /^\s*(?:[-*+] |\d+\. |[|#>]|`{3,}|$)/;
const CLOSED = /^(?:\s*[|#].*|`{3,}.*|\s*)$/;

export const MANUAL: readonly ManualSection[] = PAGES.flatMap(([page, markdown]) => sectionsOf(page, markdown));

function sectionsOf(page: string, markdown: string): ManualSection[] {
  const [top = "", ...parts] = markdown.split(/^## /m);
  const about = top.replace(/^# .*$/m, "").trim();
  return parts.map((part) => {
    const [heading = "", ...rest] = part.split("\n");
    const body = rest.join("\n");
    const words = [...body.matchAll(/<!-- also: (.*?) -->/gs)].map((match) => match[1] ?? "").join(" ");
    const text = unbroken(body.replace(/<!--.*?-->\n?/gs, "").trim());
    const commands = [...text.matchAll(FENCED)].flatMap(([, , kind, block = ""]) =>
      typedIn(block.split("\n"), kind === "console"),
    );
    return { page, about, heading: heading.trim(), text, words, commands };
  });
}

/** Joins a paragraph into one line, so that each screen wraps it to its own width. */
function unbroken(markdown: string): string {
  const lines: string[] = [];
  let fence: string | null = null;
  for (const line of markdown.split("\n")) {
    const last = lines.at(-1) ?? "";
    if (fence === null && !BEGINS.test(line) && !CLOSED.test(last)) lines[lines.length - 1] = `${last} ${line.trim()}`;
    else lines.push(line);
    const mark = /^`{3,}/.exec(line)?.[0] ?? null;
    if (fence === null) fence = mark;
    else if (line === fence) fence = null;
  }
  return lines.join("\n");
}

/** In a `console` block only the lines after a prompt are typed; the rest is output. */
function typedIn(lines: readonly string[], isConsole: boolean): string[] {
  if (isConsole) return lines.flatMap((line) => (line.startsWith("$ ") ? [line.slice(2)] : []));
  return lines.filter((line) => line.trim() !== "");
}
