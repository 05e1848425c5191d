import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { buildDir } from "#local/worker/index.ts";
import type { Measurement } from "../measurement.ts";

const SOURCE_MAP_OR_NOTE = /\.(map|md)$/u;

export const bundle: Measurement = {
  name: "bundle",
  title: "The Worker's bundle",
  how: "All modules that a deployment would upload, compressed.",
  async run(bench) {
    await bench.use();
    const dir = path.join(buildDir(bench.dataDir), "bundle");
    const modules = readdirSync(dir).filter((name) => !SOURCE_MAP_OR_NOTE.test(name));
    const whole = Buffer.concat(modules.map((name) => readFileSync(path.join(dir, name))));
    return [
      { what: "as it is", value: whole.length / 2 ** 20, unit: "MiB" },
      { what: "gzip", value: gzipSync(whole).length / 2 ** 20, unit: "MiB", goal: { atMost: 1.5 } },
    ];
  },
};
