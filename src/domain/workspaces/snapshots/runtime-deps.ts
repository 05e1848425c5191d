import type { withRuntime } from "#src/domain/workspaces/lifecycle/index.ts";

/** What reaching a project's files takes. */
export type RuntimeDeps = Parameters<typeof withRuntime>[0];
