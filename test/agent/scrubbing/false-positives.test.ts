import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { KnownSecrets, scrubText } from "#src/agent/scrubbing/scrub.ts";
import { seeded } from "#test/support/random.ts";
import { HEX, randomText } from "./random-text.ts";

const nothing = new KnownSecrets([]);
const random = seeded(13);
const hash = (length: number) => randomText(random, HEX, length);
/** A UUID, the same in every run. */
const identifier = () =>
  `${hash(8)}-${hash(4)}-4${hash(3)}-${randomText(random, "89ab", 1)}${hash(3)}-${hash(12)}`;
const filesAt = (pattern: string, count = 1000) =>
  globSync(pattern)
    .toSorted()
    .slice(0, count)
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");

/** Text as tools show it all day, and how often at most something in it is taken for a secret that is none. */
const materials: [string, () => string, number][] = [
  ["a lock file", () => readFileSync("package-lock.json", "utf8"), 0],
  ["minified programs", () => filesAt("node_modules/**/*.min.js", 5), 0],
  ["bundled programs", () => filesAt("node_modules/{zod,hono,jose,drizzle-orm}/**/*.js", 60), 1],
  ["declarations", () => filesAt("node_modules/{typescript/lib/lib.*,hono/**/*,openai/**/*}.d.ts", 60), 1],
  ["the source of this service", () => filesAt("{src,functions,durable-objects,local}/**/*.ts", 200), 8],
  ["its documents", () => filesAt("{README,AGENTS,docs/**/*}.md"), 4],
  ["readme files of packages", () => filesAt("node_modules/*/README.md", 120), 29],
  ["descriptions of packages", () => filesAt("node_modules/*/package.json"), 0],
  ["source maps", () => filesAt("node_modules/*/dist/*.map", 40), 0],
  [
    "a log of git",
    () =>
      Array.from(
        { length: 1500 },
        () => `commit ${hash(40)}\nMerge: ${hash(7)} ${hash(8)}\nindex ${hash(10)}..${hash(10)} 100644\n`,
      ).join("\n"),
    0,
  ],
  [
    "lists of identifiers",
    () => Array.from({ length: 1500 }, () => `${identifier()} sha256:${hash(64)} ${hash(32)}`).join("\n"),
    0,
  ],
  ["a listing of files", () => globSync("node_modules/{hono,zod,openai,vue,effect}/**/*").join("\n"), 0],
];

describe("in real material, hardly anything is taken for a secret:", () => {
  it.each(materials)("%s", (_, read, most) => {
    const text = read();
    expect(text.length).toBeGreaterThan(20_000);
    const shown = scrubText(text, nothing);
    const found = shown.split("«secret»").length - 1 - (text.split("«secret»").length - 1);
    expect(found).toBeLessThanOrEqual(most);
  });
});
