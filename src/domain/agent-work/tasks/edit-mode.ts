import type { EDIT_MODES } from "#src/db/schema/index.ts";

/**
 * What happens when the agent calls a dangerous tool. `plan`: the call is refused, or runs with read-only access to the
 * project. `ask`: the task waits for an approval. `allow`: the call runs.
 */
export type EditMode = (typeof EDIT_MODES)[number];
