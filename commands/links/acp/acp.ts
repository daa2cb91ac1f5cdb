// `gsv acp`: gsv as an agent for editors, over stdin and stdout. Ends with its input; the sessions stay.

import { ENDED_BY } from "../../../src/abi/errno.ts";
import { linesOf } from "../../../src/lib/text/lines.ts";
import { field } from "../../../src/syscalls/define.ts";
import { usageError } from "../../args.ts";
import { command } from "../../define.ts";
import { inOnePiece } from "../../io/host-files.ts";
import { jsonLine } from "../../io/status.ts";
import { mediaSent } from "../../proc/media.ts";
import { AcpAgent } from "./agent.ts";

const FRAME_CHARS_MAX = 32 * 1024 * 1024;

const spec = {
  name: "acp",
  summary: "Serve an editor as its agent",
  input: {
    as: field.optional(field.text("agent that sessions act as", { longest: 32, meta: "AGENT", of: "agent" })),
  },
  examples: [`echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}' | gsv acp`],
  notes: ["For editors with the Agent Client Protocol: name gsv acp as their agent. gsv man editors shows how."],
};

export const acp = command(spec, async ({ args }, io) => {
  if (io.stdin.isTTY) throw usageError(spec, "an editor starts it: stdin is a terminal");
  await io.kernel.start();
  const ended = Promise.withResolvers<number>();
  const stop = io.onEnding((name) => ended.resolve(ENDED_BY[name]));
  const agent = new AcpAgent({
    ...{ sys: io.sys(), clock: io.clock, as: args.as },
    upload: (pid, bytes) => mediaSent(io, pid, inOnePiece(bytes)),
    print: (message) => void io.stdout.write(jsonLine(message)),
    note: (text) => void io.stderr.write(`gsv: ${text}\n`),
  });
  const tooLong = () => usageError(spec, "a line is too long");
  const served = (async () => {
    for await (const line of linesOf(io.stdin.bytes(), { charsMax: FRAME_CHARS_MAX, tooLong })) agent.take(line);
    // The editor is gone, but a script waits for its answers.
    await agent.settled();
    return 0;
  })();
  return await Promise.race([served, ended.promise]).finally(() => {
    stop();
    agent.close();
  });
});
