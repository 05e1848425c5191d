import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toBytes, toText } from "#src/domain/workspaces/files/contents.ts";

describe("contents as JSON text", () => {
  it("brings any bytes through base64 and back", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect([...toBytes(toText(bytes, "base64") ?? "", "base64")]).toEqual([...bytes]);
      }),
    );
  });

  it("brings any text through UTF-8 and back, a byte order mark included", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(toText(toBytes(`\uFEFF${text}`, "utf-8"), "utf-8")).toBe(`\uFEFF${text}`);
      }),
    );
  });

  it("recognises binary contents", () => {
    expect(toText(Uint8Array.of(0xff, 0xfe), "utf-8")).toBeUndefined();
  });

  it.each(["a", "abc", "ab=c", "a b=", "????", "YQ==="])("refuses %j as base64", (text) => {
    expect(() => toBytes(text, "base64")).toThrow("not base64");
  });

  it("refuses half of a surrogate pair, which would come back as something else", () => {
    expect(() => toBytes("\ud800", "utf-8")).toThrow("Unicode");
  });
});
