import * as fc from "fast-check";
import { expect, it } from "vitest";
import { slugOf } from "#src/lib/slug.ts";
import { anyText } from "#test/support/any-text.ts";

it.each([
  ["My First App", /^my-first-app-[0-9a-z]{6}$/u],
  ["日本語", /^project-[0-9a-z]{6}$/u],
  [`${"a".repeat(49)} b`, /^a{49}-[0-9a-z]{6}$/u],
])("makes of %j an address", (name, expected) => {
  expect(slugOf(name, "project")).toMatch(expected);
});

it("makes of any name something that fits an address", () => {
  fc.assert(
    fc.property(anyText(), (name) => {
      expect(slugOf(name, "project")).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/u);
      expect(slugOf(name, "project").length).toBeLessThanOrEqual(57);
    }),
  );
});
