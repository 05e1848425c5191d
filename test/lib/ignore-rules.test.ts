import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { IgnoreRules } from "#src/lib/ignore-rules.ts";
import { processorMs } from "#test/support/processor-ms.ts";

const ROOT = [
  "dist/",
  "*.log",
  "!kept.log",
  "/top",
  "docs/*.html",
  "**/cache/data",
  "a/**/z",
  "trailing   ",
  "\\#literal",
  "\\!bang",
  "*.{x,y}",
  "[Bb]uild",
].join("\n");
const BELOW = "!error.log\nlocal-*\n/here\n";

const FILES =
  `dist/a src/dist/a src/dist.txt debug.log kept.log sub/debug.log sub/error.log sub/deep/error.log
  top src/top docs/a.html docs/b/a.html x/docs/a.html x/cache/data cache/data/b a/z a/b/c/z trailing #literal !bang
  one.x one.{x,y} build/a Build sub/local-a local-a sub/here sub/deep/here`.split(/\s+/u);

it("ignores what git ignores", () => {
  const root = mkdtempSync(join(tmpdir(), "ignore-rules-"));
  try {
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    for (const path of FILES) if (!path.startsWith("Build")) write(path, "");
    write("other/Build", "");
    write(".gitignore", ROOT);
    write("sub/.gitignore", BELOW);
    const git = (...args: string[]) => spawnSync("git", ["-C", root, ...args], { encoding: "utf8" });
    git("init", "--quiet");
    const seen = git("-c", "core.quotePath=false", "ls-files", "--others", "--exclude-standard").stdout;

    const rules = new IgnoreRules();
    rules.add("", ROOT);
    rules.add("sub", BELOW);
    const isOut = (path: string) =>
      rules.ignores(path, { isDirectory: false }) || rules.hides(dirname(path).replace(/^\.$/, ""));
    const all = [".gitignore", "sub/.gitignore", "other/Build", ...FILES.filter((path) => path !== "Build")];
    expect(all.filter((path) => !isOut(path)).toSorted()).toEqual(seen.trimEnd().split("\n").toSorted());
  } finally {
    rmSync(root, { recursive: true });
  }
});

describe("rules that are made to take long", () => {
  it("are read in time, blanks in the middle of a line included", () => {
    const rules = new IgnoreRules();
    const text = `x${" ".repeat(400_000)}x\nlog  \nkept\\  `;
    expect(processorMs(() => rules.add("", text))).toBeLessThan(60_000);
    expect(rules.ignores("a/log", { isDirectory: false })).toBe(true);
    expect(rules.ignores("kept ", { isDirectory: false })).toBe(true);
    expect(rules.ignores("kept", { isDirectory: false })).toBe(false);
  });

  it("are counted, and given up for one path after so many steps", () => {
    const rules = new IgnoreRules();
    const path = Array.from({ length: 16 }, () => "a".repeat(250)).join("/");
    const rule = `**/*[${"b".repeat(55)}]`;
    rules.add("", Array.from({ length: 1_000 }, () => rule).join("\n"));
    expect(rules.ignores(path, { isDirectory: false })).toBe(false);
    const steps = rules.takeSteps();
    expect(steps).toBeGreaterThan(20_000_000);
    expect(steps).toBeLessThan(21_000_000);
    expect(rules.takeSteps()).toBe(0);
  });
});
