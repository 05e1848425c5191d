import { z } from "zod";
import { isTerminal, launchTask } from "#src/domain/tasks/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AppError } from "#src/lib/errors.ts";
import { TaskParams } from "./schemas.ts";

const EventId = z
  .string()
  .regex(/^\d{0,15}$/u, "must be the id of an event")
  .transform(Number);

export const events = endpoint({
  method: "get",
  path: "/api/external/agent/events/:task",
  tag: "Agent tasks",
  summary:
    "Everything that happens in a task as Server-Sent Events, from the first event or from after `last_event_id` (also the `Last-Event-ID` header) to the terminal `done`",
  access: { keyOfTask: "chat.view" },
  params: TaskParams,
  query: z.object({ last_event_id: EventId.optional().describe("Replay starts after this event") }),
  response: {
    status: 200,
    schema: z.string(),
    mediaType: "text/event-stream",
    description: "`id`, `event` and `data` lines; the data is one line of JSON with a `type`",
  },
  handler: async ({ services, caller: { task }, query, request }) => {
    const after = Math.max(query.last_event_id ?? 0, lastEventIdOf(request));
    const stream = await services.taskLogs.stream(task.id, after);
    if (stream.status !== 404) return stream;
    if (isTerminal(task.status)) {
      throw new AppError("not_found", "The events of this task are no longer kept; its steps are");
    }
    // Acknowledged, yet its launch was lost: this reader need not wait for the sweep.
    await launchTask(services, task);
    return services.taskLogs.stream(task.id, after);
  },
});

/** A browser reconnects with the address it began with; the header then knows more than the query. */
function lastEventIdOf(request: Request): number {
  const header = request.headers.get("last-event-id");
  if (header === null) return 0;
  const parsed = EventId.safeParse(header);
  if (!parsed.success) throw new AppError("invalid_body", "Last-Event-ID must be the id of an event");
  return parsed.data;
}
