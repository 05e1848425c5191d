import { describe, expect, it } from "vitest";
import { checkOutboundUrl, isPublicAddress } from "#src/lib/outbound-url.ts";

const strict = { allowPrivate: false, allowedOrigins: ["http://127.0.0.1:9000"] };

const refused = (list: string) =>
  list
    .trim()
    .split(/\s+/u)
    .filter((url) => /^The address .+/u.test(checkOutboundUrl(url, strict) ?? ""));

describe("checkOutboundUrl", () => {
  it("lets public addresses and the allowed ones pass", () => {
    const passing = `https://example.com/hook?x=1 http://example.com:8080/ http://8.8.8.8/
      http://[2606:4700:4700::1111]/ http://localhost.example.com/ http://127.0.0.1:9000/callback`;
    expect(refused(passing)).toEqual([]);
  });

  it.each([
    ["what is no address of the web", "hello ftp://example.com/ file:///etc/passwd javascript:alert(1)"],
    ["credentials", "http://user@example.com/ https://:secret@example.com/"],
    [
      "loopback, and others than the allowed",
      "http://127.0.0.1/ http://127.0.0.1:9001/ https://127.0.0.1:9000/",
    ],
    [
      "other spellings of it",
      "http://2130706433/ http://0x7f000001/ http://0x7f.1/ http://0177.0.0.1/ http://①②⑦.0.0.1/ http://127.0.0.1./",
    ],
    [
      "private and special networks",
      `http://0.0.0.0/ http://0/ http://10.1.2.3/ http://172.16.0.1/ http://172.31.255.255/ http://192.168.1.1/
      http://100.64.0.1/ http://224.0.0.1/ http://255.255.255.255/ http://240.0.0.1/ http://198.18.0.1/ http://203.0.113.7/`,
    ],
    [
      "where clouds keep metadata",
      "http://169.254.169.254/latest/meta-data/ http://168.63.129.16/ http://[fd00:ec2::254]/",
    ],
    [
      "addresses of version 6 within which is a private one",
      `http://[::ffff:127.0.0.1]/ http://[::ffff:a00:1]/ http://[::127.0.0.1]/ http://[64:ff9b::a00:1]/
      http://[2002:a00:1::]/ http://[2001::1]/`,
    ],
    [
      "special networks of version 6",
      `http://[::1]/ http://[::]/ http://[fe80::1]/ http://[fec0::1]/ http://[ff02::1]/ http://[2001:db8::1]/
      http://[4000::1]/`,
    ],
    [
      "names of this machine and its network",
      `http://localhost/ http://LOCALHOST./ http://app.localhost:3000/ http://metadata.google.internal/
      http://printer.local/ http://intranet/`,
    ],
  ])("refuses %s: %s", (_, list) => {
    expect(refused(list)).toEqual(list.split(/\s+/u));
  });

  it("lets private addresses pass where they are allowed, and still no credentials or protocols", () => {
    const loose = { allowPrivate: true, allowedOrigins: [] };
    expect(checkOutboundUrl("http://127.0.0.1:3000/", loose)).toBeUndefined();
    expect(checkOutboundUrl("http://localhost/", loose)).toBeUndefined();
    expect(checkOutboundUrl("http://user:pw@127.0.0.1/", loose)).toBeDefined();
    expect(checkOutboundUrl("file:///etc/passwd", loose)).toBeDefined();
  });
});

it("calls no text public that is no address", () => {
  expect(isPublicAddress("example.com")).toBe(false);
  expect(isPublicAddress("")).toBe(false);
});
