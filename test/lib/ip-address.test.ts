import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { networkOf, readAddress } from "#src/lib/ip-address.ts";

describe("an address", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["203.0.113.7:49152", "203.0.113.7"],
    ["2001:DB8:0:0:0:0:0:7", "2001:db8::7"],
    ["[2001:db8::7]:443", "2001:db8::7"],
    ["[::ffff:203.0.113.7]:443", "203.0.113.7"],
    ["fe80::1%eth0", "fe80::1"],
  ])("%j is read as %s", (text, address) => {
    expect(readAddress(text)).toBe(address);
  });

  it("is not what only looks like one", () => {
    const words = `unknown _hidden localhost 203.0.113 203.0.113.256 203.0.113.07 0x7f000001 2130706433
      [203.0.113.7 2001:db8::7::1`;
    const others = ["", "203.0.113.7, 203.0.113.8", "1".repeat(10_000), "\u0000"];
    expect([...words.split(/\s+/u), ...others].flatMap((text) => readAddress(text) ?? [])).toEqual([]);
  });

  it("is the same when read again, whatever was written", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), (text) => {
        const address = readAddress(text);
        expect(address === undefined ? undefined : readAddress(address)).toBe(address);
      }),
    );
  });
});

describe("a network", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["::1", "::/64"],
    ["unknown", "unknown"],
  ])("of %s is %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
