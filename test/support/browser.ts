// A headless Chromium with one page, driven as a person would. Without Chromium on this computer, tests that need one are skipped, and say so.

import { existsSync, readlinkSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { scratchDirectory } from "./scratch.ts";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const FLAGS = [
  // As root, Chromium starts only without its sandbox; in containers, shared memory is small.
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  // It would look up hosts of its vendor.
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--font-render-hinting=none",
];
const DEADLINE_MS = 10_000;
/** A loaded computer starts it slowly. */
const BEGIN_MS = 15_000;
const LOOK_MS = 15;
/** So many looks without a new file: Chromium has ended. */
const QUIET_LOOKS = 5;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Null, and a word about it, without a Chromium that opens a page. The caller closes it. */
export async function openBrowser(size: Size): Promise<Browser | null> {
  const skipped = (why: string) => {
    process.stderr.write(`SKIPPED: ${why}, so no test of the web console in a browser runs\n`);
    return null;
  };
  if (!CHROMIUM.some((path) => Bun.which(path) !== null)) return skipped("no chromium here");
  let browser: Browser | null = null;
  try {
    browser = new Browser(size);
    const opened = browser.open("data:text/html,<p>open</p>").then(() => "opened");
    if ((await Promise.race([opened, Bun.sleep(BEGIN_MS)])) === undefined)
      throw new Error(`no page within ${BEGIN_MS / 1000} s`);
    if ((await browser.text()) !== "open") throw new Error("it shows another page");
    return browser;
  } catch (error) {
    await browser?.[Symbol.asyncDispose]().catch(() => {});
    return skipped(`chromium opens no page (${String(error).split("\n")[0]})`);
  }
}

export class Browser implements AsyncDisposable {
  private readonly view: Bun.WebView;
  private readonly profile = scratchDirectory("browser");
  private isOpen = false;

  constructor(private size: Size) {
    const { width, height } = size;
    const path = CHROMIUM.find((each) => Bun.which(each) !== null) ?? "";
    // Without `url: false` it may join a browser that runs already.
    const backend = { type: "chrome", url: false, argv: FLAGS, path } as const;
    this.view = new Bun.WebView({ width, height, dataStore: { directory: this.profile }, backend });
  }

  async open(url: string): Promise<void> {
    // A new fragment of the same page would never count as loaded.
    if (this.isOpen) await this.view.navigate("about:blank");
    this.isOpen = true;
    await this.view.navigate(url);
    await this.resize(this.size);
  }

  async reload(): Promise<void> {
    await this.view.reload();
  }

  /** The value of one expression in the page. */
  async value<Value>(expression: string): Promise<Value> {
    return (await this.view.evaluate(expression)) as Value;
  }

  /** Waits until the expression is true. The failure shows the text of the page. */
  async until(expression: string): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS;
    while (!(await this.value<boolean>(`Boolean(${expression})`))) {
      if (performance.now() > deadline) throw new Error(`never true: ${expression}\n${await this.text()}`);
      await Bun.sleep(LOOK_MS);
    }
  }

  async untilText(text: string): Promise<void> {
    await this.until(`document.body.innerText.includes(${JSON.stringify(text)})`);
  }

  async text(): Promise<string> {
    return await this.value<string>("document.body.innerText");
  }

  /** Keys by name, such as `Enter` and `y`; modifiers before them, such as `Shift+Tab`. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const parts = key.split("+");
      const modifiers = parts.slice(0, -1) as ("Shift" | "Control" | "Alt" | "Meta")[];
      await this.view.press(parts.at(-1) ?? "", { modifiers });
    }
  }

  async type(text: string): Promise<void> {
    await this.view.type(text);
  }

  async resize(size: Size): Promise<void> {
    this.size = size;
    // The window of a browser is smaller than asked for by its own bars.
    const metrics = { ...size, deviceScaleFactor: 1, mobile: false };
    await this.view.cdp("Emulation.setDeviceMetricsOverride", metrics);
  }

  async dark(isDark: boolean): Promise<void> {
    const value = isDark ? "dark" : "light";
    await this.view.cdp("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] });
  }

  async picture(): Promise<Uint8Array> {
    return await this.view.screenshot({ encoding: "buffer", format: "png" });
  }

  /** Leaves no directory behind. */
  async [Symbol.asyncDispose](): Promise<void> {
    const sockets = socketsOf(this.profile);
    this.view.close();
    Bun.WebView.closeAll();
    if (sockets !== null) rmSync(sockets, { recursive: true, force: true });
    // Helpers of a killed Chromium end a moment later, and write to the profile until then.
    for (let looks = 0; looks < QUIET_LOOKS; looks++) {
      if (existsSync(this.profile)) looks = 0;
      rmSync(this.profile, { recursive: true, force: true, maxRetries: 10 });
      await Bun.sleep(LOOK_MS);
    }
  }
}

/** Chromium has its sockets in a second directory; null before it has begun. */
function socketsOf(profile: string): string | null {
  try {
    return dirname(readlinkSync(join(profile, "SingletonSocket")));
  } catch {
    return null;
  }
}
