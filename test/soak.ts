// `npm run soak`: the same tests with their full counts, and time for them. `npm run soak -- ./test/store` soaks one folder.

import { runTests } from "./run.ts";

/** Duration of the terminal soak. */
const { GSV_SOAK_MINUTES } = process.env;
const TEST_TIMEOUT_MS = 30 * 60 * 1000;

process.exitCode = await runTests({
  args: process.argv.slice(2),
  env: { GSV_SOAK: "1", ...(GSV_SOAK_MINUTES === undefined ? {} : { GSV_SOAK_MINUTES }) },
  timeoutMs: TEST_TIMEOUT_MS,
  checks: false,
  secondLook: false,
  turns: false,
});
