// What `npm run soak` runs: the same tests with their counts in full, and time enough for them.
// `npm run soak -- ./test/store` soaks one folder.

import { runTests } from "./run.ts";

const TEST_TIMEOUT_MS = 30 * 60 * 1000;

process.exitCode = await runTests({
  args: process.argv.slice(2),
  env: { GSV_SOAK: "1" },
  timeoutMs: TEST_TIMEOUT_MS,
  checks: false,
});
