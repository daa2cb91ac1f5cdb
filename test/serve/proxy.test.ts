import { expect, test } from "bun:test";
import { proxyFor } from "../../src/client/remotes/proxy.ts";

const P = "http://proxy:3128";

test.each([
  ["https://gsv.example:4870", { HTTPS_PROXY: P }, P],
  ["https://gsv.example", { https_proxy: P }, P],
  ["https://gsv.example", { https_proxy: "proxy:3128" }, P],
  ["https://gsv.example", { HTTP_PROXY: P }, null],
  ["wss://gsv.example", { HTTPS_PROXY: P }, P],
  ["http://gsv.example", { HTTP_PROXY: P }, P],
  ["http://gsv.example", { ALL_PROXY: P }, P],
  ["https://gsv.example", { HTTPS_PROXY: "", ALL_PROXY: "" }, null],
  ["https://gsv.example", { HTTPS_PROXY: P, NO_PROXY: "gsv.example" }, null],
  ["https://gsv.example", { HTTPS_PROXY: P, NO_PROXY: "other, .example" }, null],
  ["https://gsv.example", { HTTPS_PROXY: P, NO_PROXY: "*.example" }, null],
  ["https://gsv.example", { HTTPS_PROXY: P, NO_PROXY: "*" }, null],
  ["https://gsv.example", { HTTPS_PROXY: P, no_proxy: "sv.example" }, P],
  ["https://gsv.example:4870", { HTTPS_PROXY: P, NO_PROXY: "gsv.example:443" }, P],
  ["https://gsv.example:4870", { HTTPS_PROXY: P, NO_PROXY: "gsv.example:4870" }, null],
  ["https://[fd00::1]:4870", { HTTPS_PROXY: P, NO_PROXY: "[fd00::1]" }, null],
  ["http://127.0.0.1:4870", { HTTP_PROXY: P, ALL_PROXY: P }, null],
  ["http://localhost:4870", { HTTP_PROXY: P }, null],
  ["http://[::1]:4870", { HTTP_PROXY: P }, null],
] as const)("%s with %j goes through %p", (address, env, proxy) => {
  expect(proxyFor(address, env)).toBe(proxy);
});

test("a proxy that is not HTTP is refused without its password", () => {
  expect(() => proxyFor("https://gsv.example", { ALL_PROXY: "socks5://sam:hunter2@proxy" })).toThrow(
    "the proxy in the environment is not an HTTP proxy",
  );
});
