import { z } from "zod";
import { handleEvent } from "#src/domain/billing/payment-events/index.ts";
import { defineFunction } from "./serve.ts";

/** Applies what is true of the object that a payment event names. */
export const handleStripeEvent = defineFunction({
  name: "handle-stripe-event",
  payload: z.object({ eventId: z.string().min(1).max(255) }),
  run: (services, { eventId }) => handleEvent(services, eventId),
});
