import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";

const KILLS = 6;
const dataDir = mkdtempSync(path.join(tmpdir(), "neon-restart-"));
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
  it("loses nothing that it acknowledged, however often it is killed", async () => {
    let kept: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const run = await insertAndDie(10 + Math.floor(Math.random() * 200));
      expect(run.kept.length, "inserts of this run").toBeGreaterThan(0);
      expect(run.found).toEqual(expect.arrayContaining(kept));
      kept = [...kept, ...run.kept];
    }
  });
});
