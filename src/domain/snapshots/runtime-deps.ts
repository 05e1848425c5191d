import type { withRuntime } from "#src/domain/lifecycle/index.ts";

/** What reaching a project's files takes. */
export type RuntimeDeps = Parameters<typeof withRuntime>[0];
