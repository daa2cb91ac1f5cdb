// The web console in a real browser.

import { afterAll, expect, test } from "bun:test";
import { source as axe } from "axe-core";
import { Browser, hasChromium } from "../../support/browser.ts";
import { FakeDoor } from "../../support/door.ts";
import { listening } from "../../support/listening.ts";

const listener = listening(new FakeDoor());
const browser = hasChromium ? new Browser({ width: 1280, height: 800 }) : null;
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await listener.close();
});

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

test.skipIf(browser === null)("the page opens, and a screen reader can use it", async () => {
  await browser?.open(`${listener.url}/`);
  await browser?.untilText("gsv");
  await browser?.value(`(() => { ${axe}; return 1; })()`);
  const found = await browser?.value<readonly Violation[]>(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] }).then(({ violations }) => violations)",
  );
  expect(found?.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
});
