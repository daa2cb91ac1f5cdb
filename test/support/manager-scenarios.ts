// What seed-002 tells of sessions, played through `gsv manager` and the kernel of the built program. A scenario runs once, and every row of the
// table that is about it reads its outcome.

import type { Signal, SignalOf } from "../../src/abi/signal.ts";
import { GARBLED, type ManagedHome, MINUTE, OVERLOADED, type SessionGiven, says } from "./manager-program.ts";

const SEARCH = says({ calls: [{ name: "Search", json: ['{"query":"x"}'] }] });

/** An answer of the model that fails, with its two retries. */
const FAULT = [GARBLED, GARBLED, GARBLED];

function once<Outcome>(play: () => Promise<Outcome>): () => Promise<Outcome> {
  let outcome: Promise<Outcome> | undefined;
  return async () => {
    outcome ??= play();
    // A matcher writes into the object that it compares.
    return structuredClone(await outcome);
  };
}

/** In whole seconds: the signal is sent a little after the wait begins. */
function waitOf({ until, at }: SignalOf<"process.restart">): number {
  return Math.round((until - at) / 1000) * 1000;
}

export class Scenarios {
  readonly signals: Signal[] = [];
  private made = 0;

  constructor(readonly it: ManagedHome) {
    it.sys.on({}, (signal) => this.signals.push(signal));
  }

  private sender(): object {
    return { source: "algochat", sender: `peer-${++this.made}` };
  }

  private call<Result = unknown>(method: string, ...args: readonly unknown[]): Promise<Result> {
    return this.it.manager.call<Result>(method, ...args);
  }

  private types(session: SessionGiven, ...of: readonly string[]): string[] {
    return this.it.manager.types(session.id).filter((type) => of.includes(type));
  }

  /** Lets the waits between the retries of a model pass until this holds. */
  private async retrying(what: string, session: SessionGiven, holds: () => boolean): Promise<void> {
    await this.it.manager.until(what, async () => {
      const { waitsFor } = await this.it.process(session);
      if (waitsFor?.kind === "model") this.it.passTo(waitsFor.until);
      return holds();
    });
  }

  /** Lets the time until this instant pass, and waits for what it brings. */
  private async passing(instant: number, session: SessionGiven, type: string, times: number): Promise<void> {
    this.it.passTo(instant);
    await this.it.manager.seen(session.id, type, times);
  }

  private restartsOf(pid: string): SignalOf<"process.restart">[] {
    return this.signals.filter(
      (each): each is SignalOf<"process.restart"> => each.name === "process.restart" && each.pid === pid,
    );
  }

  /** Three restarts after faults, the waits before them, and what is left. */
  readonly restarts = once(async () => {
    const { it } = this;
    const session = await it.talked(this.sender());
    const { pid } = await it.process(session);
    it.usual = GARBLED;
    await this.call("resumeProcess", session, "and now");
    const heard = () => this.restartsOf(pid);
    const running: unknown[] = [];
    for (let turn = 1; turn <= 3; turn++) {
      await this.retrying(
        `restart ${turn}`,
        session,
        () => heard().length === turn && this.types(session, "session_exited").length > turn,
      );
      running.push(await this.call("isRunning", session.id));
      await this.passing(heard().at(-1)!.until, session, "session_started", 2 + turn);
    }
    await this.retrying("it is given up", session, () => this.types(session, "session_exited").length === 5);
    it.usual = says("done");
    it.pass(60 * MINUTE);
    const { status } = await it.info(session);
    return {
      status,
      running,
      started: this.types(session, "session_started").length,
      waits: heard().map(waitOf),
      attempts: heard().map(({ attempt, of }) => `${attempt}/${of}`),
    };
  });

  /** The waits for a restart before and after ten minutes without a fault. */
  readonly stable = once(async () => {
    const { it } = this;
    const session = await it.talked(this.sender());
    const { pid } = await it.process(session);
    const waits: number[] = [];
    for (const quiet of [7 * MINUTE, 10 * MINUTE, 0]) {
      const heard = () => this.restartsOf(pid);
      const before = heard().length;
      const exits = this.types(session, "session_exited").length;
      it.server.will(...FAULT);
      await this.call("resumeProcess", session, "and now");
      await this.retrying("a restart", session, () => heard().length > before);
      waits.push(waitOf(heard().at(-1)!));
      await this.passing(heard().at(-1)!.until, session, "session_exited", exits + 2);
      it.pass(quiet);
    }
    return waits;
  });

