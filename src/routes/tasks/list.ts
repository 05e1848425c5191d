import { z } from "zod";
import { describeWaiting, listTasks } from "#src/domain/agent-work/tasks/index.ts";
import type { Caller } from "#src/domain/access/permissions/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment, text } from "#src/http/schemas.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Services } from "#src/services.ts";
import { WaitingFor } from "#src/wire/task-events.ts";
import { PageQuery, TaskStatus } from "./schemas.ts";

const Item = z
  .object({
    task_id: z.string(),
    status: TaskStatus,
    type: z.literal("agent_execution"),
    created_at: Moment,
    started_at: Moment.nullable(),
    completed_at: Moment.nullable(),
    project_id: z.string(),
    chat_id: z.string(),
    origin: z.string(),
    message_preview: z.string(),
    error: z.string().nullable(),
    waiting_for: WaitingFor.optional().describe("What the task waits for, while it is waiting"),
  })
  .meta({ id: "TaskListItem" });

const Flag = z.enum(["true", "false"]).transform((value) => value === "true");

const ListQuery = PageQuery(200, 50).extend({
  status: z.string().optional().describe("queued, running, completed, failed or cancelled"),
  project_id: z.uuid().optional(),
  since: z.iso.datetime({ offset: true }).optional().describe("Only tasks created after this time"),
  active_only: Flag.optional().describe("Only tasks that are queued or running"),
});

const Filters = {
  origin: text({ min: 1, max: 50 })
    .optional()
    .describe("Where the message came from: `browser`, `standalone`, `api`, `schedule` or a platform's name"),
  chat_id: z.uuid().optional().describe("Only tasks of this chat"),
};

const Listed = z
  .object({
    items: z.array(Item),
    total: z.int(),
    page: z.int(),
    limit: z.int(),
    total_pages: z.int(),
  })
  .meta({ id: "TaskList" });

export const list = endpoint({
  operationId: "listTasks",
  method: "get",
  path: "/api/v1/agents/tasks",
  tag: "Agent tasks",
  summary: "List tasks",
  description: "The caller's tasks, newest first.",
  access: { key: "agents.read" },
  query: ListQuery,
  response: { status: 200, schema: Listed },
  handler: (of) => listed(of),
});

export const listForPeople = endpoint({
  operationId: "listMyTasks",
  method: "get",
  path: "/api/chat/agent/tasks",
  tag: "Agent tasks",
  summary: "List my tasks",
  description:
    "For people: their tasks of all chats, keys, channels and schedules, newest first. Keys see those of their projects.",
  access: { userOrKey: "chat.view" },
  query: ListQuery.extend(Filters),
  response: { status: 200, schema: Listed },
  handler: (of) => listed(of),
});

async function listed({
  services,
  caller,
  query,
}: {
  services: Pick<Services, "db">;
  caller: Caller;
  query: z.output<typeof ListQuery> & { origin?: string | undefined; chat_id?: string | undefined };
}): Promise<z.input<typeof Listed>> {
  const found = await listTasks(
    services,
    caller,
    {
      statuses: statusesOf(query),
      projectId: query.project_id ?? null,
      since: query.since ? new Date(query.since) : null,
      origin: query.origin,
      chatId: query.chat_id,
    },
    query,
  );
  return { ...found, items: found.items.map(describe), total_pages: found.totalPages };
}

function statusesOf(query: { status?: string | undefined; active_only?: boolean | undefined }) {
  if (query.status !== undefined) {
    const parsed = TaskStatus.safeParse(query.status);
    if (!parsed.success) throw new AppError("invalid_input", `Unknown status: ${query.status.slice(0, 40)}`);
    return [parsed.data];
  }
  return query.active_only ? (["queued", "running"] as const) : null;
}

function describe(task: Awaited<ReturnType<typeof listTasks>>["items"][number]): z.input<typeof Item> {
  return {
    task_id: task.id,
    status: task.status,
    type: "agent_execution",
    created_at: task.createdAt.toISOString(),
    started_at: task.startedAt?.toISOString() ?? null,
    completed_at: task.completedAt?.toISOString() ?? null,
    project_id: task.projectId,
    chat_id: task.chatId,
    origin: task.origin,
    message_preview: task.message.slice(0, 200),
    error: task.error,
    ...(task.waiting && { waiting_for: describeWaiting(task.waiting) }),
  };
}
