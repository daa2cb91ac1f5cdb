// `npm run test:tmux`: gsv in a real tmux, as a second opinion on what another emulator shows, scrolls and wraps.

import { runTests } from "./run.ts";

const TEST_TIMEOUT_MS = 60_000;

if (Bun.which("tmux") === null) {
  process.stderr.write("there is no tmux on PATH\n");
  process.exitCode = 1;
} else {
  process.exitCode = await runTests({
    args: ["./test/tmux", ...process.argv.slice(2)],
    env: { GSV_TMUX: "1" },
    timeoutMs: TEST_TIMEOUT_MS,
    checks: false,
    secondLook: false,
    turns: false,
  });
}
