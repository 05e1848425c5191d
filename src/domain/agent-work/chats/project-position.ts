import type { Caller } from "#src/domain/access/permissions/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { isMember } from "./is-member.ts";
import { lastBegunTask } from "./queries/live-tasks.ts";
import { isTerminal } from "#src/domain/agent-work/tasks/index.ts";

/** Most tasks in a position. A stream shows at most fifty at once. */
const MAX_TASKS = 60;
/**
 * Finished tasks that a position keeps. Tasks that began after all named ones have not been sent. One would suffice if
 * streams learned of tasks exactly in the order in which they began.
 */
const KEPT_OVER = 4;
/** The position before the first event. */
const NOTHING = "0";
const OVER = "end";

/**
 * A reader's position in the stream of a project, over several tasks at once. Its text is the id of each event:
 * `<task>:<event id>` for the event's own task, then the same for the other running tasks, then `<task>:end` for the last
 * finished ones, separated by commas.
 */
export class ProjectPosition {
  readonly #underWay = new Map<string, number>();
  #over: string[] = [];

  /** Throws `invalid_body` for a text that is no position. */
  static parse(text: string): ProjectPosition {
    const position = new ProjectPosition();
    if (text === NOTHING) return position;
    const parts = text.split(",");
    for (const part of parts) {
      const [taskId = "", after = "", ...rest] = part.split(":");
      const isRead = isId(taskId) && rest.length === 0 && /^(\d{1,15}|end)$/u.test(after);
      if (!isRead || parts.length > MAX_TASKS) {
        throw new AppError("invalid_body", "last_event_id must be the id of an event of this stream");
      }
      if (after === OVER) position.#over.push(taskId);
      else position.#underWay.set(taskId, Number(after));
    }
    return position;
  }

  /** Tasks that were sent in part, with their last sent event. */
  get underWay(): { taskId: string; after: number }[] {
    return Array.from(this.#underWay, ([taskId, after]) => ({ taskId, after }));
  }

  /** Tasks that were sent to their end. */
  get over(): readonly string[] {
    return this.#over;
  }

  /** Records that an event was sent. */
  advance(taskId: string, event: { id: number; type: string }): void {
    this.#underWay.delete(taskId);
    if (event.type === "done") this.#over = [...this.#over, taskId].slice(-KEPT_OVER);
    else this.#underWay.set(taskId, event.id);
  }

  toString(): string {
    const parts = [
      ...Array.from(this.#underWay, ([taskId, after]) => `${taskId}:${after}`).toReversed(),
      ...this.#over.map((taskId) => `${taskId}:${OVER}`).toReversed(),
    ];
    return parts.join(",") || NOTHING;
  }
}

/**
 * The position at which a reader resumes a project's stream: the given one, or else the running tasks and those that begin
 * from now on. Throws as `requireProject` does, `not_found` for a project without chats, and as `parse` does.
 */
export async function openPosition(
  deps: { db: Db },
  caller: Caller,
  { project, after, withShared }: { project: string; after: string | undefined; withShared: boolean },
): Promise<{ projectId: string; position: ProjectPosition }> {
  const { id: projectId } = await requireProject(deps, caller, project, "chat.view");
  const isShared = withShared && (await isMember(deps, caller, projectId));
  const [last] = await lastBegunTask(deps.db, { projectId, userId: caller.userId, withShared: isShared });
  if (!last) throw new AppError("not_found", "The project has no chats");
  if (after) return { projectId, position: ProjectPosition.parse(after) };
  const position = new ProjectPosition();
  const { task } = last;
  if (task) position.advance(task.id, { id: 0, type: isTerminal(task.status) ? "done" : "" });
  return { projectId, position };
}
