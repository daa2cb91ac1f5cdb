// Summary of the working directory from tool results: contents, newest changes (if there is a shell), start of the README, last
// summary. Pure.

import type { ModelRequest } from "../../abi/stream.ts";
import type { Exchange, PlannedCall } from "./rules.ts";

const LISTING = { name: "Read", args: { path: "." } };
const NEWEST = { name: "Shell", args: { command: "ls -lt" } };
const SUMMARY = ".gsv/summary.md";
const FIRST_LINES = 12;
const NAMES_SHOWN = 40;

/** Calls still to be made; empty when done. */
export function workspaceCalls(done: readonly Exchange[], { tools }: ModelRequest): readonly PlannedCall[] {
  const listing = done.find(isListing);
  if (listing === undefined) return tools.some(({ name }) => name === NEWEST.name) ? [LISTING, NEWEST] : [LISTING];
  if (done.some(({ call }) => call.name === "Read" && call.args.path !== ".")) return [];
  const names = namesIn(listing);
  const readme = names.find((name) => /^readme(?:\.(?:md|txt))?$/i.test(name));
  return [...(readme === undefined ? [] : [readme]), ...(names.includes(".gsv/") ? [SUMMARY] : [])].map((path) => ({
    name: "Read",
    args: { path, limit: FIRST_LINES },
  }));
}

export function workspaceText(done: readonly Exchange[], { about: { cwd } }: ModelRequest): string {
  const listing = done.find(isListing);
  if (listing === undefined || listing.result.outcome !== "completed")
    return `I could not list ${cwd}: ${listing?.result.output ?? "no result"}`;
  const where = cwd.startsWith("/workspaces/") ? `The workspace ${cwd}` : `This process works in ${cwd}, which`;
  return [`${where} ${contentsText(namesIn(listing))}`, ...newestText(done), ...beginningsText(done)].join("\n\n");
}

function contentsText(names: readonly string[]): string {
  if (names.length === 0) return "is empty.";
  const directories = names.filter((name) => name.endsWith("/")).length;
  const files = names.length - directories;
  const more = names.length > NAMES_SHOWN ? `\n    … and ${names.length - NAMES_SHOWN} more` : "";
  const rows = names.slice(0, NAMES_SHOWN).map((name) => `    ${name}`);
  return `holds ${counted(files, "file", "files")} and ${counted(directories, "directory", "directories")}:\n\n${rows.join("\n")}${more}`;
}

function newestText(done: readonly Exchange[]): string[] {
  const newest = done.find(({ call }) => call.name === NEWEST.name);
  if (newest === undefined || newest.result.outcome !== "completed") return [];
  const rows = newest.result.output.split("\n").filter((line) => line.startsWith("-"));
  if (rows.length === 0) return [];
  return [`Sizes and newest changes:\n\n${rows.slice(0, FIRST_LINES).map(indented).join("\n")}`];
}

function beginningsText(done: readonly Exchange[]): string[] {
  return done
    .filter(({ call, result }) => call.name === "Read" && call.args.path !== "." && result.outcome === "completed")
    .map(({ call, result }) => {
      const lines = result.output.split("\n").filter((line) => /^ *\d+\t/.test(line));
      const text = lines.map((line) => line.replace(/^ *\d+\t/, "")).slice(0, FIRST_LINES);
      const what = call.args.path === SUMMARY ? "Where work was left" : `${call.args.path} begins`;
      return `${what}:\n\n${text.map(indented).join("\n").trimEnd()}`;
    });
}

function isListing({ call }: Exchange): boolean {
  return call.name === "Read" && call.args.path === ".";
}

function namesIn({ result }: Exchange): string[] {
  return result.output.split("\n").filter((line) => line !== "" && !line.startsWith("("));
}

function indented(line: string): string {
  return `    ${line}`;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
