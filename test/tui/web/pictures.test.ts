// Pictures of the console as people see it, wide and on a phone, light and dark. The stored pictures are for eyes; what is compared is where the
// parts are and how light the page is, so that other fonts pass and a moved panel does not.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, openBrowser } from "../../support/browser.ts";
import { INIT } from "../../support/kernel.ts";
import { differences, layoutIn, layoutOf, layoutText, type PageLayout } from "../../support/page-layout.ts";
import { WebConsole } from "../../support/web-console.ts";

setDefaultTimeout(60_000);

const SIZES = [
  { name: "wide", width: 1280, height: 800 },
  { name: "phone", width: 375, height: 800 },
] as const;
const [WIDE] = SIZES;
const GOLDEN = join(import.meta.dir, "../../golden/console");
const isUpdate = process.env.UPDATE_GOLDEN === "1";

const browser = await openBrowser(WIDE);
afterAll(async () => await browser?.[Symbol.asyncDispose]());

const MARKDOWN = `The notes name three people, and only one of them has an **open task**.

| person | task | due |
| ------ | ---- | --- |
| Ada    | -    | -   |
| Grace  | \`rename the archive\` | Friday |

1. I keep the list short.
2. I add the rule below to your context, so that I remember it.`;

const BEFORE = "# Style\n\nWrite in plain words.\nAnswer in the language of the question.\n";
const AFTER =
  "# Style\n\nWrite in plain words.\nKeep answers short: three sentences at most.\nName the file and the line.\n";

/** A home in which somebody has worked. */
async function lived(web: WebConsole): Promise<void> {
  const { kernel } = web.served;
  const { sys } = kernel;
  await sys.call("fs.write", { path: "~/context.d/20-style.md", content: BEFORE });
  for (const [path, content] of FILES)
    await sys.call("fs.put", { path, data: Buffer.from(content).toString("base64") });
  for (const label of ["nightly build", "read the mail", "tidy ~/notes"]) {
    const pid = await kernel.task({ label });
    kernel.model.will(pid, { text: "Done." });
    await kernel.send(label, { pid });
    await kernel.inState(pid, "idle");
  }
  const stopped = await kernel.task({ label: "council on the archive" });
  await sys.call("proc.signal", { pid: stopped, signal: "STOP" });
  await web.talk(
    { text: "", calls: [{ name: "Read", args: { path: "~/notes.md" } }] },
    { text: MARKDOWN, calls: [{ name: "Write", args: { path: "~/context.d/20-style.md", content: AFTER } }] },
  );
  await web.say("Who is in my notes, and who has something to do? Keep it short from now on.");
  await web.browser.untilText("wants to write a file");
}

const FILES = [
  ["~/notes.md", "Ada\nGrace: rename the archive, Friday\nLinus\n"],
  ["~/plan.txt", "one\ntwo\n"],
  ["~/report.csv", "name,amount\n".repeat(400)],
] as const;

const VIEWS: readonly (readonly [string, string, string])[] = [
  ["processes", "#/", "document.querySelector('.processes .detail') !== null"],
  ["conversation", `#/talk/${INIT}`, "document.querySelector('.card .diff-line') !== null"],
  ["files", "#/files", "document.querySelector('.files .list') !== null"],
];

async function shot(page: Browser): Promise<readonly [Uint8Array, PageLayout]> {
  // The caret blinks, and a list may still move by a pixel.
  await page.value("void document.activeElement?.blur?.()");
  await page.value(
    "void (window.isStill = false, requestAnimationFrame(() => requestAnimationFrame(() => { window.isStill = true; })))",
  );
  await page.until("window.isStill");
  const png = await page.picture();
  return [png, await layoutOf(page, png)];
}

async function compared(name: string, page: Browser, height: number): Promise<readonly string[]> {
  const [png, layout] = await shot(page);
  const [picture, file] = [join(GOLDEN, `${name}.png`), join(GOLDEN, `${name}.txt`)];
  if (isUpdate) {
    mkdirSync(GOLDEN, { recursive: true });
    writeFileSync(picture, png);
    writeFileSync(file, layoutText(layout));
    return [];
  }
  if (!existsSync(picture)) return [`no picture ${picture}`];
  const before = layoutIn(readFileSync(file, "utf8"));
  return differences(before, layout, height).map((each) => `${name}: ${each}`);
}

/** All faults of one view, in every size, light and dark. */
async function everyLook(name: string, page: Browser): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const size of SIZES)
    for (const scheme of ["light", "dark"] as const) {
      await page.resize(size);
      await page.dark(scheme === "dark");
      faults.push(...(await compared(`${name}-${size.name}-${scheme}`, page, size.height)));
    }
  await page.resize(WIDE);
  await page.dark(false);
  return faults;
}

test.skipIf(browser === null)("the pages look as in their pictures", async () => {
  if (browser === null) return;
  const web = await WebConsole.open(browser);
  const faults: string[] = [];
  await lived(web);
  for (const [name, hash, until] of VIEWS) {
    await web.go(hash, until);
    faults.push(...(await everyLook(name, browser)));
  }
  await browser.value(
    "void ([...document.querySelectorAll('button')].find((b) => b.innerText === 'Sign out').click())",
  );
  await browser.untilText("sign in here");
  faults.push(...(await everyLook("sign-in", browser)));
  expect(faults).toEqual([]);
});

test.skipIf(browser === null)("other fonts pass, and a moved panel does not", async () => {
  if (browser === null) return;
  const web = await WebConsole.open(browser);
  await lived(web);
  const styled = async (css: string) => {
    await browser.value(`void ((window.sheet ??= new CSSStyleSheet()).replaceSync(${JSON.stringify(css)}))`);
    await browser.value("void (document.adoptedStyleSheets = [window.sheet])");
    return (await shot(browser))[1];
  };
  for (const [name, hash, until] of VIEWS) {
    await web.go(hash, until);
    const before = await styled("");
    const fonts = await styled(":root { --sans: 'DejaVu Serif', serif; --mono: 'Liberation Mono', monospace; }");
    expect([name, differences(before, fonts, WIDE.height)]).toEqual([name, []]);
    for (const css of MOVED) {
      const moved = differences(before, await styled(css), WIDE.height);
      expect([name, css, moved.length > 0]).toEqual([name, css, true]);
    }
    await styled("");
  }
});

/** Each moves a panel of every view, or takes its colours. */
const MOVED = [
  "main { margin-top: 60px }",
  "main { margin-left: 240px }",
  ".bar { order: 1 }",
  ":root { --ground: #888 }",
];
