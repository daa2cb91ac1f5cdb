// Session keys: every spelling becomes one address, and the scope decides its parts.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  canonicalKey,
  decoded,
  identityLinksOf,
  keyFor,
  keyText,
  type OwnNames,
  type Party,
  senderIn,
} from "../../src/sessions/keys.ts";

const MAIN = "agent:main:cli:dm:main";
const OWN: OwnNames = { mainKey: "main", defaultKey: MAIN, username: "sam", agentName: "friday" };
const canonical = (text: string, names: OwnNames = OWN) => keyText(canonicalKey(text, names));

describe("your own session", () => {
  for (const written of ["default", "main", MAIN, "agent:main:main", ` ${MAIN} `, "agent:friday:cli:dm:main"])
    test(`is meant by ${JSON.stringify(written)}`, () => expect(canonical(written)).toBe(MAIN));
  for (const written of ["agent:main:cli:dm:sam", "agent:main:cli:default:dm:sam", "agent:main:cli:default:dm:main"])
    test(`is meant by ${written}, which names its owner`, () => expect(canonical(written)).toBe(MAIN));
  test("may have another name", () => {
    const home = { ...OWN, mainKey: "home" };
    expect([canonical("home", home), canonical("agent:main:cli:dm:home", home)]).toEqual([MAIN, MAIN]);
  });
});

describe("without a key", () => {
  test("the configured session is used, main is still your own", () => {
    const other = { ...OWN, defaultKey: "agent:helper:cli:dm:sam" };
    expect([canonical("default", other), canonical("main", other)]).toEqual(["agent:helper:cli:dm:sam", MAIN]);
    expect(canonical("default", { ...OWN, defaultKey: "" })).toBe(MAIN);
  });
});

describe("other sessions", () => {
  test("keep their four parts, with odd characters encoded", () => {
    expect(canonical("agent:helper:cli:dm:Alice")).toBe("agent:helper:cli:dm:Alice");
    expect(canonical("agent:bot:telegram:Bot 1:dm:+49 170")).toBe("agent:bot:telegram:Bot%201:dm:+49%20170");
    expect(canonical("agent:bot:cli:dm:Ann%20Lee")).toBe(canonical("agent:bot:cli:dm:Ann Lee"));
    expect(canonical("agent:main:cli:dm:MAIN")).not.toBe(MAIN);
    expect(canonical("agent:helper:cli:dm:main")).toBe("agent:helper:cli:dm:main");
    expect(canonical("agent:main:telegram:dm:sam")).toBe("agent:main:telegram:dm:sam");
    expect(canonical("agent:main:cli:work:dm:sam")).toBe("agent:main:cli:work:dm:sam");
  });
  for (const written of [
    "",
    " ",
    "alice",
    "agent:main",
    "agent::cli:dm:x",
    "agent:main:cli:dm:",
    "agent:a:b:c:d:dm:e",
    "x:y:z",
  ])
    test(`are not meant by ${written}`, () => expect(() => canonical(written)).toThrow(/not a session key/));
  const part = fc
    .string({ unit: "binary", minLength: 1, maxLength: 60 })
    .filter((text) => !/[:\p{Cc}\p{Cs}]/u.test(text) && text.trim() !== "" && decoded(text).trim() !== "")
    .filter((text) => !/[\p{Cc}\p{Cs}]/u.test(decoded(text)));
  const channelName = part.filter((text) => !/\p{Lu}/u.test(decoded(text)));
  test("have the same key when it is parsed again", () => {
    fc.assert(
      fc.property(channelName, fc.option(part), part, (channel, account, peer) => {
        const middle = account === null ? channel : `${channel}:${account}`;
        const once = canonical(`agent:bot:${middle}:dm:${peer}`);
        expect(canonical(once)).toBe(once);
        expect(once).toMatch(
          /^agent:bot:[a-z0-9.+@_%-]{1,600}(:[A-Za-z0-9.+@_%-]{1,600})?:dm:[A-Za-z0-9.+@_%-]{1,600}$|^agent:main/,
        );
      }),
    );
  });
  test("have different keys for different people", () => {
    const people = [
      "李雷",
      "韩梅",
      "Ann Lee",
      "ann_lee",
      "ann-lee",
      "ann%20lee",
      "100%",
      "100%25",
      "@ann:example.org",
      "ann",
      "Ann",
      "ANN",
      " ann",
    ];
    const keys = people.map((peerId) => keyText(keyFor({ ...party, peerId }, "per-account-channel-peer", {})));
    expect(new Set(keys).size).toBe(people.length);
    for (const key of keys) expect(canonical(key)).toBe(key);
  });
  test("name their sender as it was written", () => {
    fc.assert(
      fc.property(part, part, (accountId, peerId) => {
        const key = keyFor({ ...party, accountId, peerId }, "per-account-channel-peer", {});
        const sender = senderIn(canonicalKey(keyText(key), OWN))!;
        expect(keyText(keyFor(sender, "per-account-channel-peer", {}))).toBe(keyText(key));
      }),
    );
    expect(senderIn(canonicalKey("agent:main:cli:dm:alice", OWN))).toBeNull();
  });
  for (const [written, character] of [
    ["agent:my agent:cli:dm:x", "U+0020"],
    ["agent:bot!:cli:dm:x", "! (U+0021)"],
    ["agent:main:cli:dm:a\u0007b", "U+0007"],
    ["agent:main:cli:dm:a%0ab", "U+000A"],
    ["agent:main:Telegram:dm:x", "T (U+0054)"],
  ] as const)
    test(`refuse ${character}, by name`, () => expect(() => canonical(written)).toThrow(`cannot contain ${character}`));
});

const party: Party = { agentId: "main", channel: "telegram", accountId: "bot", peerId: "4711" };

describe("the scope decides who shares a session", () => {
  const forms = {
    main: MAIN,
    "per-peer": "agent:main:cli:dm:4711",
    "per-channel-peer": "agent:main:telegram:dm:4711",
    "per-account-channel-peer": "agent:main:telegram:bot:dm:4711",
  } as const;
  for (const [scope, key] of Object.entries(forms))
    test(`${scope}: ${key}`, () => expect(keyText(keyFor(party, scope as keyof typeof forms, {}))).toBe(key));
});

describe("identity links", () => {
  const links = identityLinksOf({ alice: ["telegram:4711", "Discord:Ali"], bob: "signal:1", odd: [7], none: null });
  const key = (channel: string, peerId: string) =>
    keyText(keyFor({ agentId: "main", channel, accountId: "a", peerId }, "per-peer", links));
  test("map one person in several channels to one peer", () => {
    expect([key("telegram", "4711"), key("discord", "ali")]).toEqual(Array(2).fill("agent:main:cli:dm:alice"));
    expect(key("signal", "1")).toBe("agent:main:cli:dm:bob");
  });
  test("do not change other people, even with the same name elsewhere", () => {
    expect([key("whatsapp", "4711"), key("telegram", "47110")]).toEqual([
      "agent:main:cli:dm:4711",
      "agent:main:cli:dm:47110",
    ]);
  });
  test("are empty if the value is invalid", () => expect(identityLinksOf("x")).toEqual({}));
});
