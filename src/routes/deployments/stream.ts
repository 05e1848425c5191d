import { z } from "zod";
import { followDeployment, isOver, requireDeployment } from "#src/domain/hosting/deployments/index.ts";
import { isRefusal } from "#src/domain/access/permissions/index.ts";
import { readCredentials } from "#src/http/credentials.ts";
import { endpoint } from "#src/http/endpoint.ts";
import {
  emptyStream,
  EVENT_STREAM_HEADERS,
  isComingBack,
  NOTHING_MORE,
  replayAfter,
  ReplayQuery,
  ResumeHeaders,
} from "#src/http/event-id.ts";
import { storedCallerOf } from "#src/http/stored-caller.ts";
import { eventFrame, KEEP_ALIVE } from "#src/lib/server-sent-events.ts";
import { encoded, toStream } from "#src/lib/to-stream.ts";
import { DeploymentEvent } from "#src/wire/streams.ts";
import { DeploymentParams, pathsOf } from "./deployment.ts";

export const streamDeployment = endpoint({
  operationId: "streamDeployment",
  method: "get",
  ...pathsOf("/stream"),
  tag: "Deployments",
  summary: "Stream a deployment",
  description:
    "Server-Sent Events: `log` with a line of the log, whose number is the event's id, `status` with each change, and `done` at the end, whose id follows that of the last line. Resumes after the event of `Last-Event-ID` (or `last_event_id`).",
  access: { userOrKey: "deployment.view" },
  params: DeploymentParams,
  query: ReplayQuery,
  headers: ResumeHeaders,
  refusals: [404],
  response: {
    status: 200,
    schema: z.string(),
    mediaType: "text/event-stream",
    event: DeploymentEvent,
    description: "`id`, `event` and `data` lines; the data is one line of JSON with a `type`",
    nothingMore: NOTHING_MORE,
  },
  async handler({ services, caller, params, query, headers, request }) {
    const { deployment } = await requireDeployment(services, caller, params.deployment, "deployment.view");
    const after = replayAfter(query, headers);
    if (await isOver(services, deployment, after)) {
      return isComingBack(headers) ? new Response(null, { status: 204 }) : emptyStream();
    }
    const standing = storedCallerOf(caller, readCredentials(request, services.config));
    const followed = followDeployment(
      services,
      { standing, checkMs: services.config.SOCKET_CHECK_SECONDS * 1000 },
      deployment.id,
      after,
    );
    return new Response(toStream(encoded(framesOf(followed))), { headers: EVENT_STREAM_HEADERS });
  },
});

async function* framesOf(
  followed: ReturnType<typeof followDeployment>,
): AsyncGenerator<string, void, undefined> {
  try {
    for await (const event of followed) yield event === "heartbeat" ? KEEP_ALIVE : eventFrame(event);
  } catch (error) {
    // The stream just ends: access has ended, or the deployment is deleted.
    if (!isRefusal(error)) throw error;
  }
}
