// Addresses that a page may come from, in every notation.

import { expect, test } from "bun:test";
import { isMetadata, isPublic } from "../../src/tools/web-address.ts";
import { needReachable, webUrl } from "../../src/tools/web-hop.ts";

const PUBLIC = ["93.184.216.34", "1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1"];
const PRIVATE = [
  ...["0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254"],
  ...["169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.1.1"],
  ...["198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1", "239.1.2.3", "240.0.0.1"],
  ...["255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:10.0.0.1", "::127.0.0.1"],
  ...["::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::"],
  ...["fc00::1", "fd12:3456::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "5f00::1", "3fff::1"],
  ...["not an address", "", "1.2.3", "localhost"],
];

test("only addresses of the public internet are allowed", () => {
  expect(PUBLIC.filter(isPublic)).toEqual(PUBLIC);
  expect(PRIVATE.filter(isPublic)).toEqual([]);
  expect(isPublic("::ffff:8.8.8.8")).toBe(true);
  expect(isPublic("64:ff9b::8.8.8.8")).toBe(true);
});

test("addresses of metadata services with credentials are known in every form", () => {
  const keys = ["169.254.169.254", "::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "fd00:ec2::254", "100.100.100.200"];
  expect(keys.filter(isMetadata)).toEqual(keys);
  expect(["127.0.0.1", "192.168.1.1", "::1", "8.8.8.8"].filter(isMetadata)).toEqual([]);
});

// Parsed as a browser does: the check sees the result, not the notation.
test("every notation of the host's own address is recognized", () => {
  const forms = ["2130706433", "0x7f.1", "0177.0.0.1", "127.1", "0x7f000001", "①②⑦.⓪.⓪.①", "127.0.0.1."];
  const hosts = forms.map((form) => webUrl(`http://${form}/`).hostname);
  expect(hosts.filter((host) => isPublic(host))).toEqual([]);
  expect(new Set(hosts)).toEqual(new Set(["127.0.0.1"]));
});

test("a port of another protocol is refused before there is a connection, and no permission changes that", () => {
  for (const port of [1, 22, 25, 110, 6000, 6667, 10080]) {
    const url = webUrl(`http://93.184.216.34:${port}/`);
    expect(() => needReachable(url, { allowed: [url.host], private: true })).toThrow(`port ${port} is not for the web`);
  }
  for (const port of [80, 443, 3000, 8080, 11434])
    expect(() => needReachable(webUrl(`http://93.184.216.34:${port}/`), { allowed: [], private: false })).not.toThrow();
});

test("only http and https, without a user name", () => {
  for (const url of [
    "file:///etc/passwd",
    "ftp://example.org",
    "s3://bucket/x",
    "data:text/html,x",
    "gopher://x/1",
    "x",
  ])
    expect(() => webUrl(url)).toThrow(/only http and https|not a web address/);
  expect(() => webUrl("https://user:pass@example.org/")).toThrow(/user name or password/);
  expect(webUrl("https://example.org/a#part").href).toBe("https://example.org/a");
});
