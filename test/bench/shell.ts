// The virtual shell: a whole command line, and a pipeline over the processes of a busy home, compared with real bash over as many
// directories.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ShellAnswer } from "../../src/syscalls/run/shell-service.ts";
import { type Floor, Home, run } from "./machine.ts";
import { type Row, rowOf, timedAgainst } from "./measure.ts";

const PROCESSES = 500;
const PIPELINE = "ls /proc | grep init | awk '{print $1}'";
const BASH = ["/bin/bash", "--noprofile", "--norc", "-c"];

export async function shellRows(_floor: Floor, rounds: number): Promise<Row[]> {
  await using home = new Home();
  const directories = home.beside("proc");
  await home.kernel();
  using link = await home.dial();
  for (let index = 1; index < PROCESSES; index++) {
    const spawned = await link.call("proc.spawn", { label: `task ${index}` }, { requestId: `spawn-${index}` });
    mkdirSync(join(directories, (spawned as { pid: string }).pid));
  }
  mkdirSync(join(directories, "init:1000"));
  let number = 0;
  const script = async (text: string) => {
    const id = `0190a1b2-0000-7000-8000-${String(++number).padStart(12, "0")}`;
    const answer = (await link.call("shell.run", { id, script: text }, { requestId: id })) as ShellAnswer;
    if (answer.exit !== 0 || answer.output.pieces.length === 0) throw new Error(`${text}: ${answer.exit}`);
  };
  const bash = (text: string) => () => run([...BASH, text], { PATH: "/usr/bin:/bin" });
  const piped = await timedAgainst(rounds, bash(PIPELINE.replace("/proc", directories)), () => script(PIPELINE));
  const told = await timedAgainst(rounds, bash("echo hi"), () => script("echo hi"));
  const typed = await timedAgainst(rounds, bash("echo hi"), () => home.gsv(["sh", "-c", "echo hi"]));
  const what = "bash -c, exec to exit";
  return [
    rowOf(`${PROCESSES} processes: ls /proc | grep | awk, warm`, piped.values, {
      ...{ floor: { value: piped.floor, what: `the same in bash over ${PROCESSES} directories` }, budget: 10 },
    }),
    rowOf("a script over the socket: echo hi", told.values, { floor: { value: told.floor, what } }),
    rowOf("gsv sh -c 'echo hi', exec to exit", typed.values, { floor: { value: typed.floor, what }, budget: 60 }),
  ];
}
