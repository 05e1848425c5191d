import { buildShellIsolate } from "./build.ts";

/**
 * Builds the program of the isolates that run commands in a deployment: `node local/command-runner/build-isolate.ts`.
 */
await buildShellIsolate("public/shell/isolate.js");
