// Small programs: facts about the system, `yes`, `shuf`, and prefixes such as `env`, `nice` and `nohup`.

import { ENDED_BY } from "../../abi/errno.ts";
import { sizeText } from "../../lib/text/size.ts";
import { human } from "./files/human.ts";
import { options } from "./options.ts";
import { type Call, linesOf, phrase, text, Usage, whole } from "./program.ts";

/** Limit for a `yes` that no program in the pipe can stop. */
const YES_BYTES = 8 * 1024 * 1024;
const YES_PIECE_BYTES = 16 * 1024;

export async function yes(call: Call): Promise<number> {
  const line = `${call.args.length === 0 ? "y" : call.args.join(" ")}\n`;
  if (call.isPiped) {
    const piece = line.repeat(Math.ceil(YES_PIECE_BYTES / Buffer.byteLength(line)));
    for (;;) {
      call.out(piece);
      await call.room();
    }
  }
  const bytes = Math.min(YES_BYTES, call.outputBytesMax / 2);
  call.out(line.repeat(Math.ceil(bytes / Buffer.byteLength(line))));
  call.err(`yes: stopped after ${sizeText(bytes)}: no program in the pipe reads it\n`);
  return ENDED_BY.output;
}

export async function shuf(call: Call): Promise<number> {
  const { flags, operands } = options("shuf", call.args, {
    letters: "n:ei:r",
    long: { "head-count=": "n", echo: "e", "input-range=": "i", repeat: "r" },
  });
  const [low = 0, high = -1] = (flags.get("i") ?? "").split("-").map(Number);
  const lines = flags.has("i")
    ? Array.from({ length: high - low + 1 }, (_, at) => String(low + at))
    : flags.has("e")
      ? [...operands]
      : linesOf(await text(call, operands[0] ?? "-"));
  for (let at = lines.length - 1; at > 0; at--) {
    const other = Buffer.from(call.random(4)).readUInt32LE() % (at + 1);
    [lines[at], lines[other]] = [lines[other] ?? "", lines[at] ?? ""];
  }
  const count = flags.has("n") ? Number(flags.get("n")) : undefined;
  call.out(
    lines
      .slice(0, count)
      .map((line) => `${line}\n`)
      .join(""),
  );
  return 0;
}

