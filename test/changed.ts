import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { isOfService, journeysOf, OVER_EVERYTHING, WHOLE_WAY } from "./support/tests-of-files.ts";

/*
 * `npm run test:changed [-- COMMIT]`: the tests that what changed since the commit (default: the last one) could break. Those
 * that load a changed file, as Vitest knows it, but for tests over everything, which run when they were changed; and the
 * journeys of its area.
 */
const git = (...args: string[]): string[] =>
  execFileSync("git", args, { encoding: "utf8" }).split("\n").filter(Boolean);

const base = process.argv[2] ?? "HEAD";
const changed = [
  ...git("diff", "--name-only", base),
  ...git("ls-files", "--others", "--exclude-standard"),
].filter((file) => /\.tsx?$/u.test(file) && existsSync(file));

if (changed.length === 0) {
  process.stdout.write(`Nothing that tests look at changed since ${base}.\n`);
} else {
  const untouched = OVER_EVERYTHING.filter(
    (folder) => !changed.some((file) => file.startsWith(`test/${folder}/`)),
  );
  const excluded = untouched.map((folder) => `--exclude=test/${folder}/**`);
  const files = new Set([
    ...changed,
    ...journeysOf(changed),
    ...(changed.some(isOfService) ? [WHOLE_WAY] : []),
  ]);
  const { status } = spawnSync(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "related", "--run", "--passWithNoTests", ...excluded, ...files],
    { stdio: "inherit" },
  );
  process.exitCode = status ?? 1;
}
