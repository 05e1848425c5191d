import { z } from "zod";
import { streamTask } from "#src/domain/tasks/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { replayAfter, ReplayQuery } from "#src/http/event-id.ts";
import { TaskParams } from "./schemas.ts";

export const events = endpoint({
  method: "get",
  path: "/api/external/agent/events/:task",
  tag: "Agent tasks",
  summary:
    "Everything that happens in a task as Server-Sent Events, from the first event or from after `last_event_id` (also the `Last-Event-ID` header) to the terminal `done`",
  access: { keyOfTask: "chat.view" },
  params: TaskParams,
  query: ReplayQuery,
  response: {
    status: 200,
    schema: z.string(),
    mediaType: "text/event-stream",
    description: "`id`, `event` and `data` lines; the data is one line of JSON with a `type`",
  },
  handler: ({ services, caller: { task }, query, request }) =>
    streamTask(services, task, replayAfter(query, request)),
});
