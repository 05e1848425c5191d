import { describe, expect, it } from "vitest";
import { colliding, isOwnFolder, problemOfPath } from "#cli/sync/paths.ts";

const words = (list: string) => list.trim().split(/\s+/u);

const UNPRINTABLE = ["", "a\0b", "a\nb", "a\u001B]0;title\u0007", "a\u0085b", "\uD800", ".git /config"];
const LOOK_ALIKES = [".g\u200Cit/config", ".gi\uFEFFt/config", ".git::$INDEX_ALLOCATION/config"];
const LONG = ["a".repeat(256), "é".repeat(128), `${"a/".repeat(2048)}b`];
/** What a hostile service may name, and every one of it could write outside the folder or be run by a program. */
const HOSTILE = [
  ...words("/ /etc/passwd //server/share .. ../outside a/../../outside a/.. ./a a/./b a//b a/"),
  ...words(String.raw`\windows\system32 ..\outside a\..\..\outside C:\outside`),
  ...words(".git/hooks/post-checkout .GIT/config a/.Git/config .git .git./config git~1/config"),
  ...words(".workspace/project.json .Workspace/files.json a/.workspace/files.json"),
].concat(UNPRINTABLE, LOOK_ALIKES, LONG);
const SPACED = ["with space/and more.txt", " a", "a ", "family-👩\u200D👩\u200D👧.png", "a".repeat(255)];
const HARMLESS = words(
  "a a/b/c.txt 名前/🙂.txt .gitignore .github/workflows/x.yml .git-keep ... a..b -rf ~ $HOME con a:b",
).concat(SPACED);
const NOT_ON_WINDOWS = words("con NUL.txt a/COM1 lpt9.log a:b C:a a? a. dir./b a* COM¹").concat("a /b");

const taken = (paths: readonly string[], system: "linux" | "win32") =>
  paths.filter((path) => problemOfPath(path, system) === undefined);

describe("paths from the service", () => {
  it("are refused where they lead elsewhere, and on Windows where they name something else there", () => {
    expect(taken(HOSTILE, "linux")).toEqual([]);
    expect(taken([...HOSTILE, ...NOT_ON_WINDOWS], "win32")).toEqual([]);
    expect(taken(HARMLESS, "linux")).toEqual(HARMLESS);
  });

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
