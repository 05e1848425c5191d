import { describe, expect, it } from "vitest";
import { colliding, isOwnFolder, problemOfPath } from "#cli/sync/paths.ts";

/** What a hostile service may name, and every one of it could write outside the folder or be run by a program. */
const HOSTILE = [
  "",
  "/",
  "/etc/passwd",
  "//server/share",
  "..",
  "../outside",
  "a/../../outside",
  "a/..",
  "./a",
  "a/./b",
  "a//b",
  "a/",
  "\\windows\\system32",
  "..\\outside",
  "a\\..\\..\\outside",
  "C:\\outside",
  "a\0b",
  "a\nb",
  "a\u001B]0;title\u0007",
  "a\u0085b",
  "\uD800",
  ".git/hooks/post-checkout",
  ".GIT/config",
  "a/.Git/config",
  ".git",
  ".git./config",
  ".git /config",
  ".g\u200Cit/config",
  ".gi\uFEFFt/config",
  "git~1/config",
  ".git::$INDEX_ALLOCATION/config",
  ".workspace/project.json",
  ".Workspace/files.json",
  "a/.workspace/files.json",
  "a".repeat(256),
  "é".repeat(128),
  `${"a/".repeat(2048)}b`,
];

const HARMLESS = [
  "a",
  "a/b/c.txt",
  "名前/🙂.txt",
  "with space/and more.txt",
  " a",
  "a ",
  ".gitignore",
  ".github/workflows/x.yml",
  ".git-keep",
  "...",
  "a..b",
  "-rf",
  "~",
  "$HOME",
  "con",
  "a:b",
  "family-👩\u200D👩\u200D👧.png",
  "a".repeat(255),
];

describe("paths from the service", () => {
  it.each(HOSTILE)("are refused: %j", (path) => {
    expect(problemOfPath(path, "linux")).toEqual(expect.any(String));
    expect(problemOfPath(path, "win32")).toEqual(expect.any(String));
  });

  it.each(HARMLESS)("are taken: %j", (path) => {
    expect(problemOfPath(path, "linux")).toBeUndefined();
  });

  it.each(["con", "NUL.txt", "a/COM1", "lpt9.log", "a:b", "C:a", "a?", "a.", "dir./b", "a /b", "a*", "COM¹"])(
    "are refused on Windows: %j",
    (path) => {
      expect(problemOfPath(path, "win32")).toEqual(expect.any(String));
    },
  );

  it("name the folders of git and of this program, however they are written", () => {
    expect([".git", ".GIT", ".git.", ".git  ", ".workspace", "GIT~1"].every(isOwnFolder)).toBe(true);
    expect([".gitignore", "git", "workspace", ".github"].some(isOwnFolder)).toBe(false);
  });

  it("collide where a file system ignores case or composition", () => {
    expect(colliding(["a", "b/C", "B/c", "café", "cafe\u0301", "d"])).toEqual(
      new Set(["b/C", "B/c", "café", "cafe\u0301"]),
    );
  });
});
