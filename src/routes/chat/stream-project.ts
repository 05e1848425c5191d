import { z } from "zod";
import { openPosition } from "#src/domain/agent-work/chats/index.ts";
import { readCredentials } from "#src/http/credentials.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { EVENT_STREAM_HEADERS } from "#src/http/event-id.ts";
import { text } from "#src/http/schemas.ts";
import { storedCallerOf } from "#src/http/stored-caller.ts";
import { ProjectStreamFrame } from "#src/wire/streams.ts";
import { NO_WISH } from "../sockets/query.ts";
import { SharedQuery } from "./chat.ts";
import { projectStream } from "./project-stream.ts";

const Position = z.string().max(4_000);

export const streamProject = endpoint({
  operationId: "streamProjectChats",
  method: "get",
  path: "/api/chat/agent/stream-project",
  tag: "Chat",
  summary: "Stream a project's chats",
  description:
    "Server-Sent Events of all that the caller's agents do in the project, in any chat. The stream ends when the client disconnects or can no longer see the project's chats.",
  access: { userOrKey: "chat.view" },
  query: z
    .object({
      project_id: text({ min: 1, max: 100 }).describe("Id or slug of the project"),
      last_event_id: Position.optional().describe(
        "Id of an event of this stream. The `Last-Event-ID` header does the same and takes precedence. Each task that was in progress resumes after that event. Tasks that began since are included, but only the last 30 of the finished ones. `0` means that no event was seen",
      ),
    })
    .extend(SharedQuery.shape),
  headers: z.object({
    "Last-Event-ID": Position.optional().describe("As `last_event_id`, before which it takes precedence"),
  }),
  response: {
    status: 200,
    schema: z.string(),
    mediaType: "text/event-stream",
    event: ProjectStreamFrame,
    description:
      '`data` and `id` lines. The first data is `{"type":"ready"}`. Then each data is `{chat_id, task_id, event}`, where `event` has the format of `POST /api/chat/agent/stream`. Each event comes once and in its task\'s order; a task in progress is sent from its beginning. `{"type":"error","message"}` means that access has ended, or with a `task_id`, that this task\'s events cannot be read. `: keepalive` is sent every 15 seconds. A stream may end when its client reads too slowly: resume with the last id',
  },
  refusals: [404, 409],
  async handler({ services, caller, query, headers, request }) {
    const named = headers["Last-Event-ID"] ?? query.last_event_id;
    const shared = query.shared === true;
    const wish = { project: query.project_id, after: named, withShared: shared };
    const { projectId, position } = await openPosition(services, caller, wish);
    const credentials = readCredentials(request, services.config);
    const socket = await services.sockets.listen(projectId, {
      kind: "events",
      userId: caller.userId,
      standing: storedCallerOf(caller, credentials),
      wish: NO_WISH,
      shared,
      resume: position.underWay,
      shown: [...position.over],
    });
    return new Response(projectStream(socket, position, request.signal), { headers: EVENT_STREAM_HEADERS });
  },
});
