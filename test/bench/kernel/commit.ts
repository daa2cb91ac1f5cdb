// A write to a versioned file: one commit, compared with a plain `git commit` of the same change in a tree of the same size.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plainGit } from "../../support/git.ts";
import { type Floor, Home } from "../machine.ts";
import { type Row, rowOf, timedAgainst } from "../measure.ts";

const FILES = 200;
const BUDGET_MS = 8;

export async function commitRows(_floor: Floor, rounds: number): Promise<Row[]> {
  await using home = new Home();
  const directory = home.beside("plain");
  await home.kernel();
  using link = await home.dial();
  plainGit(directory, "init", "-q", "-b", "main");
  mkdirSync(join(directory, "knowledge"));
  for (let at = 0; at < FILES; at++) writeFileSync(join(directory, `knowledge/${at}.md`), `${at}\n`);
  plainGit(directory, "add", "-A");
  plainGit(directory, "commit", "-q", "-m", "begin");
  const write = (path: string, content: string, requestId: string) =>
    link.call("fs.write", { path: `~/${path}`, content }, { requestId });
  for (let at = 0; at < FILES; at++) await write(`knowledge/${at}.md`, `${at}\n`, `fill-${at}`);
  const plain = async (round: number) => {
    writeFileSync(join(directory, "knowledge/7.md"), `plain ${round}\n`);
    plainGit(directory, "commit", "-q", "-m", "edit", "knowledge/7.md");
  };
  let turn = 0;
  const { values, floor } = await timedAgainst(
    rounds,
    () => plain(++turn),
    (round) => write("knowledge/7.md", `gsv ${round}\n`, `write-${round}`),
  );
  return [
    rowOf("write of a versioned file: one commit", values, {
      floor: { value: floor, what: "git commit of one file" },
      budget: BUDGET_MS,
    }),
  ];
}
