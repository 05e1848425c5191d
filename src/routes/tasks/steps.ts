import { z } from "zod";
import { listTurns, readTurn, ShortTurn } from "#src/domain/agent-work/tasks/index.ts";
import { requireTask } from "#src/domain/agent-work/chats/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { ResultsQuery, ShownTurn } from "#src/http/turn.ts";
import type { Services } from "#src/services.ts";
import { describeTurn } from "../chat/message.ts";
import { PageQuery, TaskParams } from "./schemas.ts";

const TaskStep = z
  .object({
    id: z.string(),
    step_index: z.int(),
    step_data: ShownTurn,
    created_at: Moment,
  })
  .meta({ id: "TaskStep" });

const StepsQuery = PageQuery(500, 100);

const Steps = z
  .object({
    items: z.array(TaskStep),
    total: z.int(),
    page: z.int(),
    limit: z.int(),
    total_pages: z.int(),
  })
  .meta({ id: "TaskSteps" });

const description = "The turns of a task, oldest first. They outlast the event stream.";

export const steps = endpoint({
  operationId: "listTaskSteps",
  method: "get",
  path: "/api/v1/agents/tasks/:task/steps",
  tag: "Agent tasks",
  summary: "List task steps",
  description,
  access: { keyOfTask: "agents.read" },
  params: TaskParams,
  query: StepsQuery,
  response: { status: 200, schema: Steps },
  handler: async ({ services, caller: { task }, query }) => stepsOf(services, task.id, query),
});

export const stepsForPeople = endpoint({
  operationId: "listMyTaskSteps",
  method: "get",
  path: "/api/chat/agent/steps/:task",
  tag: "Agent tasks",
  summary: "List my task's steps",
  description: `For people. ${description}`,
  access: { userOrKey: "chat.view" },
  params: TaskParams,
  query: StepsQuery.extend(ResultsQuery.shape),
  response: { status: 200, schema: Steps },
  async handler({ services, caller, params, query }) {
    const task = await requireTask(services, caller, params.task, "chat.view");
    return stepsOf(services, task.id, query);
  },
});

export const stepForPeople = endpoint({
  operationId: "getMyTaskStep",
  method: "get",
  path: "/api/chat/agent/steps/:task/:step",
  tag: "Agent tasks",
  summary: "Get my task's step",
  description: "For people. One turn of a task, with its whole parameters and results.",
  access: { userOrKey: "chat.view" },
  params: TaskParams.extend({
    step: z.coerce
      .number()
      .int()
      .min(1)
      .max(1_000_000)
      .describe("Its `step_index`, or `iteration` in a chat"),
  }),
  response: { status: 200, schema: TaskStep },
  async handler({ services, caller, params }) {
    const task = await requireTask(services, caller, params.task, "chat.view");
    return describe(await readTurn(services, task.id, params.step));
  },
});

async function stepsOf(
  services: Pick<Services, "db">,
  taskId: string,
  page: z.output<typeof StepsQuery> & z.output<typeof ResultsQuery>,
): Promise<z.input<typeof Steps>> {
  const found = await listTurns(services, taskId, page);
  return { ...found, items: found.items.map(describe), total_pages: found.totalPages };
}

function describe(row: Awaited<ReturnType<typeof readTurn>>): z.input<typeof TaskStep> {
  return {
    id: row.id,
    step_index: row.turnIndex,
    step_data: describeTurn(ShortTurn.parse(row.turnData)),
    created_at: row.createdAt.toISOString(),
  };
}
