import { z } from "zod";
import { requireTask } from "#src/domain/agent-work/chats/index.ts";
import { findWaiting } from "#src/domain/agent-work/tasks/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { isComingBack, NOTHING_MORE, replayAfter, ReplayQuery, ResumeHeaders } from "#src/http/event-id.ts";
import { ChatEvent } from "#src/wire/task-events.ts";
import { TaskParams } from "./task.ts";
import { DATA_HEARTBEAT, richFrame } from "./rich-frames.ts";
import { streamOf } from "./sse.ts";

export const agentEvents = endpoint({
  operationId: "resumeChatEvents",
  method: "get",
  path: "/api/chat/agent/events/:task",
  tag: "Chat",
  summary: "Resume a task's event stream",
  description:
    "The events after `last_event_id` (or the `Last-Event-ID` header), then live events to the end of the task.",
  access: { userOrKey: "chat.view" },
  params: TaskParams,
  query: ReplayQuery,
  headers: ResumeHeaders,
  response: {
    status: 200,
    schema: z.string(),
    mediaType: "text/event-stream",
    event: ChatEvent,
    description: "`id` and `data` lines; the data has the format of `POST /api/chat/agent/stream`",
    nothingMore: NOTHING_MORE,
  },
  async handler({ services, caller, params, query, headers, request }) {
    const task = await requireTask(services, caller, params.task, "chat.view");
    const waiting = task.status === "queued" ? await findWaiting(services.db, task.id) : null;
    return streamOf(services, { caller, request }, task, {
      waits: waiting ? { taskId: task.id, waiting } : undefined,
      after: replayAfter(query, headers),
      isComingBack: isComingBack(headers),
      translate: (heard) =>
        heard.kind === "heartbeat"
          ? DATA_HEARTBEAT
          : heard.events.map((event) => richFrame(event, true)).join(""),
    });
  },
});
