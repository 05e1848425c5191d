import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";

const PAUSE_MS = 5;

/** Resolves when a file is there. Calls without a pause between them would keep workerd from anything else. */
export async function appears(runtime: ProjectRuntime, path: string): Promise<void> {
  while (!(await runtime.stat(path))) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
