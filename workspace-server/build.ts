import { mkdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { build, type Plugin } from "esbuild";

/** Oldest supported Node version: a sandbox may have another one than the service. */
const TARGET = "node20";

/**
 * Replaces imports of `node:http` by `require`: an ES module import reads all exports, and reading `WebSocket` loads
 * Node's whole HTTP client, a third of the server's start time.
 */
const httpByRequire: Plugin = {
  name: "http-by-require",
  setup(bundler) {
    const namespace = "required";
    bundler.onResolve({ filter: /^node:http$/ }, (asked) =>
      asked.namespace === namespace ? { path: asked.path, external: true } : { path: asked.path, namespace },
    );
    bundler.onLoad({ filter: /.*/, namespace }, ({ path: name }) => ({
      contents: `module.exports = require(${JSON.stringify(name)});`,
    }));
  },
};

/**
 * Bundles the workspace server into one file that needs only Node. It takes a quarter of a second, so it is built each
 * time; the file is replaced in one step, so that a program that is just starting from it sees a complete one.
 */
export async function buildWorkspaceServer(outFile: string): Promise<void> {
  const made = `${outFile}.${process.pid}.mjs`;
  mkdirSync(path.dirname(outFile), { recursive: true });
  try {
    await build({
      entryPoints: [path.join(import.meta.dirname, "main.ts")],
      outfile: made,
      bundle: true,
      platform: "node",
      format: "esm",
      target: TARGET,
      logLevel: "silent",
      plugins: [httpByRequire],
      // CommonJS packages need `require`, which an ES module does not have.
      banner: {
        js: 'import { createRequire } from "node:module";const require=createRequire(import.meta.url);',
      },
    });
    renameSync(made, outFile);
  } finally {
    rmSync(made, { force: true });
  }
}
