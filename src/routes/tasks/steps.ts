import { z } from "zod";
import { listTurns, Turn } from "#src/domain/agent-work/tasks/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { ShownTurn } from "#src/http/turn.ts";
import { PageQuery, TaskParams } from "./schemas.ts";

const TaskStep = z
  .object({
    id: z.string(),
    step_index: z.int(),
    step_data: ShownTurn,
    created_at: Moment,
  })
  .meta({ id: "TaskStep" });

export const steps = endpoint({
  method: "get",
  path: "/api/v1/agents/tasks/:task/steps",
  tag: "Agent tasks",
  summary: "List task steps",
  description: "The turns of a task, oldest first. They outlast the event stream.",
  access: { keyOfTask: "agents.read" },
  params: TaskParams,
  query: PageQuery(500, 100),
  response: {
    status: 200,
    schema: z.object({
      items: z.array(TaskStep),
      total: z.int(),
      page: z.int(),
      limit: z.int(),
      total_pages: z.int(),
    }),
  },
  handler: async ({ services, caller: { task }, query }) => {
    const found = await listTurns(services, task.id, query);
    const items = found.items.map((row) => ({
      id: row.id,
      step_index: row.turnIndex,
      step_data: Turn.parse(row.turnData),
      created_at: row.createdAt.toISOString(),
    }));
    return { ...found, items, total_pages: found.totalPages };
  },
});
