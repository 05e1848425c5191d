import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { fingerprintInputs } from "#local/fingerprint.ts";
import { StartError } from "#local/start-error.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";

/** Bindings, flags and crons of wrangler.toml, as Miniflare expects them; these two are also read here. */
const WranglerOptions = z.looseObject({
  bindings: z.record(z.string(), z.json()),
  cronTriggers: z.array(z.string()).default([]),
  // The build's modules are listed one by one, so rules for finding them are not needed.
  modulesRules: z
    .unknown()
    .optional()
    .transform(() => undefined),
});

type ModuleType = "ESModule" | "CompiledWasm" | "Text" | "Data";

/** Wrangler's default module rules. */
const MODULE_TYPES: Readonly<Record<string, ModuleType>> = {
  ".js": "ESModule",
  ".mjs": "ESModule",
  ".wasm": "CompiledWasm",
  ".txt": "Text",
  ".html": "Text",
  ".sql": "Text",
  ".bin": "Data",
};

export interface WorkerBuild {
  /** The bundle and its imports, the entry first. */
  modules: { type: ModuleType; path: string }[];
  modulesRoot: string;
  options: z.output<typeof WranglerOptions>;
}

/** Named after wrangler.toml's `main`. */
const ENTRY = "worker.js";

/** Wrangler without account, prompts and telemetry, writing only inside `dir`. */
const quietly = (dir: string) => ({
  ...process.env,
  CI: "1",
  CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV: "false",
  NO_COLOR: "1",
  WRANGLER_LOG_PATH: path.join(dir, "wrangler-logs"),
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  XDG_CONFIG_HOME: path.join(dir, "wrangler-home"),
});

/** Inputs and options of a finished build; written last, so that an interrupted build does not count. */
const Finished = z.object({ fingerprint: z.string(), options: WranglerOptions });

/**
 * Bundles the Worker of wrangler.toml (in the working directory) as a deployment would, or reuses a build of the same
 * files in `dir`. `readable` keeps names and lines, for profiling. Throws a `StartError`.
 */
export async function buildWorker(dir: string, { readable = false } = {}): Promise<WorkerBuild> {
  const outDir = path.join(dir, "bundle");
  const record = path.join(dir, "finished.json");
  const fingerprint = `${fingerprintInputs()}${readable ? " readable" : ""}`;
  const finished = readFinished(record);
  if (finished?.fingerprint === fingerprint) return describe(outDir, finished.options);

  rmSync(record, { force: true });
  const [options] = await Promise.all([readOptions(dir), bundle(dir, outDir, readable)]);
  writeFileSync(record, JSON.stringify({ fingerprint, options }));
  return describe(outDir, options);
}

function readFinished(record: string): z.output<typeof Finished> | undefined {
  return existsSync(record) ? safeParseJson(readFileSync(record, "utf8"), Finished)?.value : undefined;
}

function describe(outDir: string, options: WorkerBuild["options"]): WorkerBuild {
  return { modules: listModules(outDir), modulesRoot: outDir, options };
}

function listModules(dir: string): WorkerBuild["modules"] {
  const files = readdirSync(dir).filter((name) => name !== ENTRY && name !== "README.md");
  return [ENTRY, ...files].flatMap((name) => {
    const type = MODULE_TYPES[path.extname(name)];
    return type ? [{ type, path: path.join(dir, name) }] : [];
  });
}

async function readOptions(dir: string): Promise<WorkerBuild["options"]> {
  const reader = new Worker(path.join(import.meta.dirname, "read-wrangler-toml.ts"), {
    env: quietly(dir),
  });
  const [options] = await once(reader, "message");
  return WranglerOptions.parse(options);
}

async function bundle(dir: string, outDir: string, readable: boolean): Promise<void> {
  rmSync(outDir, { recursive: true, force: true });
  const child = spawn(
    process.execPath,
    [
      "node_modules/wrangler/bin/wrangler.js",
      "deploy",
      "--dry-run",
      "--outdir",
      outDir,
      ...(readable ? ["--no-minify"] : []),
    ],
    { stdio: ["ignore", "pipe", "pipe"], env: quietly(dir) },
  );
  const closed = once(child, "close");
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await closed;
  if (child.exitCode === 0) return;
  throw new StartError([`The Worker does not build:\n${output}${errors}`.trimEnd()]);
}
