import { describe, expect, it } from "vitest";
import { checkOutboundUrl, isPublicAddress } from "#src/lib/outbound-url.ts";

const strict = { allowPrivate: false, allowedOrigins: ["http://127.0.0.1:9000"] };

describe("checkOutboundUrl", () => {
  it.each([
    "https://example.com/hook?x=1",
    "http://example.com:8080/",
    "http://8.8.8.8/",
    "http://[2606:4700:4700::1111]/",
    "http://localhost.example.com/",
    "http://127.0.0.1:9000/callback",
  ])("lets %s pass", (url) => {
    expect(checkOutboundUrl(url, strict)).toBeUndefined();
  });

  it.each([
    ["no address", "hello"],
    ["another protocol", "ftp://example.com/"],
    ["a file", "file:///etc/passwd"],
    ["script", "javascript:alert(1)"],
    ["a user name", "http://user@example.com/"],
    ["a password", "https://:secret@example.com/"],
    ["loopback", "http://127.0.0.1/"],
    ["another port than the allowed", "http://127.0.0.1:9001/"],
    ["another scheme than the allowed", "https://127.0.0.1:9000/"],
    ["a decimal address", "http://2130706433/"],
    ["a hex address", "http://0x7f000001/"],
    ["a short hex address", "http://0x7f.1/"],
    ["an octal address", "http://0177.0.0.1/"],
    ["full-width digits", "http://①②⑦.0.0.1/"],
    ["a final dot after an address", "http://127.0.0.1./"],
    ["everything", "http://0.0.0.0/"],
    ["zero", "http://0/"],
    ["ten", "http://10.1.2.3/"],
    ["172.16", "http://172.16.0.1/"],
    ["172.31", "http://172.31.255.255/"],
    ["192.168", "http://192.168.1.1/"],
    ["carrier-grade NAT", "http://100.64.0.1/"],
    ["link-local, where clouds keep metadata", "http://169.254.169.254/latest/meta-data/"],
    ["Azure's host", "http://168.63.129.16/"],
    ["multicast", "http://224.0.0.1/"],
    ["broadcast", "http://255.255.255.255/"],
    ["reserved", "http://240.0.0.1/"],
    ["benchmarking", "http://198.18.0.1/"],
    ["documentation", "http://203.0.113.7/"],
    ["loopback v6", "http://[::1]/"],
    ["everything v6", "http://[::]/"],
    ["v4-mapped loopback", "http://[::ffff:127.0.0.1]/"],
    ["v4-mapped private, in hex", "http://[::ffff:a00:1]/"],
    ["v4-compatible loopback", "http://[::127.0.0.1]/"],
    ["NAT64 of a private address", "http://[64:ff9b::a00:1]/"],
    ["6to4 of a private address", "http://[2002:a00:1::]/"],
    ["Teredo", "http://[2001::1]/"],
    ["unique local", "http://[fd00:ec2::254]/"],
    ["link-local v6", "http://[fe80::1]/"],
    ["site-local", "http://[fec0::1]/"],
    ["multicast v6", "http://[ff02::1]/"],
    ["documentation v6", "http://[2001:db8::1]/"],
    ["unassigned v6", "http://[4000::1]/"],
    ["localhost", "http://localhost/"],
    ["localhost in capitals with a dot", "http://LOCALHOST./"],
    ["below localhost", "http://app.localhost:3000/"],
    ["a metadata name", "http://metadata.google.internal/"],
    ["a multicast DNS name", "http://printer.local/"],
    ["a name of the local network", "http://intranet/"],
  ])("refuses %s: %s", (_, url) => {
    expect(checkOutboundUrl(url, strict)).toMatch(/^The address .+/u);
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
