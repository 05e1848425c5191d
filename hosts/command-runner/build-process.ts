import { buildShellProcess } from "./build.ts";

/** Builds the program of the processes that run commands: `node hosts/command-runner/build-process.ts FILE`. */
const [outFile = ""] = process.argv.slice(2);
await buildShellProcess(outFile);
