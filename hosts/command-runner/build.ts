import { mkdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { build, type BuildOptions } from "esbuild";

/** Both bundles have the same commands: a deployment has no `tar` and no `sqlite3`. */
const COMMON = {
  bundle: true,
  format: "esm",
  conditions: ["browser"],
  minify: true,
  logLevel: "silent",
} as const satisfies BuildOptions;

/** Bundles the process that runs commands into one file. */
export function buildShellProcess(outFile: string): Promise<void> {
  return buildInOneStep(outFile, {
    ...COMMON,
    entryPoints: [path.join(import.meta.dirname, "child.ts")],
    platform: "node",
    banner: {
      js: 'import { createRequire } from "node:module";const require=createRequire(import.meta.url);',
    },
  });
}

/** Bundles the isolate that runs commands into one file. */
export function buildShellIsolate(outFile: string): Promise<void> {
  return buildInOneStep(outFile, {
    ...COMMON,
    entryPoints: [path.join(import.meta.dirname, "../../durable-objects/shell-isolate/index.ts")],
    platform: "browser",
    target: "esnext",
    external: ["node:*", "cloudflare:*"],
  });
}

/** Replaces the file in one step, so that a program that is just starting from it sees a complete one. */
async function buildInOneStep(outFile: string, options: BuildOptions): Promise<void> {
  const made = `${outFile}.${process.pid}.mjs`;
  mkdirSync(path.dirname(outFile), { recursive: true });
  try {
    await build({ ...options, outfile: made });
    renameSync(made, outFile);
  } finally {
    rmSync(made, { force: true });
  }
}
