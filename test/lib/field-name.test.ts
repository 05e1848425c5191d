import { expect, it } from "vitest";
import { fieldName } from "#src/lib/field-name.ts";

it.each([
  [["name"], "name"],
  [["items", 0, "name"], "items.0.name"],
  [["variables", "x".repeat(100_000)], `variables.${"x".repeat(60)}`],
])("names the field of %j", (path, name) => {
  expect(fieldName(path)).toBe(name);
});
