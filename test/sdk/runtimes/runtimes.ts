import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { z } from "zod";
import { CHROMIUM, startChromium } from "#test/support/chromium.ts";
import type { Settings } from "./program.ts";

/** What failed in each case; null where nothing did. */
const Outcomes = z.record(z.string(), z.string().nullable());
export type Outcomes = z.output<typeof Outcomes>;

/** Runs the program of `program.ts` in a runtime. */
export interface Runtime {
  name: string;
  /** Why it cannot run here. */
  missing?: string | undefined;
  run: (settings: Settings, folder: string) => Promise<Outcomes>;
}

const PROGRAM = path.join(import.meta.dirname, "program.ts");

const REQUIRE =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/** Bundles a file that calls `runCases`. Returns its text. */
async function bundled(code: string, format: "esm" | "iife", platform: "neutral" | "node"): Promise<string> {
  const isNode = platform === "node";
  const { outputFiles } = await build({
    stdin: { contents: code, loader: "ts", resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format,
    platform,
    mainFields: ["module", "main"],
    target: "es2022",
    conditions: ["workspace-source"],
    // The package `ws` is CommonJS and calls `require` for Node's own modules.
    ...(isNode && { banner: { js: REQUIRE } }),
  });
  return outputFiles[0]?.text ?? "";
}

/** A program that is started with a file, and gets its settings on standard input. */
function command(name: string, program: string | undefined, args: readonly string[], setUp = ""): Runtime {
  return {
    name,
    missing: program === undefined ? `${name} is not installed` : undefined,
    async run(settings, folder) {
      if (program === undefined) throw new Error(`${name} is not installed`);
      const file = path.join(folder, "program.mjs");
      const code = `import { runCases } from ${JSON.stringify(PROGRAM)};
import { text } from "node:stream/consumers";
${setUp}
const outcomes = await runCases(JSON.parse(await text(process.stdin)));
process.stdout.write(JSON.stringify(outcomes), () => process.exit());`;
      writeFileSync(file, await bundled(code, "esm", "node"));
      const child = spawn(program, [...args, file], { stdio: ["pipe", "pipe", "inherit"] });
      child.stdin.end(JSON.stringify(settings));
      return Outcomes.parse(JSON.parse(await text(child.stdout)));
    },
  };
}

/** The first program of PATH with this name that has this major version. */
function nodeOf(major: number): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  return folders
    .map((folder) => path.join(folder, "node"))
    .find((file) => spawnSync(file, ["--version"], { encoding: "utf8" }).stdout?.startsWith(`v${major}.`));
}

const chromium: Runtime = {
  name: "Chromium",
  missing: CHROMIUM === undefined ? "there is no Chromium" : undefined,
  async run(settings) {
    const browser = await startChromium();
    try {
      const tab = await browser.newTab();
      await tab.go(`${settings.url}/login`);
      const code = `import { runCases } from ${JSON.stringify(PROGRAM)};
Object.assign(globalThis, { runCases });`;
      await tab.read(await bundled(code, "iife", "neutral"));
      return Outcomes.parse(await tab.read(`runCases(${JSON.stringify(settings)})`));
    } finally {
      await browser.close();
    }
  },
};

const workerd: Runtime = {
  name: "workerd",
  async run(settings) {
    const code = `import { runCases } from ${JSON.stringify(PROGRAM)};
export default { async fetch(request) { return Response.json(await runCases(await request.json())); } };`;
    const contents = await bundled(code, "esm", "neutral");
    const worker = new Miniflare(
      convertV4MiniflareOptions({
        cf: false,
        telemetry: { enabled: false },
        workers: [
          {
            name: "program",
            modules: [{ type: "ESModule", path: "program.js", contents }],
            compatibilityDate: "2026-11-01",
          },
        ],
      }),
    );
    try {
      const answer = await worker.dispatchFetch("http://program", {
        method: "POST",
        body: JSON.stringify(settings),
      });
      return Outcomes.parse(await answer.json());
    } finally {
      await worker.dispose();
    }
  },
};

/** Node 20 has no WebSocket of its own. */
const WITH_WS = `import WebSocket from "ws"; globalThis.WebSocket ??= WebSocket;`;

/** Where every case is run in each run of the suite; and, with SDK_RUNTIMES=all, where else: `npm install --global deno bun`. */
export const RUNTIMES: readonly Runtime[] = [
  command("Node 20", nodeOf(20), [], WITH_WS),
  command("Node 24", nodeOf(24), []),
  chromium,
  workerd,
  ...(process.env["SDK_RUNTIMES"] === "all"
    ? [command("Deno", "deno", ["run", "--allow-net", "--allow-env"]), command("Bun", "bun", ["run"])]
    : []),
];
