import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalizeDirectory, normalizePath, normalizePathIn } from "#src/lib/project-path.ts";
import { AppError } from "#src/lib/errors.ts";
import { anyText } from "#test/support/any-text.ts";

const refusalOf = (path: string) => {
  try {
    return normalizePath(path);
  } catch (error) {
    return error;
  }
};

const staysInside = (normal: unknown) => {
  if (typeof normal !== "string") return normal instanceof AppError && normal.code === "invalid_input";
  const names = normal.split("/");
  const address = new URL(`file:///project/${names.map(encodeURIComponent).join("/")}`).pathname;
  return (
    address.startsWith("/project/") &&
    !names.some((name) => ["", ".", ".."].includes(name)) &&
    !normal.replaceAll("\\", "/").split("/").includes("..") &&
    !normal.includes("\0")
  );
};

describe("normalizePath", () => {
  it.each([
    ["src/app.ts", "src/app.ts"],
    ["./x", "x"],
    ["   ", "   "],
    [" /spaced / name", " /spaced / name"],
    ["line\nbreak\t", "line\nbreak\t"],
    ["a//b/./c/", "a/b/c"],
    ["foo..bar", "foo..bar"],
    ["名前/🙂", "名前/🙂"],
    ["back\\slash", "back\\slash"],
  ])("takes %j as %j", (path, expected) => {
    expect(normalizePath(path)).toBe(expected);
  });

  it.each([
    ["./", "empty"],
    ["a\0b", "NUL"],
    ["a/../b", "traversal"],
    ["a\\..\\b", "traversal"],
    ["/etc/passwd", "absolute"],
    ["\\x", "absolute"],
    ["\ud800", "Unicode"],
    ["é".repeat(128), "longer than 255"],
    ["ab/".repeat(2000), "longer than 4096"],
  ])("refuses %j with 400: %s", (path, word) => {
    const refusal = refusalOf(path);
    expect(refusal).toMatchObject({ code: "invalid_input", status: 400 });
    expect(String(refusal)).toContain(word);
  });

  const awkward = fc.oneof(
    anyText(),
    fc
      .array(fc.constantFrom("..", ".", "", "a", "b c", "\\", "/", "\0", "é", "..."), { maxLength: 8 })
      .map((parts) => parts.join("/")),
  );

  it("refuses with the name of the fault, or returns a path that stays in the project", () => {
    expect(() =>
      fc.assert(
        fc.property(awkward, (path) => staysInside(refusalOf(path))),
        { numRuns: 2000 },
      ),
    ).not.toThrow();
  });

  it("changes nothing the second time", () => {
    const settled = awkward.map(refusalOf).filter((normal) => typeof normal === "string");
    expect(() => fc.assert(fc.property(settled, (normal) => normalizePath(normal) === normal))).not.toThrow();
  });
});

it("a directory that is not named is the root, and a path in one stays below it", () => {
  expect([undefined, "", ".", "./"].map((path) => normalizeDirectory(path))).toEqual(["", "", "", ""]);
  expect(normalizePathIn("./app/", "src/x")).toBe("app/src/x");
  expect(normalizePathIn(undefined, "src/x")).toBe("src/x");
  expect(() => normalizePathIn("app", "../x")).toThrow("traversal");
  expect(() => normalizePathIn("../app", "x")).toThrow("traversal");
  expect(() => normalizePathIn("app", "/x")).toThrow("absolute");
});
