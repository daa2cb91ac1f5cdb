// Job control for one line of bash: a bash above it notices that ctrl-z stopped the line, reports it on the terminal, and brings it back
// after a newline.

const STOPPED = 7770;
const RESUMED = 7771;

/**
 * `-m` gives the line a process group of its own, which has the terminal. Called again and not in a loop: bash leaves a loop in which a
 * command is stopped.
 */
const LEADER = [
  "exec 3>&2 2>/dev/null",
  `aside() { kill -0 %1 || return; printf '\\033]${STOPPED};%s\\a' "$1"; read -r _; printf '\\033]${RESUMED};%s\\a' "$1"`,
  'fg > /dev/null; s=$?; aside "$1"; }',
  '"$1" --noprofile --norc -c "$2" 2>&3 3>&-; s=$?; aside "$3"; exit $s',
].join("\n");

export const RESUME = "\n";
/** As if SIGTSTP had ended it. */
export const STOPPED_STATUS = 148;

/** `secret` distinguishes the reports from output of the line. */
export function stoppableLine(bash: string, line: string, secret: string): readonly string[] {
  return [bash, "--noprofile", "--norc", "-m", "-c", LEADER, "gsv-line", bash, line, secret];
}

/** Takes the reports out of the output. While the line is stopped, its output is dropped. */
export class StopReports {
  private isStopped = false;
  private rest = "";

  constructor(
    private readonly secret: string,
    private readonly ports: { readonly print: (bytes: Buffer) => void; readonly stopped: () => void },
  ) {}

  read(bytes: Uint8Array): void {
    let text = this.rest + Buffer.from(bytes).toString("latin1");
    for (;;) {
      const report = `\x1b]${this.isStopped ? RESUMED : STOPPED};${this.secret}\x07`;
      const at = text.indexOf(report);
      const end = at === -1 ? text.length - begunLength(text, report) : at;
      if (!this.isStopped && end > 0) this.ports.print(Buffer.from(text.slice(0, end), "latin1"));
      this.rest = text.slice(end);
      if (at === -1) return;
      text = text.slice(at + report.length);
      this.isStopped = !this.isStopped;
      if (this.isStopped) this.ports.stopped();
    }
  }
}

/** How much of the report the text ends with. */
function begunLength(text: string, report: string): number {
  for (let length = Math.min(report.length - 1, text.length); length > 0; length--)
    if (text.endsWith(report.slice(0, length))) return length;
  return 0;
}
