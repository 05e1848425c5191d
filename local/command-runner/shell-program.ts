import { execFile } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { fingerprintInputs } from "#local/worker/fingerprint.ts";

const BUILD = path.join(import.meta.dirname, "build-process.ts");

/**
 * Makes the program of the processes that run commands. A file that was made of the same sources is used again. It is built
 * in a process of its own: esbuild keeps one that serves it, of 100 MiB, for as long as the process lives that called it.
 */
export async function makeShellProgram(outFile: string): Promise<void> {
  const record = `${outFile}.made-of`;
  const fingerprint = fingerprintInputs();
  if (existsSync(outFile) && existsSync(record) && readFileSync(record, "utf8") === fingerprint) return;
  rmSync(record, { force: true });
  await promisify(execFile)(process.execPath, [BUILD, outFile]);
  writeFileSync(record, fingerprint);
}
