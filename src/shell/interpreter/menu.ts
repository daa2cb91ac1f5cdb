// The menu of `select`, in columns as bash prints it.

import { defineCommand } from "just-bash/browser";
import { OWN } from "../programs/internal-words.ts";
import { answer } from "./called.ts";

const TAB = 8;
const COLUMNS = 80;
/** `) ` */
const SIGN = 2;

export const menuProgram = () =>
  defineCommand(OWN.menu, async ([columns = "", ...items]) => answer(menuText(items, Number(columns) || COLUMNS)));

function menuText(items: readonly string[], columns: number): string {
  const digits = String(items.length).length;
  const width = Math.max(...items.map((item) => [...item].length)) + digits + SIGN + 2;
  const fitting = Math.max(1, Math.floor(columns / width));
  const across = Math.ceil(items.length / Math.ceil(items.length / fitting));
  const rows = across === items.length ? items.length : Math.ceil(items.length / fitting);
  let text = "";
  for (let row = 0; row < rows; row++) {
    for (let at = row, from = 0; at < items.length; at += rows, from += width) {
      const number = String(at + 1).padStart(from === 0 ? String(rows).length : digits);
      const item = `${number}) ${items[at]}`;
      text += item;
      if (at + rows < items.length) text += blank(from + [...item].length, from + width);
    }
    text += "\n";
  }
  return text;
}

function blank(from: number, to: number): string {
  let text = "";
  for (let at = from; at < to; ) {
    const isTab = Math.floor(to / TAB) > Math.floor(at / TAB);
    text += isTab ? "\t" : " ";
    at += isTab ? TAB - (at % TAB) : 1;
  }
  return text;
}
