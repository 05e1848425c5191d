import { expect, it } from "vitest";
import { fieldName } from "#src/lib/field-name.ts";

it.each([
  [["name"], "name"],
  [["items", 0, "name"], "items.0.name"],
  [["variables", "a\r\nSet-Cookie: a=b"], "variables.a Set-Cookie: a=b"],
  [["variables", "x".repeat(100_000)], `variables.${"x".repeat(60)}`],
  [["variables", "\ud800"], "variables.\ufffd"],
])("names the field of %j", (path, name) => {
  expect(fieldName(path)).toBe(name);
});
