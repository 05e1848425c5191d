/**
 * Builds the console and the account pages into `public/app`: `node console/build.ts`. Does nothing while its sources, those of the client and the
 * lock of the packages are those of the last build.
 */
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "vite";

const ROOT = path.join(import.meta.dirname, "..");
const OUTPUT = path.join(ROOT, "public/app");
const SOURCES = [
  "console/{index.html,account/*.html,account-frame.ts,vite.config.ts,build.ts}",
  "console/src/**/*.{ts,tsx,css}",
  "sdk/src/**/*.ts",
  "package-lock.json",
];
/** Not among the files of `public`, which are served. */
const BUILT = path.join(ROOT, "node_modules/.cache/console.sha256");

function checksum(): string {
  const hash = createHash("sha256");
  for (const file of SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).toSorted()) {
    hash
      .update(file)
      .update("\0")
      .update(readFileSync(path.join(ROOT, file)))
      .update("\0");
  }
  return hash.digest("hex");
}

const sum = checksum();
const isBuilt =
  existsSync(path.join(OUTPUT, "index.html")) && existsSync(BUILT) && readFileSync(BUILT, "utf8") === sum;
if (!isBuilt) {
  // Also where a test builds it, in whose environment it would be built for finding faults, at twice the size.
  process.env["NODE_ENV"] = "production";
  const configFile = path.join(import.meta.dirname, "vite.config.ts");
  await build({ configFile });
  // By themselves: with these entries as well, the console would come in 55 files instead of 18, which compress worse.
  const input = globSync(path.join(import.meta.dirname, "account/*.html"));
  await build({
    configFile,
    build: { emptyOutDir: false, manifest: ".vite/account.json", rolldownOptions: { input } },
  });
  mkdirSync(path.dirname(BUILT), { recursive: true });
  writeFileSync(BUILT, sum);
}
