import { z } from "zod";
import { receiveEvent } from "#src/domain/billing/payment-events/index.ts";
import { endpoint } from "#src/http/endpoint.ts";

export const stripeWebhook = endpoint({
  operationId: "receiveStripeWebhook",
  method: "post",
  path: "/api/webhooks/stripe",
  summary: "Receive from Stripe",
  description:
    "Called by Stripe, which signs the request. An event is acknowledged when it is stored; a repetition has no effect.",
  tag: "Billing",
  access: "public",
  signed: true,
  refusals: [401, 503],
  response: { status: 200, schema: z.object({ received: z.literal(true), message: z.string() }) },
  async handler({ services, request }) {
    await receiveEvent(services, {
      body: new Uint8Array(await request.arrayBuffer()),
      signature: request.headers.get("stripe-signature"),
    });
    return { received: true as const, message: "The event is stored" };
  },
});
