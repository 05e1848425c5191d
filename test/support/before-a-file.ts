import { stop as stopEsbuild } from "esbuild";
import { endUnusedBrowser } from "./shared-browser.ts";

/**
 * Ends what the files before have left running, which would stay for as long as the worker does: esbuild's process, of up to 300
 * MiB, and a browser. Between two files, because the processor time of a process is no longer counted once it has ended
 * (`core-seconds.ts`).
 */
await Promise.all([stopEsbuild(), endUnusedBrowser()]);
