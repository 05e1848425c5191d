import { z } from "zod";
import { followTask, withNotices } from "#src/domain/agent-work/chats/index.ts";
import { streamTask } from "#src/domain/agent-work/tasks/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import {
  emptyStream,
  isComingBack,
  NOTHING_MORE,
  replayAfter,
  ReplayQuery,
  ResumeHeaders,
} from "#src/http/event-id.ts";
import { eventFrame, KEEP_ALIVE, type LoggedEvent } from "#src/lib/server-sent-events.ts";
import { encoded, toStream } from "#src/lib/to-stream.ts";
import { TaskEvent } from "#src/wire/task-events.ts";
import { TaskParams } from "./schemas.ts";

export const events = endpoint({
  operationId: "streamTaskEvents",
  method: "get",
  path: "/api/external/agent/events/:task",
  tag: "Agent tasks",
  summary: "Stream task events",
  description:
    "Server-Sent Events, from the first event or from after `last_event_id` (or the `Last-Event-ID` header) to the terminal `done`.",
  access: { keyOfTask: "chat.view" },
  params: TaskParams,
  query: ReplayQuery,
  headers: ResumeHeaders,
  response: {
    status: 200,
    schema: z.string(),
    mediaType: "text/event-stream",
    event: TaskEvent,
    description:
      "`id`, `event` and `data` lines; the data is one line of JSON with a `type`. While a message waits for its chat's turn, comments name what it waits for, as `waiting_for` of the status does",
    nothingMore: NOTHING_MORE,
  },
  async handler({ services, caller: { task, userId }, query, headers }) {
    const after = replayAfter(query, headers);
    const log = await streamTask(services, task, after, userId);
    if (log.status === 204) return isComingBack(headers) ? log : emptyStream();
    const { waiting } = task;
    if (!waiting || waiting.taskId === task.id) return log;
    const told = withNotices(
      services.db,
      { taskId: task.id, waiting },
      followTask(services, task, after, log, userId),
    );
    return new Response(toStream(encoded(framesOf(told))), log);
  },
});

async function* framesOf(told: ReturnType<typeof withNotices>): AsyncGenerator<string, void, undefined> {
  for await (const heard of told) {
    // Programs rely on every event being one of the log, with its id.
    yield heard.kind === "heartbeat"
      ? KEEP_ALIVE
      : heard.events.map((each) => (each.id > 0 ? eventFrame(each) : noticeComment(each))).join("");
  }
}

/** A comment for a notice that is not in the log. Its data is one line. */
function noticeComment({ type, data }: LoggedEvent): string {
  return `: ${type} ${data}\n\n`;
}
