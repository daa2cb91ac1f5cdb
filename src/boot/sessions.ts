// Sessions, put together: the service behind session.*, and what stands in front of every message that comes in.

import type { Core } from "../boot.ts";
import { answering, type CallAs } from "../sessions/answering.ts";
import { sessionsService } from "../sessions/service.ts";
import type { Processes } from "../syscalls/services.ts";
import type { Services } from "../syscalls/table.ts";

/** With messages of people looked at before they are sent. */
export function attended(core: Core, processes: Processes): Processes {
  const callAs: CallAs = ({ caller, client, requestId }, name, args) =>
    core.door(caller.ownerUid, async () => caller, client).call(name, args, { requestId: `${requestId}:${name}` });
  return { ...processes, send: answering(processes.send, callAs) };
}

type Used = Pick<
  Services,
  "processes" | "registry" | "histories" | "archives" | "conversations" | "models" | "prompts"
>;

export function bootSessions({ kernel, processes: store, machine }: Core, services: Used): Pick<Services, "sessions"> {
  const { clock, random } = machine;
  const contextFiles = (pid: string) => store.contextFiles(pid);
  return { sessions: sessionsService({ ...services, kernel, contextFiles, clock, random }) };
}
