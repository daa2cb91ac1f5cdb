// Offers the tools of local tool servers to the kernel, for the process of a session, and answers its calls, from the start of the session
// until its end. Offers them again to the next kernel.

import { messageOf } from "../../abi/errno.ts";
import type { ToolSpec } from "../../abi/stream.ts";
import type { Sys } from "../../abi/sys.ts";
import type { Session } from "./session.ts";

export interface ToolService {
  readonly tools: readonly ToolSpec[];
  call(tool: string, args: { readonly [name: string]: unknown }, session: Session): Promise<string>;
}

interface Offer {
  readonly session: Session;
  readonly pid: string;
  readonly stop: () => void;
}

export class OfferedServers {
  private services: readonly ToolService[] = [];
  private readonly offers = new Map<string, Offer>();

  constructor(
    private readonly sys: Sys,
    private readonly onFault: (error: unknown) => void,
  ) {}

  set(services: readonly unknown[]): void {
    this.services = services.filter(isToolService);
  }

  /** Call before the model is asked. */
  async open(session: Session, about: object): Promise<void> {
    const { services } = this;
    this.close(session.id);
    if (services.length === 0) return;
    const { pid } = await this.sys.call<{ pid: string }>("session.open", about);
    const stop = this.sys.on({ pid, names: ["process.server_call"] }, (signal) => {
      if (signal.name === "process.server_call") void this.answer(services, session, signal).catch(this.onFault);
    });
    this.offers.set(session.id, { session, pid, stop });
    await this.offer(pid, services);
  }

  close(sessionId: string): void {
    const offer = this.offers.get(sessionId);
    if (offer === undefined) return;
    this.offers.delete(sessionId);
    offer.stop();
    void this.sys.call("sys.mcp.offer", { pid: offer.pid }).catch(() => {});
  }

  again(): void {
    for (const { pid } of this.offers.values()) void this.offer(pid, this.services).catch(this.onFault);
  }

  private async offer(pid: string, services: readonly ToolService[]): Promise<void> {
    const tools = services.flatMap((service) => service.tools);
    await this.sys.call("sys.mcp.offer", { pid, tools: tools.map((tool) => JSON.stringify(tool)) });
  }

  private async answer(
    services: readonly ToolService[],
    session: Session,
    { call, tool, args }: { readonly call: string; readonly tool: string; readonly args: object },
  ): Promise<void> {
    const service = services.find(({ tools }) => tools.some(({ name }) => name === tool));
    try {
      const text = (await service?.call(tool, args as { readonly [name: string]: unknown }, session)) ?? "";
      await this.sys.call("sys.mcp.answer", { call, text });
    } catch (error) {
      await this.sys.call("sys.mcp.answer", { call, text: messageOf(error), failed: true });
    }
  }
}

function isToolService(service: unknown): service is ToolService {
  return typeof service === "object" && service !== null && "tools" in service && "call" in service;
}
