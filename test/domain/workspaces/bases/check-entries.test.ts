import { expect, it } from "vitest";
import { staysInside } from "#src/domain/workspaces/bases/check-entries.ts";

it.each([
  ["link", "file", true],
  ["folder/link", "../file", true],
  ["folder/inner/link", "../../file", true],
  ["folder/link", "./inner/file", true],
  ["link", "../file", false],
  ["folder/link", "../../file", false],
  ["folder/inner/link", "../../../file", false],
  ["folder/link", "inner/../../../file", false],
  ["folder/link", "inner/../file", false],
  ["link", "/etc/passwd", false],
  ["link", "", false],
])("a link at %s to %s stays inside its archive: %s", (path, target, stays) => {
  expect(staysInside(path, target)).toBe(stays);
});
