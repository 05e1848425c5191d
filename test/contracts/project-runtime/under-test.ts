import { afterEach } from "vitest";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";

/** A project of its own, and what the suite must know about it. */
export interface RuntimeUnderTest {
  runtime: ProjectRuntime;
  /** Where commands see the project's root, such as `/app`. */
  mount: string;
  /** Crash the process or object that holds the project, and start it again over the same storage. */
  restart?: () => Promise<void>;
}

export type Open = () => Promise<RuntimeUnderTest>;

async function* noEntries(): AsyncGenerator<never, undefined> {}

/**
 * Opens as many projects as one test has at once, and hands them out again as if they were new: to start a sandbox for each
 * test took most of the time.
 */
export function reopened(openNew: Open): Open {
  const opened: RuntimeUnderTest[] = [];
  let used = 0;
  afterEach(() => {
    used = 0;
  });
  return async () => {
    const project = (opened[used] ??= await openNew());
    used += 1;
    await project.runtime.stopProcesses();
    await project.runtime.replaceEntries(noEntries());
    return project;
  };
}

declare module "vitest" {
  export interface ProvidedContext {
    /** A git server for suites that run in workerd, where none can be started. */
    gitServerUrl: string;
  }
}
