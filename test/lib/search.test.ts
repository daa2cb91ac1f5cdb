// Full-text search: counts can be stored as text and searched later, with the same answers.

import { expect, test } from "bun:test";
import { countedIndex, countWords, indexSections } from "../../src/lib/text/search.ts";

const section = (heading: string, text: string, words = "") => ({ heading, text, words });
const SECTIONS = [
  section("Stop a process", "gsv kill ends it, gsv proc stop holds it", "terminate"),
  section("Start a process", "gsv spawn starts one"),
  section("Odd names", "__proto__ and constructor, GSV_KERNEL and context.d are words like others"),
  section("Nothing else", ""),
];
const QUESTIONS = ["how do I stop a process", "process", "__proto__", "constructor", "kernel", "toString", "the", ""];

test("sections with stored word counts are found like freshly counted ones", () => {
  const kept = countedIndex(SECTIONS, JSON.parse(JSON.stringify(countWords(SECTIONS))));
  const now = indexSections(SECTIONS);
  for (const question of QUESTIONS) expect(kept.search(question)).toEqual(now.search(question));
});

test("the section with all words comes first, and of two equal ones the earlier", () => {
  const headings = (question: string, sections = SECTIONS) =>
    indexSections(sections)
      .search(question)
      .map(({ section: { heading } }) => heading);
  expect(headings("terminate a process")).toEqual(["Stop a process", "Start a process"]);
  expect(headings("__proto__")).toEqual(["Odd names"]);
  expect(headings("gsv kernel")).toEqual(["Odd names"]);
  expect(headings("toString")).toEqual([]);
  expect(headings("the")).toEqual([]);
  const twins = [section("First", "same"), section("Other", "nothing"), section("Second", "same")];
  expect(headings("same", twins)).toEqual(["First", "Second"]);
});

test("a section with half of the words covers half of the question", () => {
  const [hit] = indexSections([section("One", "apple"), section("Two", "pear")]).search("apple pear");
  expect(hit?.coverage).toBeCloseTo(0.5, 10);
});
