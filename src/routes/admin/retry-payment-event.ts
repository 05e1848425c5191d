import { z } from "zod";
import { retryEvent } from "#src/domain/billing/payment-events/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Succeeded, text } from "#src/http/schemas.ts";

export const retryPaymentEvent = endpoint({
  operationId: "retryPaymentEvent",
  method: "post",
  path: "/api/admin/billing/events/:payment_event/retry",
  summary: "Retry a payment event",
  description: "Handles the event once more. Nothing is counted twice.",
  tag: "Administration",
  access: { user: "superuser" },
  params: z.object({ payment_event: text({ max: 255 }).describe("Id of the event at the provider") }),
  refusals: [404, 503],
  response: { status: 200, schema: Succeeded },
  async handler({ services, caller, params, client: { address } }) {
    await retryEvent(services, { adminId: caller.userId, address }, params.payment_event);
    return { success: true as const, message: "The event will be handled again" };
  },
});
