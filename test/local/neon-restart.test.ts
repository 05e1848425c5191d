import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, inject, it } from "vitest";
import { newDataDir } from "#test/support/data-dir.ts";
import { seeded } from "#test/support/random.ts";

/** `CRASH_KILLS=25` for a long run; `FUZZ_SEED` repeats one, as far as the moments of the kills go. */
const KILLS = Number(process.env["CRASH_KILLS"] ?? 4);
/** Of one start and its inserts, on the busiest machine. */
const ENOUGH_MS = 120_000;
const dataDir = newDataDir();
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** Runs the inserting process and kills it once it has made this many inserts. */
async function insertAndDie(inserts: number): Promise<{ found: number[]; kept: number[] }> {
  const program = path.join(import.meta.dirname, "support/insert-process.ts");
  const child = spawn(process.execPath, [program, dataDir], { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += String(chunk);
    if (output.split("\n").length > inserts + 1) child.kill("SIGKILL");
  });
  await closed;
  const numbers = (pattern: RegExp) => [...output.matchAll(pattern)].map((match) => Number(match[1]));
  const found = /^found (.*)$/mu.exec(output)?.[1] ?? "";
  return { found: found === "" ? [] : found.split(",").map(Number), kept: numbers(/^kept (\d+)$/gmu) };
}

describe("the embedded PostgreSQL", () => {
  it(
    "loses nothing that it acknowledged, however often it is killed",
    { timeout: KILLS * ENOUGH_MS },
    async () => {
      const random = seeded(inject("fuzzSeed"));
      let kept: number[] = [];
      for (let kill = 0; kill < KILLS; kill += 1) {
        const run = await insertAndDie(random.between(10, 210));
        expect(run.kept.length, "inserts of this run").toBeGreaterThan(0);
        expect(run.found).toEqual(expect.arrayContaining(kept));
        kept = [...kept, ...run.kept];
      }
    },
  );
});
