import { z } from "zod";
import type { WebhookReply } from "#src/channels/channel.ts";
import { receiveWebhook } from "#src/domain/messaging/inbox/index.ts";
import { endpoint, type Call } from "#src/http/endpoint.ts";

/** Larger than what any platform sends: Meta's batches have up to 3 MB. */
const MAX_BODY = 4 * 1024 * 1024;

const params = z.object({ type: z.string(), config_id: z.string() });
const query = z.looseObject({ secret: z.string().optional() });

const common = {
  path: "/api/channels/webhook/:type/:config_id",
  tag: "Channels",
  access: "public",
  signed: true,
  params,
  query,
  refusals: [400, 401, 403, 404, 429, 503],
  response: { status: 200, schema: z.unknown(), description: "What the platform expects." },
} as const;

type WebhookCall = Call<"public", typeof params, typeof query, undefined>;

/** What platforms ask for when the address is entered there. */
export const greetWebhook = endpoint({
  operationId: "confirmChannelWebhook",
  ...common,
  method: "get",
  summary: "Confirm a webhook",
  description: "Returns what the platform asks for when the address is entered there.",
  handler: (call) => receive(call, "GET"),
});

/** What platforms send. */
export const postWebhook = endpoint({
  operationId: "receiveChannelWebhook",
  ...common,
  method: "post",
  bodyLimit: MAX_BODY,
  summary: "Receive from a platform",
  description:
    "Called by the platform, which signs the request. It is acknowledged when its messages are stored; a repetition has no effect.",
  handler: (call) => receive(call, "POST"),
});

async function receive(
  { services, params: to, query: { secret }, request }: WebhookCall,
  method: "GET" | "POST",
) {
  const reply = await receiveWebhook(
    services,
    { type: to.type, channelId: to.config_id, secret },
    {
      method,
      headers: request.headers,
      query: new URL(request.url).searchParams,
      body: new Uint8Array(await request.arrayBuffer()),
    },
  );
  return toResponse(reply);
}

function toResponse(reply: WebhookReply): Response {
  if ("json" in reply) return Response.json(reply.json);
  if ("text" in reply) return new Response(reply.text, { headers: { "content-type": "text/plain" } });
  return new Response(null, { status: 200 });
}