  /** A provider that is overloaded until all attempts are used up: the minutes between them, and the end. */
  readonly givenUp = once(async () => {
    const { it } = this;
    const session = await it.talked(this.sender());
    it.usual = OVERLOADED;
    await this.call("resumeProcess", session, "and now");
    const minutes: number[] = [];
    let last = it.now;
    await it.manager.until("it is given up", async () => {
      const { waitsFor } = await it.process(session);
      if (waitsFor?.kind === "outage" && waitsFor.until > it.now) {
        minutes.push(Math.round((waitsFor.until - last) / MINUTE));
        last = waitsFor.until;
        it.passTo(last);
      }
      return this.types(session, "auto_resume_exhausted").length > 0;
    });
    it.usual = says("done");
    await this.call("settled");
    const before = it.server.requests.length;
    it.pass(24 * 60 * MINUTE);
    const { status } = await it.info(session);
    const exhausted = this.types(session, "auto_resume_exhausted").length;
    const paused = await this.call("isPaused", session.id);
    return { minutes, status, exhausted, paused, askedLater: it.server.requests.length - before };
  });

  readonly outage = once(async () => {
    const { it } = this;
    const session = await it.resumed(this.sender(), OVERLOADED);
    await it.manager.seen(session.id, "api_outage");
    const { pid, waitsFor } = await it.process(session);
    const until = waitsFor?.kind === "outage" ? waitsFor.until : 0;
    const seen = {
      paused: await this.call("isPaused", session.id),
      running: await this.call("isRunning", session.id),
      status: (await it.info(session)).status,
      minutes: Math.round((until - it.now) / MINUTE),
    };
    await this.passing(until, session, "session_exited", 2);
    await this.call("settled");
    const [after, last] = [await this.call("isPaused", session.id), it.manager.types(session.id).at(-1)];
    return { ...seen, after, last, restarts: this.restartsOf(pid).length };
  });

  readonly exhausted = once(async () => {
    const { it } = this;
    await it.gsv("credits", "rate", "free_credits_on_first_message", "0");
    await it.gsv("credits", "grant", "W7", "2");
    const session = await it.resumed({ source: "algochat", sender: "W7" }, SEARCH);
    await it.manager.seen(session.id, "session_stopped");
    return { types: it.manager.types(session.id).slice(-3), balance: await it.gsv("credits", "balance", "W7") };
  });

  readonly reset = once(async () => {
    const { it } = this;
    const session = await it.working();
    for (let turn = 1; turn <= 7; turn++) await this.call("sendMessage", session.id, `more ${turn}`);
    await this.call("settled");
    await this.call("resumeProcess", session, "the eighth");
    await this.call("settled");
    const early = this.types(session, "session_stopped").length;
    await this.call("resumeProcess", session, "another message");
    await it.manager.seen(session.id, "session_exited", 2);
    return { early, stopped: this.types(session, "session_stopped").length, asked: it.asked };
  });

  readonly history = once(async () => {
    const { it } = this;
    const session = await it.talked();
    const { pid } = await it.process(session);
    for (let turn = 2; turn <= 12; turn++) await it.gsv("chat", "--pid", pid, `message ${turn} ${"x".repeat(2100)}`);
    await this.call("settled");
    const before = it.server.requests.length;
    await this.call("resumeProcess", session, "new question");
    await it.asking(before);
    const { asked } = it;
    const lines = asked.match(/\[(?:User|Assistant)\]: [a-z]+ ?\w*/g) ?? [];
    await it.manager.until("it is over", async () => !(await this.call("isRunning", session.id)));
    return { asked, lines };
  });

  /** A session of an agent with a persona and bundles, in a project with a bundle. */
  readonly persona = once(async () => {
    const { it } = this;
    await it.gsv("bundle", "create", "own", "--tools", "Write", "--prompt", "Look twice.");
    await it.gsv("bundle", "create", "second", "--tools", "Edit", "--prompt", "Look thrice.");
    await it.gsv("bundle", "create", "site", "--tools", "Fetch", "--prompt", "Build it.");
    await it.gsv("agent", "create", "chef", "--traits", "calm", "--bundles", "own,second", "--tools", "Search");
    await it.gsv("project", "create", "kitchen");
    await it.gsv("bundle", "assign", "site", "--project", "kitchen");
    await it.talked({ agentId: "chef", projectId: "kitchen" });
    const { tools = [] } = it.server.requests.at(-1)!.json as { tools?: { function: { name: string } }[] };
    return { asked: it.asked, tools: tools.map((tool) => tool.function.name).sort() };
  });
}
