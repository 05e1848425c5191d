// Runs the layer rules and refuses to pass vacuously: an unreadable tree (say, an unsupported TypeScript) is a failure.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { MAY_START_SERVICES, STARTS_SERVICES } from "./own-services.mjs";

const roots = [
  "src",
  "functions",
  "durable-objects",
  "local",
  "stand-ins",
  "hosts",
  "workspace-server",
  "sandbox",
  "bench",
  "sdk/src",
  "cli",
  "console",
  "test",
];
const { stdout } = spawnSync(
  "depcruise",
  ["--config", ".dependency-cruiser.mjs", "--output-type", "json", ...roots],
  { encoding: "utf8", maxBuffer: 1e9 },
);
const { modules, summary } = JSON.parse(stdout);
const read = new Set(modules.map(({ source }) => source));
const unread = roots
  .flatMap((root) => globSync(`${root}/**/*.{ts,tsx}`, { exclude: ["**/node_modules", "**/dist"] }))
  .filter((file) => !read.has(file));

const starters = modules.filter(({ dependencies }) =>
  dependencies.some(
    ({ resolved, dependencyTypes }) =>
      new RegExp(STARTS_SERVICES, "u").test(resolved) && !dependencyTypes.includes("type-only"),
  ),
);
const stale = MAY_START_SERVICES.filter(
  (path) => !starters.some(({ source }) => new RegExp(path, "u").test(source)),
);

for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} -> ${to}`);
if (unread.length > 0) console.error(`not analysed: ${unread.length} files, first ${unread[0]}`);
for (const path of stale) console.error(`own-services.mjs: no file ${path} starts a service`);
process.exitCode = summary.error > 0 || unread.length > 0 || stale.length > 0 ? 1 : 0;
