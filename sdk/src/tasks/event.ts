import type { TaskEvent as LoggedEvent, ToolResultEvent, WaitingEvent } from "../generated/types.gen.ts";

/**
 * An event of a task, told apart by its `type`, with its number. `waiting` is a notice without a number of its own: it has
 * that of the event before. Types that this version does not know arrive as well: let a `switch` have a `default`.
 */
export type TaskEvent = { id: number } & (LoggedEvent | WaitingEvent);

/** What a tool gave. `error` says why it failed. */
export type ToolResult = ToolResultEvent["result"];
