// Commands that the person ran at the prompt since the last message, as the part of the next message that tells the model about them. Pure.

export interface HostCommand {
  readonly line: string;
  readonly status: number;
  /** The end of its output, as plain text. */
  readonly output: string;
}

const TITLE = "Commands I ran on this computer since my last message:";
const COMMANDS_MAX = 5;
const OUTPUT_CHARS_MAX = 3000;
const BLOCK = new RegExp(`\n\n${TITLE}\n\n(\`{3,})console\n.*\n\\1$`, "s");

export function withHostCommands(message: string, commands: readonly HostCommand[]): string {
  if (commands.length === 0) return message;
  const text = commands.slice(-COMMANDS_MAX).map(shown).join("\n");
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${message}\n\n${TITLE}\n\n${fence}console\n${text}\n${fence}`;
}

/** The message as the person typed it. */
export function withoutHostCommands(message: string): string {
  return message.replace(BLOCK, "");
}

function shown({ line, status, output }: HostCommand): string {
  const text = output.trimEnd();
  const end = text.slice(-OUTPUT_CHARS_MAX).replace(/^[\uDC00-\uDFFF]/, "");
  const cut = end.length < text.length ? `[${text.length - end.length} characters left out]\n${end}` : end;
  const ended = status === 0 ? "" : `[exit status ${status}]`;
  return [`$ ${line}`, cut, ended].filter((part) => part !== "").join("\n");
}
