import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { buildCommandLine } from "../../cli/build.ts";
import type { Figure, Measurement } from "../measurement.ts";

const STARTS = 15;
const KIB = 1024;

export const clients: Measurement = {
  name: "clients",
  title: "The client and the command line",
  how: `What a program gets with \`import { Workspace }\`, minified; and the median of ${STARTS} starts of the command line, beside those of an empty program.`,
  async run() {
    const folder = mkdtempSync(path.join(tmpdir(), "workspace-clients-"));
    try {
      const program = path.join(folder, "workspace.cjs");
      await buildCommandLine(program);
      return [
        { what: "client, gzip", value: (await clientBytes()) / KIB, unit: "KiB", goal: { atMost: 12 } },
        { what: "command line", value: statSync(program).size / KIB, unit: "KiB" },
        ...nodes().flatMap((node) => startsOf(node, program, folder)),
      ];
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

async function clientBytes(): Promise<number> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { Workspace } from "@agent-workspace/client";`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    conditions: ["workspace-source"],
  });
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
}

/** The Node of the project, and the first other one of PATH. */
function nodes(): { name: string; file: string }[] {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  const found = folders.flatMap((folder) => {
    const file = path.join(folder, "node");
    const { stdout } = spawnSync(file, ["--version"], { encoding: "utf8" });
    return stdout ? [{ name: `Node ${stdout.slice(1, 3)}`, file }] : [];
  });
  return found.filter(({ name }, index) => found.findIndex((each) => each.name === name) === index);
}

function startsOf({ name, file }: { name: string; file: string }, program: string, folder: string): Figure[] {
  const median = (args: readonly string[]) => {
    const times = Array.from({ length: STARTS }, () => {
      const begun = performance.now();
      spawnSync(file, args, { env: { PATH: process.env["PATH"] ?? "", HOME: folder } });
      return performance.now() - begun;
    });
    return times.toSorted((one, other) => one - other)[Math.floor(STARTS / 2)] ?? 0;
  };
  return [
    { what: `${name}, an empty program`, value: median(["--eval", "0"]), unit: "ms" },
    {
      what: `${name}, workspace --version`,
      value: median([program, "--version"]),
      unit: "ms",
      goal: { atMost: 100 },
    },
    {
      what: `${name}, a completion`,
      value: median([program, "__complete", "--", "proj"]),
      unit: "ms",
      goal: { atMost: 150 },
    },
  ];
}
