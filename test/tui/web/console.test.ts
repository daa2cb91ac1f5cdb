// The web console in a real browser, driven by keys as a person would.

import { afterAll, expect, setDefaultTimeout } from "bun:test";
import { source as axe } from "axe-core";
import { type Browser, openBrowser } from "../../support/browser.ts";
import { INIT } from "../../support/kernel.ts";
import { testsIn } from "../../support/web-console.ts";

setDefaultTimeout(30_000);

const browser = await openBrowser({ width: 1280, height: 800 });
afterAll(async () => await browser?.[Symbol.asyncDispose]());

const inBrowser = testsIn(browser);

inBrowser("a code in the address signs in once, and stays in no address, history or script", async (web, page) => {
  expect(await page.value<string>("location.href")).toBe(`${web.served.listener.url}/`);
  expect(await page.value<string>("document.cookie")).toBe("");
  expect(await page.value<string>("localStorage.getItem('gsv.key') ?? ''")).not.toBe("");
  const code = await web.enter();
  await page.value("localStorage.clear()");
  await page.open(`${web.served.listener.url}/#code=${code}`);
  await page.untilText("sign in here");
  expect(await page.value<string>("document.querySelector('[role=alert]').innerText")).toMatch(/code/i);
});

inBrowser(
  "a message is answered in pieces, and a reload in the middle loses and repeats nothing",
  async (web, page) => {
    await web.talk({ pieces: ["First part.\n\n", "Second part."], pause: true });
    await web.say("hello there");
    await page.untilText("First part.");
    await page.untilText("writing");
    await page.reload();
    await page.untilText("hello there");
    await page.until("document.querySelector('.status') !== null");
    web.served.kernel.model.release();
    await page.untilText("Second part.");
    await page.until("document.querySelector('.status') === null");
    // The list shows a row once it has measured it.
    await page.until(
      `JSON.stringify(document.querySelector('.entries').innerText.match(/First part|Second part|hello there/g)) ===
        '["hello there","First part","Second part"]'`,
    );
  },
);

