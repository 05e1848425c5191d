import { and, asc, desc, eq, inArray, lt, sql, type SQL } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { agents, chats, messages, projects, tasks, taskTurns, teams, users } from "#src/db/schema/index.ts";
import { serversOfTask } from "#src/domain/agent-work/mcp/index.ts";
import { adoptReservations } from "#src/domain/metering/credits/index.ts";
import { isPromptSecret } from "#src/domain/organisations/library/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { statement, type Slot } from "#src/db/statement.ts";
import { lossOf } from "./loss.ts";
import { sourceIn } from "./source.ts";

/** Most messages since the chat's summary that are read for the model. A chat is summarised long before it reaches this. */
const HISTORY_ROWS = 200;

const takeTask = statement((db, { taskId, generation }: { taskId: Slot<string>; generation: Slot<number> }) =>
  db
    .update(tasks)
    .set({
      generation: sql`${generation}::int`,
      status: "running",
      startedAt: sql`coalesce(${tasks.startedAt}, now())`,
    })
    .where(
      and(
        eq(tasks.id, taskId),
        lt(tasks.generation, generation),
        inArray(tasks.status, ["queued", "running"]),
      ),
    )
    .returning({ id: tasks.id }),
);

type TaskId = Record<"taskId", Slot<string>>;

/** SQL value: the tools that the chat of the task allows to the task's person. */
const allowedToPerson = sql`CASE WHEN chats.user_id = tasks.user_id THEN chats.allowed_tools ELSE ARRAY(
  SELECT substr(allowed, 38) FROM unnest(chats.allowed_tools) AS allowed WHERE starts_with(allowed, tasks.user_id || ':')
) END`.mapWith(chats.allowedTools);

const currentTask = statement((db, { taskId }: TaskId) =>
  db
    .select({
      task: tasks,
      kind: sourceIn(sql`tasks`).kind,
      project: projects,
      agent: agents,
      isPromptSecret: isPromptSecret({ teamId: sql`projects.team_id`, userId: sql`tasks.user_id` }),
      chat: {
        allowedTools: allowedToPerson,
        isTitled: chats.isTitled,
        summary: chats.summary,
      },
      mcpServers: serversOfTask,
      userName: users.name,
      disabledModels: teams.disabledModels,
      loss: lossOf(),
      messageMetadata: sql<Record<string, unknown> | null>`(
        SELECT message_metadata FROM messages WHERE task_id = tasks.id AND role = 'user')`,
    })
    .from(tasks)
    .innerJoin(chats, eq(chats.id, tasks.chatId))
    .innerJoin(projects, eq(projects.id, tasks.projectId))
    .innerJoin(teams, eq(teams.id, projects.teamId))
    .innerJoin(agents, eq(agents.id, tasks.agentId))
    .innerJoin(users, eq(users.id, tasks.userId))
    .where(eq(tasks.id, taskId)),
);

const turnsOf = statement((db, { taskId }: TaskId) =>
  db
    .select({ turnIndex: taskTurns.turnIndex, turnData: taskTurns.turnData })
    .from(taskTurns)
    .where(eq(taskTurns.taskId, taskId))
    .orderBy(asc(taskTurns.turnIndex)),
);

const historyBefore = statement((db, { taskId }: TaskId) =>
  db
    .select({
      seq: messages.seq,
      role: messages.role,
      content: messages.content,
      work: sql<string | null>`${messages.messageMetadata} ->> 'work'`,
      /** Of a person's message. A join could read all tasks for its rows. */
      author: sql<{ id: string; name: string } | null>`(
        SELECT jsonb_build_object('id', author.id, 'name', author.name) FROM tasks AS asked
        JOIN users AS author ON author.id = asked.user_id
        WHERE asked.id = ${messages.taskId} AND ${messages.role} = 'user')`,
    })
    .from(messages)
    .where(
      and(
        eq(messages.chatId, sql`(SELECT chat_id FROM tasks WHERE id = ${taskId}::uuid)`),
        sql`${messages.seq} < (SELECT seq FROM tasks WHERE id = ${taskId}::uuid)`,
        sql`${messages.seq} > coalesce((SELECT c.summarized_seq FROM chats c JOIN tasks t ON t.chat_id = c.id
          WHERE t.id = ${taskId}::uuid), 0)`,
      ),
    )
    // Question and answer share a sequence number.
    .orderBy(desc(messages.seq), asc(messages.role))
    .limit(HISTORY_ROWS),
);

/** SQL values: the project and the person of a task, for queries by them in the round trip that claims it. */
export const projectOfTask = (taskId: Slot<string>): SQL =>
  sql`(SELECT project_id FROM tasks WHERE id = ${taskId}::uuid)`;
export const personOfTask = (taskId: Slot<string>): SQL =>
  sql`(SELECT user_id FROM tasks WHERE id = ${taskId}::uuid)`;

/**
 * Claims the task for a generation of executor, with the reservation of the previous one, and reads all that a turn needs,
 * and what `beside` reads, in one round trip. No `claimed` row means that the task has ended, belongs to a newer generation,
 * or is deleted; `current` says which.
 */
export async function claimTask<T extends BatchItem<"pg">[]>(
  db: Db,
  taskId: string,
  generation: number,
  ...beside: T
) {
  const [claimed, current, turns, history, , ...read] = await db.batch([
    takeTask(db, { taskId, generation }),
    currentTask(db, { taskId }),
    turnsOf(db, { taskId }),
    historyBefore(db, { taskId }),
    adoptReservations(db, { taskId }),
    ...beside,
  ]);
  return {
    claimed: claimed.length > 0,
    current: current[0],
    turns,
    history: history.toReversed(),
    beside: read,
  };
}

export type ClaimedTask = NonNullable<Awaited<ReturnType<typeof claimTask>>["current"]>;
