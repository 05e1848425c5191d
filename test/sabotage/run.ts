import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { nearestStages, stagesOf, type Stage } from "./stages.ts";
import { TestRun } from "./test-run.ts";

/*
 * `npm run test:sabotage [-- NAME…] [--quick] [--results FILE]`: puts one fault after the other into a copy of the tree and runs the tests
 * that could notice it, nearest first, until one fails. NAME is a part of a patch's path; without any, all patches are tried.
 * With --quick it runs the tests of the file's folder and area only, so that MISSED says nothing of all others.
 * FILE gets a line of JSON for each patch. A patch that it names already is not tried again, so a run can go on where it stopped.
 */

interface Result {
  patch: string;
  outcome: "caught" | "MISSED" | "DOES NOT APPLY";
  /** The first test that failed. */
  by: string | null;
  seconds: number;
}

/** A run that takes longer hangs. Its tests would have failed by then. */
const LONGEST_MS = 30 * 60_000;

const folder = import.meta.dirname;
const root = path.resolve(folder, "../..");
const { names, isQuick, resultsFile } = readArguments(process.argv.slice(2));
const known = resultsFile && existsSync(resultsFile) ? readResults(resultsFile) : [];
const patches = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.patch"], {
  cwd: folder,
  encoding: "utf8",
})
  .split("\n")
  .filter((patch) => patch !== "" && (names.length === 0 || names.some((name) => patch.includes(name))));
if (patches.length === 0) throw new Error("No patch has such a name");

const copy = copyOfTree();
process.chdir(copy);
const run = await TestRun.create();
const results: Result[] = [];
try {
  for (const patch of patches) {
    const before = known.find((result) => result.patch === patch);
    const result = before ?? (await tryPatch(patch));
    results.push(result);
    if (resultsFile && !before) appendFileSync(resultsFile, `${JSON.stringify(result)}\n`);
    process.stdout.write(`${lineOf(result)}\n`);
  }
} finally {
  await run.close();
  rmSync(copy, { recursive: true, force: true });
}
const unnoticed = results.filter(({ outcome }) => outcome !== "caught");
process.stdout.write(
  `\n${results.length} faults, ${unnoticed.length} not caught\n${unnoticed.map((result) => `${lineOf(result)}\n`).join("")}`,
);
process.exit(unnoticed.length === 0 ? 0 : 1);

function readArguments(given: string[]) {
  const { values, positionals } = parseArgs({
    args: given,
    allowPositionals: true,
    options: { quick: { type: "boolean", default: false }, results: { type: "string" } },
  });
  const file = values.results;
  return {
    names: positionals,
    isQuick: values.quick,
    resultsFile: file === undefined ? undefined : path.resolve(file),
  };
}

function readResults(file: string): Result[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line): Result => JSON.parse(line));
}

/** The tree as it is now, with what is not committed, in a folder of its own. Patches never touch the tree itself. */
function copyOfTree(): string {
  const to = realpathSync(mkdtempSync(path.join(tmpdir(), "sabotage-")));
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const file of files.split("\0").filter((each) => each !== "" && existsSync(path.join(root, each))))
    cpSync(path.join(root, file), path.join(to, file), { verbatimSymlinks: true });
  symlinkSync(path.join(root, "node_modules"), path.join(to, "node_modules"));
  return to;
}

async function tryPatch(patch: string): Promise<Result> {
  const begun = Date.now();
  const ended = (outcome: Result["outcome"], by: string | null = null): Result => ({
    patch,
    outcome,
    by,
    seconds: Math.round((Date.now() - begun) / 1000),
  });
  const file = /^\+\+\+ b\/(.+)$/mu.exec(readFileSync(path.join(folder, patch), "utf8"))?.[1];
  if (file === undefined) return ended("DOES NOT APPLY");
  const stages = isQuick ? nearestStages(file) : stagesOf(file, await run.testsThatLoad(file));
  if (!apply(patch)) return ended("DOES NOT APPLY");
  run.changed(file);
  process.stderr.write(`${patch}: ${stages.map(({ tests }) => tests.length).join(" + ")} test files\n`);
  const failed = await firstFailure(stages).finally(() => {
    if (!apply(patch, "--reverse")) throw new Error(`${patch} could not be taken back`);
    run.changed(file);
  });
  return failed === undefined ? ended("MISSED") : ended("caught", failed);
}

async function firstFailure(stages: readonly Stage[]): Promise<string | undefined> {
  for (const stage of stages) {
    const failed = await failureIn(stage);
    if (failed !== undefined) return failed;
  }
  return undefined;
}

function apply(patch: string, ...options: string[]): boolean {
  // Above the copy there may be a repository, of which git would take it for a part.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: path.dirname(copy) };
  const { status } = spawnSync("git", ["apply", ...options, path.join(folder, patch)], { cwd: copy, env });
  return status === 0;
}

/** The first test that fails, and fails again: on a busy machine a test may fail for want of time, and a worker may not end. */
async function failureIn({ tests, startsService }: Stage): Promise<string | undefined> {
  const failureOf = async (some: readonly string[]) =>
    startsService ? failureOfAnotherRun(some) : await run.firstFailure(some);
  let outside = 0;
  for (let rest = tests; rest.length > 0;) {
    const failed = await failureOf(rest);
    if (failed === undefined) return undefined;
    const again = rest.filter((test) => failed.startsWith(`${test} `));
    if (again.length === 0) {
      outside += 1;
      if (outside > 1) return failed;
      continue;
    }
    if ((await failureOf(again)) !== undefined) return failed;
    rest = rest.filter((test) => !again.includes(test));
  }
  return undefined;
}

function failureOfAnotherRun(tests: readonly string[]): string | undefined {
  const { stdout, error } = spawnSync(process.execPath, [path.join(folder, "run-tests.ts"), ...tests], {
    cwd: copy,
    encoding: "utf8",
    timeout: LONGEST_MS,
    maxBuffer: 256 * 1024 * 1024,
    stdio: ["ignore", "pipe", "ignore"],
  });
  if (error) return `the tests did not end: ${error.message}`;
  const answer: { failed: string | null } = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  return answer.failed ?? undefined;
}

function lineOf({ patch, outcome, by, seconds }: Result): string {
  return `${outcome.padEnd(14)} ${String(seconds).padStart(5)} s  ${patch}${by === null ? "" : `  ${by}`}`;
}
