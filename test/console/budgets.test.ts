import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const OUTPUT = path.join(import.meta.dirname, "../../public/app");
const KIBIBYTE = 1024;

const manifestSchema = z.record(
  z.string(),
  z.object({
    file: z.string(),
    imports: z.array(z.string()).default([]),
    css: z.array(z.string()).default([]),
    isDynamicEntry: z.boolean().default(false),
  }),
);
const manifestOf = (name: string) =>
  manifestSchema.parse(JSON.parse(readFileSync(path.join(OUTPUT, `.vite/${name}.json`), "utf8")));
const manifest = manifestOf("manifest");
const accountPages = manifestOf("account");

/** The parts of the build that a browser loads for one of them: it, and what it imports at once. */
function loadedBy(name: string, build = manifest, seen = new Set<string>()): Set<string> {
  if (!seen.has(name)) {
    seen.add(name);
    for (const each of build[name]?.imports ?? []) loadedBy(each, build, seen);
  }
  return seen;
}

/** The size of files of the build, compressed as a browser gets them. */
function compressed(files: Iterable<string>): number {
  return [...files].reduce((sum, file) => sum + gzipSync(readFileSync(path.join(OUTPUT, file))).length, 0);
}

function scripts(parts: Iterable<string>, build = manifest): number {
  return compressed([...parts].map((part) => build[part]?.file ?? ""));
}

/** What is loaded when it is first needed, with the most KiB of scripts that it adds to a page. */
const LARGE = [
  ["editor", 190],
  ["terminal", 100],
  ["plots", 30],
] as const;

const frame = loadedBy("index.html");
const later = Object.keys(manifest).filter((name) => manifest[name]?.isDynamicEntry);
const isLarge = (name: string) => LARGE.some(([folder]) => name.startsWith(`src/${folder}/`));

describe("the first load of the console", () => {
  const pages = later.filter((name) => name.startsWith("src/pages/"));

  it.each(["index.html", ...pages])("has at most 150 KiB of scripts: %s", (name) => {
    expect(scripts(new Set([...frame, ...loadedBy(name)]))).toBeLessThanOrEqual(150 * KIBIBYTE);
  });

  it("has at most 90 KiB of scripts around every page", () => {
    expect(scripts(frame)).toBeLessThanOrEqual(90 * KIBIBYTE);
  });

  it("has at most 20 KiB of styles", () => {
    const styles = readdirSync(path.join(OUTPUT, "assets")).filter((name) => name.endsWith(".css"));
    expect(styles).not.toEqual([]);
    expect(compressed(styles.map((name) => `assets/${name}`))).toBeLessThanOrEqual(20 * KIBIBYTE);
  });
});

describe("an account page", () => {
  const pages = Object.keys(accountPages).filter((name) => name.endsWith(".html"));

  it.each(pages)("has at most 40 KiB of scripts, and 5 KiB of styles: %s", (name) => {
    const parts = loadedBy(name, accountPages);
    expect(scripts(parts, accountPages)).toBeLessThanOrEqual(40 * KIBIBYTE);
    const styles = new Set([...parts].flatMap((part) => accountPages[part]?.css ?? []));
    expect(styles.size).toBe(1);
    expect(compressed(styles)).toBeLessThanOrEqual(5 * KIBIBYTE);
  });
});

describe("what a page loads when it is needed", () => {
  it.each(LARGE)("the %s has at most %i KiB of scripts", (folder, limit) => {
    const own = later.filter((name) => name.startsWith(`src/${folder}/`));
    expect(own).not.toEqual([]);
    const added = [...new Set(own.flatMap((name) => [...loadedBy(name)]))].filter((name) => !frame.has(name));
    expect(scripts(added)).toBeLessThanOrEqual(limit * KIBIBYTE);
  });

  it("is small, but for what is named here", () => {
    // Languages of the editor come one by one, when a file of theirs is opened.
    const others = later.filter((name) => !isLarge(name) && !name.includes("node_modules"));
    const sizes = others.map((name) => scripts([...loadedBy(name)].filter((each) => !frame.has(each))));
    expect(others.filter((_, index) => (sizes[index] ?? 0) > 90 * KIBIBYTE)).toEqual([]);
  });
});
