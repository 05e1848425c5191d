import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { parse } from "./query.ts";

const MAX_RESUMED = 20;
const MAX_SHOWN = 32;

const Query = z.object({
  /** Tasks whose events the client already has in part, separated by commas. */
  task_id: z.string().max(1_000).default(""),
  /** The last event that the client has of each, in the same order; 0 if omitted. */
  last_event_id: z.string().max(1_000).default(""),
});

const Shown = z.object({
  /** Tasks that the client has to their end, separated by commas. If present, tasks begun after them are shown, too. */
  shown: z
    .string()
    .transform((text) => listed(text))
    .pipe(z.array(z.uuid()).max(MAX_SHOWN))
    .optional(),
});

/** Parses the tasks and positions from which the client resumes. Throws `invalid_input`. */
export function resumed(query: Readonly<Record<string, string>>) {
  const { task_id, last_event_id } = parse(Query, query);
  const taskIds = listed(task_id);
  const after = listed(last_event_id);
  if (taskIds.length > MAX_RESUMED || after.length > taskIds.length) {
    throw new AppError(
      "invalid_input",
      `task_id names at most ${MAX_RESUMED} tasks, and last_event_id has one number for each`,
    );
  }
  return taskIds.map((taskId, index) => resumeOf(taskId, after[index] ?? "0"));
}

/** Parses the tasks that the client has to their end; undefined if it names none. Throws `invalid_input`. */
export function shownBefore(query: Readonly<Record<string, string>>): string[] | undefined {
  const { shown } = parse(Shown, query);
  return shown;
}

const Shared = z.object({
  /** Whether also the tasks of others are shown, in chats that they share. */
  shared: z.enum(["true", "false"]).optional(),
});

/** Parses whether the client is shown shared chats. Throws `invalid_input`. */
export function isShownShared(query: Readonly<Record<string, string>>): boolean {
  return parse(Shared, query).shared === "true";
}

const listed = (text: string) => text.split(",").filter((part) => part !== "");

const Resumed = z.object({
  task_id: z.uuid(),
  last_event_id: z.coerce.number().int().nonnegative(),
});

function resumeOf(taskId: string, after: string) {
  const { task_id, last_event_id } = parse(Resumed, { task_id: taskId, last_event_id: after });
  return { taskId: task_id, after: last_event_id };
}
