import path from "node:path";

/** What Node compiles of modules: it outlives a run, and Node checks each piece against its source. */
const COMPILED = path.join(import.meta.dirname, "../../node_modules/.cache/compiled");

/**
 * Variables that make tests and the processes that they start cheaper. What the developer's environment has set stays as it is.
 *
 * `NODE_COMPILE_CACHE`: a service that a test starts as a process does not compile its modules again.
 */
export function cheaperProcesses(): Readonly<Record<string, string>> {
  return { NODE_COMPILE_CACHE: COMPILED };
}
