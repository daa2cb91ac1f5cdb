// A conversation of the web console in a real browser: long, held, and opened again by another login.

import { afterAll, expect, setDefaultTimeout } from "bun:test";
import { openBrowser } from "../../support/browser.ts";
import { INIT } from "../../support/kernel.ts";
import { testsIn } from "../../support/web-console.ts";

setDefaultTimeout(30_000);

const browser = await openBrowser({ width: 1280, height: 800 });
afterAll(async () => await browser?.[Symbol.asyncDispose]());

const inBrowser = testsIn(browser);

inBrowser("a long history opens at its end, keeps few elements, and goes back to its beginning", async (web, page) => {
  const { kernel } = web.served;
  for (let at = 0; at < 150; at++) await kernel.say(`question ${at}.`);
  kernel.model.will(INIT, { text: "last answer" });
  await kernel.say("the last question");
  await web.talk();
  await page.untilText("last answer");
  expect(await page.value<number>("document.querySelectorAll('.entries *').length")).toBeLessThan(1000);
  const has = (text: string) => `document.querySelector('.entries').innerText.includes('${text}')`;
  await page.value("document.querySelector('.entries > *').scrollTop = 0");
  await page.until(`!${has("last answer")}`);
  await page.until(`(document.querySelector('.entries > *').scrollTop = 0, ${has("question 0.")})`);
});

inBrowser("at the very top the older page comes by itself, and what is read does not move", async (web, page) => {
  for (let at = 0; at < 75; at++) await web.served.kernel.say(`question ${at}.`);
  await web.talk();
  await page.untilText("question 74.");
  await page.value(FIRST_PAGE);
  await page.until("document.querySelector('.entries > *').scrollTop > 0");
  // The first page has 100 messages.
  expect(await page.value<string>(IN_SIGHT)).toBe("question 25.");
  await page.until(
    "(document.querySelector('.entries > *').scrollTop = 0, document.body.innerText.includes('question 0.'))",
  );
});

inBrowser(
  "an idle line that carries nothing shows within two seconds, without a word from anybody",
  async (_web, page) => {
    await page.until("document.querySelector('.line.ok') !== null");
    const began = await page.value<number>("(WebSocket.prototype.send = () => {}, performance.now())");
    await page.until("document.querySelector('.line.bad') !== null");
    const took = (await page.value<number>("performance.now()")) - began;
    // A loaded computer draws late.
    expect(took).toBeLessThan(4000);
    await page.reload();
  },
);

inBrowser("a revoked login ends on the page at once, with the reason", async (web, page) => {
  const { sys } = web.served.kernel;
  const { logins } = await sys.call<{ logins: readonly { id: string }[] }>("sys.login.list", {});
  await sys.call("sys.login.revoke", { id: logins[0]?.id });
  await page.untilText("Signed out: this login was revoked. Sign in again.");
  expect(await page.value<string | null>("localStorage.getItem('gsv.key')")).toBeNull();
});

inBrowser("a held run shows what holds it, and no clock of work", async (web, page) => {
  const { kernel } = web.served;
  const calls = [{ name: "Read", args: { path: "~/none" } }];
  await web.talk({ pieces: ["First part.\n\n", "Second part."], pause: true, calls }, { text: "Never." });
  await web.say("hello");
  await page.untilText("First part.");
  expect(await page.value<string>("document.querySelector('.status').innerText")).toContain("writing");
  await kernel.sys.call("proc.signal", { pid: INIT, signal: "STOP" });
  kernel.model.release();
  await page.until("document.querySelector('.status')?.innerText.includes('stopped')");
  expect(await page.value<string>("document.querySelector('.status').innerText")).not.toMatch(/thinking|\d s/);
});

inBrowser("after a new login the same conversation is there again", async (web, page) => {
  const { kernel } = web.served;
  await web.talk({ text: "The answer." });
  await web.say("hello");
  await page.untilText("The answer.");
  await page.value("[...document.querySelectorAll('button')].find((b) => b.innerText === 'Sign out').click()");
  await page.untilText("sign in here");
  const { code } = await kernel.sys.call<{ code: string }>("sys.login.code", {});
  await page.value("document.querySelector('input[autocomplete=one-time-code]').focus()");
  await page.type(code);
  await page.press("Enter");
  await page.untilText("The answer.");
});

/** Jumps to the top as the key Home does: one event, and no other after it. */
const FIRST_PAGE = "void (document.querySelector('.entries > *').scrollTop = 0)";
/** The first message in sight. */
const IN_SIGHT = `(() => {
  const list = document.querySelector(".entries > *").getBoundingClientRect();
  const shown = [...document.querySelectorAll(".entries .typed")].filter((each) => each.getBoundingClientRect().bottom > list.top);
  return shown[0]?.innerText ?? "";
})()`;
