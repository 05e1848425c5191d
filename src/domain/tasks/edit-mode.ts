import type { EDIT_MODES } from "#src/db/schema/index.ts";

/**
 * What happens when the agent calls a dangerous tool: in `plan` it is refused, or runs
 * over a project that it can only read, in `ask` the task waits for an answer, in
 * `allow` it runs.
 */
export type EditMode = (typeof EDIT_MODES)[number];