inBrowser("an edit waits for the person: y answers it, but never from a half-typed line", async (web, page) => {
  const content = "Keep it short.\n";
  await web.talk(
    { calls: [{ name: "Write", args: { path: "~/context.d/20-style.md", content } }] },
    { text: "Written." },
  );
  await web.say("remember that");
  await page.untilText("wants to write a file");
  expect(await page.value<string>("document.title")).toStartWith("(1) ");
  expect(await page.value<string>("document.querySelector('.card .diff-line.added .text').innerText")).toBe(
    "Keep it short.",
  );
  await page.type("y");
  expect(await page.value<string>("document.querySelector('.composer textarea').value")).toBe("y");
  expect(await page.text()).toContain("wants to write a file");
  await page.press("Backspace");
  // The first moment after a card appears belongs to what was being typed.
  await Bun.sleep(450);
  await page.press("y");
  await page.untilText("Written.");
  expect(await page.text()).toContain("approved");
  expect(await page.value<string>("document.title")).not.toMatch(/^\(/);
});

inBrowser("a lost line shows, comes back by itself, and what was sent meanwhile is sent once", async (web, page) => {
  const { kernel } = web.served;
  await web.talk({ text: "Before." }, { text: "After." });
  await web.say("one");
  await page.untilText("Before.");
  await web.loseLine();
  await page.until("document.querySelector('.line.bad') !== null");
  await web.say("two");
  await page.untilText("sending: two");
  await web.restoreLine();
  await page.value("document.querySelector('.line button')?.click()");
  await page.untilText("After.");
  await page.until("document.querySelector('.line.ok') !== null");
  const sent = (await kernel.messages(INIT)).filter(({ role }) => role === "user").map(({ content }) => content);
  expect(sent).toEqual(["one", "two"]);
});

inBrowser("text of a model makes no element, opens no address and loads nothing", async (web, page) => {
  const text = [
    '<img src=x onerror="window.wasRun = 1"><script>window.wasRun = 1</script>',
    "![seen](https://example.org/x.png) [a](javascript:window.wasRun=1) [b](data:text/html,x) [c](https://example.org/c)",
    "<iframe src=https://example.org></iframe>",
  ].join("\n\n");
  await web.talk({ text });
  await web.say("show me");
  await page.untilText("[image: seen]");
  const made = "[...document.querySelectorAll('.prose *')].map((each) => each.localName)";
  expect(new Set(await page.value<readonly string[]>(made))).toEqual(new Set(["p", "span", "a"]));
  const links = "[...document.querySelectorAll('.prose a')].map(({ href, rel }) => href + ' ' + rel)";
  expect(await page.value<readonly string[]>(links)).toEqual(["https://example.org/c noopener noreferrer"]);
  expect(await page.value<unknown>("window.wasRun ?? null")).toBeNull();
  const loaded = "performance.getEntriesByType('resource').map(({ name }) => new URL(name).host)";
  expect(new Set(await page.value<readonly string[]>(loaded))).toEqual(
    new Set([new URL(web.served.listener.url).host]),
  );
});

inBrowser(
  "files are browsed, edited, uploaded and kept with keys alone, and a conflict loses nothing",
  async (web, page) => {
    const { sys } = web.served.kernel;
    const put = (content: string) => sys.call("fs.write", { path: "~/notes/a.md", content });
    await sys.call("fs.mkdir", { path: "~/notes" });
    await put("<b>one</b>\n");
    await web.go("#/files", "document.querySelector('.files .list') !== null");
    await page.until("document.querySelector('.selected a').innerText === 'notes/'");
    await page.press("Enter");
    await page.untilText("a.md");
    await page.press("Enter");
    await page.untilText("<b>one</b>");
    await page.press("e");
    await page.until("document.activeElement.tagName === 'TEXTAREA'");
    await page.type("two ");
    await put("theirs\n");
    await page.press("Control+s");
    await page.untilText("a.md has changed meanwhile");
    await page.reload();
    await page.until("document.querySelector('.editor')?.value === 'two <b>one</b>\\n'");
    await page.press("Control+s");
    await page.untilText("Save mine over it");
    await page.press("Shift+Tab", "Shift+Tab", "Enter");
    await page.untilText("Saved a.md");
    expect(await sys.call("fs.read", { path: "~/notes/a.md" })).toMatchObject({ content: "two <b>one</b>", size: 15 });
    await page.press("Backspace");
    await page.untilText("or drop files here");
    await page.value(DROP);
    await page.untilText("a.md exists");
    await page.untilText("Uploaded b.txt");
    expect(await sys.call("fs.read", { path: "~/notes/b.txt" })).toMatchObject({ content: "dropped" });
    await page.press("Enter");
    await page.until("!document.body.innerText.includes('a.md exists')");
    expect(await sys.call("fs.read", { path: "~/notes/a.md" })).toMatchObject({ content: "two <b>one</b>", size: 15 });
  },
);

inBrowser(
  "schedules are paused, resumed and run, and notifications read and dismissed, with keys",
  async (web, page) => {
    const { sys } = web.served.kernel;
    await sys.call("sched.add", { when: "every 1h", exec: true, text: "echo '<i>hi</i>'", name: "hourly" });
    const { id } = await sys.call<{ id: string }>("notify.send", { title: "<i>done</i>", body: "all of it" });
    await page.until("document.querySelector('.bar .count')?.innerText === '1'");
    await web.go("#/schedules", "document.querySelector('.account .detail') !== null");
    await page.untilText("It has not started yet.");
    await page.press("r");
    await page.untilText("✓ ok");
    await page.until("document.querySelector('.history').innerText.includes('<i>hi</i>')");
    await page.press("p");
    await page.untilText("every 1h, paused");
    expect((await sys.call<{ enabled: boolean }>("sched.get", { schedule: "hourly" })).enabled).toBe(false);
    await page.press("p");
    await page.until("!document.querySelector('.list').innerText.includes('paused')");
    await web.go("#/notifications", "document.querySelector('.account .body')?.innerText === 'all of it'");
    expect(await page.text()).toContain("<i>done</i>");
    await page.press("r");
    await page.untilText("All read");
    await page.until("document.querySelector('.bar .count') === null");
    await page.press("x");
    await page.untilText("No notifications");
    const dismissed = await sys.call<{ notifications: readonly unknown[] }>("notify.list", { dismissed: true });
    expect(dismissed.notifications).toMatchObject([{ id }]);
  },
);

inBrowser("a setting is found and changed, a secret is never shown, and another login ends", async (web, page) => {
  const { sys } = web.served.kernel;
  await sys.call("config.set", { key: "ai.apiKey", value: "sk-very-secret-value" });
  await web.go("#/settings", "document.querySelector('.account .list') !== null");
  await page.untilText("ai.apiKey");
  await page.press("/");
  await page.type("ai.model");
  await page.press("Enter");
  await page.until("document.querySelector('.detail h2').innerText === 'ai.model'");
  await page.value("document.querySelector('.detail form input').select()");
  await page.value("document.querySelector('.detail form input').focus()");
  await page.type("offline");
  await page.press("Enter");
  await page.untilText("Saved");
  expect(await sys.call("config.get", { key: "ai.model" })).toMatchObject({ shown: "offline", layer: "user" });
  expect(await page.value<string>("document.documentElement.outerHTML")).not.toContain("very-secret");
  const { code } = await sys.call<{ code: string }>("sys.login.code", {});
  const entered = await fetch(`${web.served.listener.url}/api/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code, label: "old laptop" }),
  });
  expect(entered.status).toBe(200);
  await web.go("#/schedules", "document.querySelector('.logins') === null");
  await web.go("#/settings", "document.querySelectorAll('.logins li').length === 2");
  expect(await page.text()).toContain("this one");
  for (const word of ["End…", "End it now"])
    await page.until(
      `((b) => b && (b.click(), true))([...document.querySelectorAll('.logins button')].find((b) => b.innerText === '${word}'))`,
    );
  await page.untilText("Login ended");
  expect((await sys.call<{ logins: readonly unknown[] }>("sys.login.list", {})).logins).toHaveLength(1);
});

/** Two files dropped on the page; one has the name of a file there. */
const DROP = `(() => {
  const dataTransfer = new DataTransfer();
  for (const name of ["a.md", "b.txt"]) dataTransfer.items.add(new File(["dropped"], name));
  dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
})()`;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

const RULES = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"];

async function faultsIn(page: Browser): Promise<readonly string[]> {
  const run = `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) => violations)`;
  const found = await page.value<readonly Violation[]>(run);
  return found.map(({ id, nodes: [node] }) => `${id}: ${node?.html} ${node?.failureSummary}`);
}

inBrowser("every view suits a screen reader and has enough contrast, in light and in dark", async (web, page) => {
  const text = "# Title\n\n| a | b |\n| - | - |\n| `c` | [d](https://example.org) |\n\n> quote\n\n```sh\nls\n```";
  const edit = { name: "Write", args: { path: "~/context.d/20-style.md", content: "Keep it short.\n" } };
  await web.talk({ text, calls: [{ name: "Write", args: { path: "~/a", content: "a\n" } }, edit] });
  await web.say("hello");
  await page.untilText("wants to write a file");
  await web.served.kernel.sys.call("sched.add", { when: "every 1h", exec: true, text: "true", name: "hourly" });
  await web.served.kernel.sys.call("notify.send", { title: "done", body: "all of it", level: "warning" });
  await page.value(`(() => { ${axe}; return 1; })()`);
  for (const isDark of [false, true]) {
    await page.dark(isDark);
    await web.go(
      `#/talk/${INIT}`,
      "document.querySelector('.card') !== null && document.querySelector('.entry') !== null",
    );
    expect(await faultsIn(page)).toEqual([]);
    await web.go("#/waiting", "document.querySelector('.waiting-list .card') !== null");
    expect(await faultsIn(page)).toEqual([]);
    for (const view of ["schedules", "notifications", "settings"]) {
      await web.go(`#/${view}`, "document.querySelector('.account .detail') !== null");
      expect(await faultsIn(page)).toEqual([]);
    }
    await web.go("#/files/", "document.querySelector('.files .list') !== null");
    expect(await faultsIn(page)).toEqual([]);
    await web.go("#/", "document.querySelector('.processes .detail') !== null");
    expect(await faultsIn(page)).toEqual([]);
  }
  await page.dark(false);
});
