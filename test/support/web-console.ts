// A person at the web console: a browser in front of a kernel in this process, signed in by a one-time code.

import { test } from "bun:test";
import { listenAddress } from "../../src/serve/listen-address.ts";
import { listen } from "../../src/serve/listener.ts";
import type { PlannedAnswer } from "./answers.ts";
import type { Browser } from "./browser.ts";
import { INIT } from "./kernel.ts";
import { inFrontOf, ServedKernel } from "./served-kernel.ts";

/** Each test has a console of its own, signed in, in the file's one browser; skipped without a browser. */
export function testsIn(browser: Browser | null) {
  return (title: string, run: (web: WebConsole, browser: Browser) => Promise<void>): void =>
    test.skipIf(browser === null)(title, async () => {
      if (browser !== null) await run(await WebConsole.open(browser), browser);
    });
}

export class WebConsole {
  private constructor(
    readonly browser: Browser,
    readonly served: ServedKernel,
  ) {}

  /** At the table of processes. */
  static async open(browser: Browser): Promise<WebConsole> {
    const served = await ServedKernel.boot({ realTime: true });
    const { kernel, listener } = served;
    // The browser ends cookies by its own clock.
    kernel.kernel.host.listen = async () => listener;
    await kernel.sys.call("serve.start", { listen: "127.0.0.1:0" });
    const web = new WebConsole(browser, served);
    await web.enter();
    return web;
  }

  async enter(): Promise<string> {
    const { code } = await this.served.kernel.sys.call<{ code: string }>("sys.login.code", {});
    await this.browser.open(`${this.served.listener.url}/#code=${code}`);
    await this.browser.untilText("1 process");
    return code;
  }

  /** The conversation with init, and the answers that the model will give there. */
  async talk(...answers: readonly PlannedAnswer[]): Promise<void> {
    this.served.kernel.model.will(INIT, ...answers);
    await this.go(`#/talk/${INIT}`, "document.activeElement.tagName === 'TEXTAREA'");
  }

  async loseLine(): Promise<void> {
    await this.served.listener.close();
  }

  /** At the same address. */
  async restoreLine(): Promise<void> {
    const { kernel, listener } = this.served;
    this.served.listener = listen({ ...inFrontOf(kernel), address: listenAddress(new URL(listener.url).host, false) });
  }

  async go(hash: string, until: string): Promise<void> {
    await this.browser.value(`void (location.hash = ${JSON.stringify(hash)})`);
    await this.browser.until(until);
  }

  async say(text: string): Promise<void> {
    await this.browser.type(text);
    await this.browser.press("Enter");
  }
}
