// Cost of many clients, over the socket and over a websocket: 100 followers of one streamed answer, one of which reads nothing, beside a
// single follower; and 1,000 clients that do nothing. Beside both a bare websocket server with as many clients.

import { connect, type Socket } from "node:net";
import { encodeFrame } from "../../../src/rpc/frame.ts";
import { VERSION } from "../../../src/version.ts";
import { type RawPeer as Peer, rawWebsocket } from "../../support/raw-websocket.ts";
import { servedHome } from "../../support/served-home.ts";
import { cpuSince, type Floor, Home, type Kernel, type Program, program } from "../machine.ts";
import { median, type Row, rowOf } from "../measure.ts";

const FOLLOWERS = 100;
const IDLE = 1000;
const IDLE_MIB = 120;
const TOKENS = 5000;
const RATE = 1000;
/** What 100 followers may cost, as a multiple of one. */
const TIMES = 3;
const SETTLE_MS = 500;
const REST_MS = 5000;
const DONE = Buffer.from('"name":"chat.complete"');
const HELLO = encodeFrame({ kind: "hello", clientId: "follower", version: VERSION, cwd: "/", env: {} }, "hello");
const FOLLOW = encodeFrame({ kind: "sub", id: 1, filter: {} }, "sub");

export async function clientRows(_floor: Floor, rounds: number): Promise<Row[]> {
  await using model = await program(`${import.meta.dir}/../terminal/token-server.ts`);
  await using bare = await program(`${import.meta.dir}/bare-server.ts`);
  await using home = new Home({ OPENAI_API_KEY: "x", OPENAI_BASE_URL: `http://127.0.0.1:${model.port}` });
  const kernel = await home.kernel();
  const server: Served = { home, kernel, ...(await servedHome(home)), bare };
  const few = Math.max(3, Math.ceil(rounds / 8));
  return [
    await followRow("the socket", server, () => openSocket(home), few),
    await followRow("a websocket", server, () => openWebsocket(server), few),
    await idleRow(server),
  ];
}

interface Served {
  readonly home: Home;
  readonly kernel: Kernel;
  readonly url: string;
  readonly token: string;
  readonly bare: Program;
}

async function followRow(what: string, served: Served, open: () => Promise<Peer>, rounds: number): Promise<Row> {
  const [alone, many]: [number[], number[]] = [[], []];
  for (let round = -1; round < rounds; round++) {
    const one = await streamed(served, open, 1);
    const all = await streamed(served, open, FOLLOWERS);
    if (round < 0) continue;
    alone.push(one);
    many.push(all);
  }
  const value = median(alone);
  return {
    ...rowOf(`clients: ${FOLLOWERS} followers over ${what}, one stuck: CPU`, many, {
      floor: { value, what: "one follower" },
      budget: TIMES * value,
    }),
    note: `one follower; a bare websocket server takes ${(await bareCpuMs(served.bare)).toFixed(0)} ms`,
  };
}

/** CPU of the kernel while it streams an answer to the followers. The last of several reads nothing. */
async function streamed({ home, kernel }: Served, open: () => Promise<Peer>, count: number): Promise<number> {
  const peers = await opened(count, open);
  const [stuck] = count > 1 ? peers.slice(-1) : [];
  try {
    const reading = peers.filter((peer) => peer !== stuck);
    await Promise.all(peers.map(follow));
    stuck?.socket.pause();
    await Bun.sleep(SETTLE_MS);
    const before = kernel.threads();
    const done = Promise.all(reading.map(({ socket }) => seen(socket, DONE)));
    await home.gsv(["spawn", "--prompt", `stream prose ${TOKENS} ${RATE}`], "openai/m");
    await done;
    return cpuSince(before, kernel.threads());
  } finally {
    for (const { socket } of peers) socket.destroy();
    await Bun.sleep(SETTLE_MS);
  }
}

async function follow({ socket, send }: Peer): Promise<void> {
  const greeted = seen(socket, Buffer.from('"kind":"helloOk"'));
  send(HELLO);
  await greeted;
  send(FOLLOW);
}

/** Resolves when the peer gets these bytes. */
function seen(socket: Socket, text: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let tail = Buffer.alloc(0);
    const onData = (piece: Buffer) => {
      const bytes = Buffer.concat([tail, piece]);
      tail = Buffer.from(bytes.subarray(-text.length));
      if (!bytes.includes(text)) return;
      socket.off("data", onData);
      socket.on("data", () => {});
      resolve();
    };
    socket.on("data", onData).once("close", () => reject(new Error(`disconnected: ${tail}`)));
  });
}

async function bareCpuMs({ port, cost }: Program): Promise<number> {
  const peers = await opened(FOLLOWERS, () => rawWebsocket(port));
  await Bun.sleep(SETTLE_MS);
  const before = cost.threads();
  const end = seen(peers[0]!.socket, Buffer.from("end"));
  for (const { socket } of peers.slice(1, -1)) socket.on("data", () => {});
  peers[0]!.send("stream");
  await end;
  for (const { socket } of peers) socket.destroy();
  return cpuSince(before, cost.threads());
}

async function idleRow(served: Served): Promise<Row> {
  const { bare, kernel } = served;
  const added = async (program: Kernel, open: () => Promise<Peer>, begin: (peer: Peer) => unknown) => {
    const before = program.rssMb();
    const peers = await opened(IDLE, open);
    for (const peer of peers) await begin(peer);
    await Bun.sleep(REST_MS);
    const isOpen = peers.every(({ socket }) => !socket.destroyed);
    const after = program.rssMb();
    for (const { socket } of peers) socket.destroy();
    if (!isOpen) throw new Error("an idle client was disconnected");
    return after - before;
  };
  const floor = await added(
    bare.cost,
    () => rawWebsocket(bare.port),
    ({ send }) => send("hello"),
  );
  return {
    ...{ name: `clients: ${IDLE} idle ones over a websocket, memory`, unit: "MiB" },
    median: await added(kernel, () => openWebsocket(served), follow),
    floor: { value: floor, what: "a bare websocket server" },
    budget: IDLE_MIB,
  };
}

async function opened(count: number, open: () => Promise<Peer>): Promise<Peer[]> {
  const peers: Peer[] = [];
  while (peers.length < count) peers.push(await open());
  return peers;
}

async function openSocket(home: Home): Promise<Peer> {
  const socket = connect(home.socket);
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return { socket, send: (text) => void socket.write(text) };
}

function openWebsocket({ url, token }: Served): Promise<Peer> {
  return rawWebsocket(Number(new URL(url).port), token);
}
