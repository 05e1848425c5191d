import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { Script } from "node:vm";
import { build, type BuildOptions } from "esbuild";

/** Both bundles have the same commands: a deployment has no `tar` and no `sqlite3`. */
const COMMON = {
  bundle: true,
  conditions: ["browser"],
  minify: true,
  logLevel: "silent",
} as const satisfies BuildOptions;

/**
 * Bundles the process that runs commands into one file, together with what V8 compiled of it, for `start-shell.cjs`: the length of
 * the source in 32 bits, the source, and V8's cache. The program is started here once, and does nothing without a parent.
 */
export async function buildShellProcess(outFile: string): Promise<void> {
  const source = await bundle({
    ...COMMON,
    entryPoints: [path.join(import.meta.dirname, "child.ts")],
    platform: "node",
    format: "cjs",
    // As ASCII, each character is one byte.
    charset: "ascii",
    banner: { js: "(function (require) {" },
    footer: { js: "})" },
  });
  const script = new Script(source);
  // V8 compiles a function when it is first called: those that a start calls shall be in the cache.
  const start: (require: NodeJS.Require) => void = script.runInThisContext();
  start(createRequire(import.meta.url));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(source.length);
  writeInOneStep(outFile, Buffer.concat([length, Buffer.from(source), script.createCachedData()]));
}

/** Bundles the isolate that runs commands into one file. */
export async function buildShellIsolate(outFile: string): Promise<void> {
  const source = await bundle({
    ...COMMON,
    entryPoints: [path.join(import.meta.dirname, "../../durable-objects/shell-isolate/index.ts")],
    platform: "browser",
    format: "esm",
    target: "esnext",
    external: ["node:*", "cloudflare:*"],
  });
  writeInOneStep(outFile, Buffer.from(source));
}

async function bundle(options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({ ...options, write: false });
  return outputFiles[0]?.text ?? "";
}

/** Replaces the file in one step, so that a program that is just starting from it sees a complete one. */
function writeInOneStep(outFile: string, content: Uint8Array): void {
  const made = `${outFile}.${process.pid}`;
  mkdirSync(path.dirname(outFile), { recursive: true });
  try {
    writeFileSync(made, content);
    renameSync(made, outFile);
  } finally {
    rmSync(made, { force: true });
  }
}
