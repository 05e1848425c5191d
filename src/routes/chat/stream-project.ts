import { z } from "zod";
import { openPosition } from "#src/domain/chats/index.ts";
import { readCredentials } from "#src/http/credentials.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { standingOf } from "#src/http/standing.ts";
import { NO_WISH } from "../sockets/query.ts";
import { projectStream } from "./project-stream.ts";
import { EVENT_STREAM_HEADERS } from "./sse.ts";

const Position = z.string().max(4_000);

export const streamProject = endpoint({
  method: "get",
  path: "/api/chat/agent/stream-project",
  tag: "Chat",
  summary:
    "Follow all that the caller's agents do in a project, in whatever chat, as Server-Sent Events. The stream goes on until the client goes or may not see the project's chats any more",
  access: { userOrKey: "chat.view" },
  query: z.object({
    project_id: text({ min: 1, max: 100 }).describe("Id or slug of the project"),
    last_event_id: Position.optional().describe(
      "The id of an event of this stream (also the `Last-Event-ID` header, which comes first): goes on after it in each task that was under way, and shows the tasks that were begun since, of those that are over the last 30. `0` has seen nothing",
    ),
  }),
  response: {
    status: 200,
    schema: z.string(),
    mediaType: "text/event-stream",
    description:
      '`data` and `id` lines. The first data is `{"type":"ready"}`, then comes `{chat_id, task_id, event}`, where `event` is as of `POST /api/chat/agent/stream`: each event once and in its task\'s order, a task that is under way from its beginning. `{"type":"error","message"}` tells that access has ended, or with a `task_id` that this task\'s events cannot be read. `: keepalive` every 15 seconds. A stream may end when its client reads too slowly: come back with the last id',
  },
  refusals: [404, 409],
  async handler({ services, caller, query, request }) {
    const named = request.headers.get("last-event-id") ?? query.last_event_id;
    const wish = { project: query.project_id, after: named };
    const { projectId, position } = await openPosition(services, caller, wish);
    const credentials = readCredentials(request, services.config);
    const socket = await services.sockets.listen(projectId, {
      kind: "events",
      userId: caller.userId,
      standing: standingOf(caller, credentials),
      wish: NO_WISH,
      resume: position.underWay,
      shown: [...position.over],
    });
    return new Response(projectStream(socket, position, request.signal), { headers: EVENT_STREAM_HEADERS });
  },
});
