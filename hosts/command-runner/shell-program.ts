import { execFile } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { fingerprintInputs } from "#local/fingerprint.ts";

const BUILD = path.join(import.meta.dirname, "build-process.ts");

/**
 * Builds the program of the processes that run commands, or reuses a file that was built from the same sources by the same
 * version of Node, whose V8 has compiled it. The build runs in a separate process: esbuild keeps a service process of 100 MiB
 * for as long as its caller lives.
 */
export async function makeShellProgram(outFile: string): Promise<void> {
  const record = `${outFile}.made-of`;
  const fingerprint = `${fingerprintInputs()} ${process.version}`;
  if (existsSync(outFile) && existsSync(record) && readFileSync(record, "utf8") === fingerprint) return;
  rmSync(record, { force: true });
  await promisify(execFile)(process.execPath, [BUILD, outFile]);
  writeFileSync(record, fingerprint);
}
