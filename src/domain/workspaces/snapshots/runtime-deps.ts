import type { withRuntime } from "#src/domain/workspaces/lifecycle/index.ts";

/** Dependencies of access to a project's files. */
export type RuntimeDeps = Parameters<typeof withRuntime>[0];
