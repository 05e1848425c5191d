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

declare module "vitest" {
  export interface ProvidedContext {
    /** A git server for suites that run in workerd, where none can be started. */
    gitServerUrl: string;
  }
}
