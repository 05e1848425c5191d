/** Builds the command line into one file that runs without any package. */
import { chmod } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";

/** Writes the program to a file, whose name ends in `.cjs`. */
export async function buildCommandLine(outfile: string): Promise<void> {
  await build({
    absWorkingDir: import.meta.dirname,
    entryPoints: ["src/main.ts"],
    outfile,
    bundle: true,
    platform: "node",
    // As CommonJS, what a command needs is loaded with it: imports of a module would all be loaded before it runs.
    format: "cjs",
    target: "node20.12",
    minify: true,
    conditions: ["workspace-source"],
    banner: { js: "#!/usr/bin/env node" },
  });
  await chmod(outfile, 0o755);
}

if (import.meta.main) await buildCommandLine(path.join(import.meta.dirname, "dist/workspace.cjs"));
