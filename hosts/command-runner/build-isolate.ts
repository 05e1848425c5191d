import { buildShellIsolate } from "./build.ts";

/**
 * Builds the program of the isolates that run commands in a deployment: `node hosts/command-runner/build-isolate.ts`.
 */
await buildShellIsolate("public/shell/isolate.js");