export async function uuidgen(call: Call): Promise<number> {
  options("uuidgen", call.args, { letters: "r", long: { random: "r" } });
  const bytes = Buffer.from(call.random(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  call.out(`${bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")}\n`);
  return 0;
}

const MACHINE = {
  s: "Linux",
  n: "gsv",
  r: "gsv",
  v: "#1",
  m: "x86_64",
  p: "unknown",
  i: "unknown",
  o: "GNU/Linux",
} as const;

export async function uname(call: Call): Promise<number> {
  const { flags } = options("uname", call.args, {
    letters: "asnrvmpio",
    long: {
      all: "a",
      "kernel-name": "s",
      nodename: "n",
      "kernel-release": "r",
      "kernel-version": "v",
      machine: "m",
      "operating-system": "o",
    },
  });
  const release = call.env.GSV_VERSION ?? MACHINE.r;
  const known = { ...MACHINE, n: call.env.HOSTNAME ?? MACHINE.n, r: release };
  const wanted = flags.has("a")
    ? (["s", "n", "r", "v", "m", "o"] as const)
    : (["s", "n", "r", "v", "m", "p", "i", "o"] as const).filter((letter) => flags.has(letter));
  call.out(`${wanted.length === 0 ? known.s : wanted.map((letter) => known[letter]).join(" ")}\n`);
  return 0;
}

export async function arch(call: Call): Promise<number> {
  call.out(`${MACHINE.m}\n`);
  return 0;
}

export async function nproc(call: Call): Promise<number> {
  call.out("1\n");
  return 0;
}

export async function tty(call: Call): Promise<number> {
  call.out("not a tty\n");
  return 1;
}

export async function uptime(call: Call): Promise<number> {
  const seconds = Number((await text(call, "/proc/uptime").catch(() => "0")).split(" ")[0]);
  const date = new Date(call.nowMs());
  const two = (value: number) => String(value).padStart(2, "0");
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  const loadavg = await text(call, "/proc/loadavg").catch(() => "");
  const load = (/^[\d.]+ [\d.]+ [\d.]+/.exec(loadavg)?.[0] ?? "0.00 0.00 0.00").replaceAll(" ", ", ");
  const since = `${days > 0 ? `${days} day${days === 1 ? "" : "s"}, ` : ""}${hours > 0 ? `${hours}:${two(minutes)}` : `${minutes} min`}`;
  call.out(
    ` ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())} up ${since},  1 user,  load average: ${load}\n`,
  );
  return 0;
}

async function machineText(call: Call, path: string): Promise<string> {
  return text(call, path).catch((error: unknown) => {
    throw new Usage(`${call.name}: ${path}: ${phrase(error)}`);
  });
}

export async function whoami(call: Call): Promise<number> {
  call.out(`${call.env.USER ?? call.env.LOGNAME ?? "nobody"}\n`);
  return 0;
}

export async function mount(call: Call): Promise<number> {
  if (call.args.length > 0)
    throw new Usage("mount: not available in a script; attach a directory with: gsv workspace attach DIR", 1);
  for (const line of linesOf(await machineText(call, "/proc/mounts"))) {
    const [device = "", at = "", type = "", flags = ""] = line.split(" ");
    call.out(`${device} on ${at} type ${type} (${flags})\n`);
  }
  return 0;
}

export async function free(call: Call): Promise<number> {
  const { flags } = options("free", call.args, { letters: "bkmgh", long: { human: "h" } });
  const values = new Map(
    linesOf(await machineText(call, "/proc/meminfo")).map((line) => [
      line.split(":")[0] ?? "",
      Number(/\d+/.exec(line)?.[0] ?? 0) * 1024,
    ]),
  );
  const scale = flags.has("b") ? 1 : flags.has("m") ? 1024 ** 2 : flags.has("g") ? 1024 ** 3 : 1024;
  const shown = (bytes: number) => (flags.has("h") ? human(bytes) : String(Math.floor(bytes / scale))).padStart(12);
  const [total = 0, left = 0] = [values.get("MemTotal"), values.get("MemFree")];
  call.out(
    `      ${["total", "used", "free"].map((word) => word.padStart(12)).join("")}\nMem:  ${[total, total - left, left].map(shown).join("")}\n`,
  );
  return 0;
}

/** Scripts in gsv get no SIGHUP, so the command just runs. */
export async function nohup(call: Call): Promise<number> {
  if (call.args.length === 0) throw new Usage("nohup: missing operand\nTry 'nohup --help' for more information.", 125);
  return call.run(call.args, await whole(call, "-"));
}

const BEFORE: { readonly [name: string]: { readonly letters: string; readonly operands: number } } = {
  nice: { letters: "n:", operands: 0 },
  ionice: { letters: "c:n:t", operands: 0 },
  stdbuf: { letters: "i:o:e:", operands: 0 },
  setsid: { letters: "cfw", operands: 0 },
  unbuffer: { letters: "p", operands: 0 },
};

export async function before(call: Call): Promise<number> {
  const { letters } = BEFORE[call.name] ?? { letters: "" };
  const { operands } = options(call.name, call.args, { letters, stopsEarly: true, status: 125 });
  return operands.length === 0 ? 0 : call.run(operands, await whole(call, "-"));
}

export async function watch(): Promise<number> {
  throw new Usage(
    "watch: does not end, so a script cannot run it; use a loop:\n  for i in 1 2 3; do COMMAND; sleep 2; done",
  );
}

export async function ulimit(call: Call): Promise<number> {
  const { flags, operands } = options("ulimit", call.args, { letters: "HSacdefilmnpqrstuvxPRT", status: 2 });
  if (operands.length > 0) throw new Usage("ulimit: limits cannot be changed in a script; see gsv man shell", 1);
  call.out(flags.has("a") ? "open files                          (-n) unlimited\n" : "unlimited\n");
  return 0;
}

export async function absent(call: Call): Promise<number> {
  throw new Usage(
    `${call.name}: not available in gsv's shell; on this computer: gsv sh --host -c '${call.name} ...'`,
    127,
  );
}

export async function env(call: Call): Promise<number> {
  const { flags, uses, operands } = options("env", call.args, {
    letters: "iu:0S:C:",
    long: { "ignore-environment": "i", "unset=": "u", null: "0" },
    stopsEarly: true,
    status: 125,
  });
  const bare = flags.has("i") || operands[0] === "-";
  const words = operands[0] === "-" ? operands.slice(1) : operands;
  const values: { [name: string]: string } = bare ? {} : { ...call.env };
  for (const [flag, name] of uses) if (flag === "u") delete values[name];
  let at = 0;
  for (; /^[A-Za-z_]\w*=/.test(words[at] ?? ""); at++) {
    const word = words[at] ?? "";
    values[word.slice(0, word.indexOf("="))] = word.slice(word.indexOf("=") + 1);
  }
  const command = words.slice(at);
  if (command.length > 0) return call.run(command, await whole(call, "-"), values);
  const end = flags.has("0") ? "\0" : "\n";
  for (const [name, value] of Object.entries(values)) call.out(`${name}=${value}${end}`);
  return 0;
}

export async function printenv(call: Call): Promise<number> {
  const { operands } = options("printenv", call.args, { letters: "0", long: { null: "0" }, status: 2 });
  if (operands.length === 0) for (const [name, value] of Object.entries(call.env)) call.out(`${name}=${value}\n`);
  let status = 0;
  for (const name of operands) {
    if (call.env[name] === undefined) status = 1;
    else call.out(`${call.env[name]}\n`);
  }
  return status;
}
