import { AppError } from "#src/lib/errors.ts";
import { defineJob } from "#src/work/job.ts";
import { eventReceived } from "./event-received.ts";
import { handlerOf, type HandlerDeps } from "./handlers.ts";
import { eventById, eventFailed, eventSettled, type StoredEvent } from "./queries.ts";

/** Until the event counts as failed, which administrators see: about 40 minutes. */
const FIRST_PAUSES = [10, 60, 300, 2_000] as const;
const HOUR = 3_600;
const DAYS = 3;

/**
 * Handles a stored event: reads the object that it names from the provider and applies what is true now. Order, repetition
 * and age of events do not matter. One that cannot be handled is tried again for three days, every hour in the end.
 */
export const handleEvent = defineJob(eventReceived, {
  pauses: [...FIRST_PAUSES, ...Array.from({ length: DAYS * 24 }, () => HOUR)],
  read: eventById,
  run: async (deps: HandlerDeps, { payload: { eventId }, read: [event], attempt }) => {
    if (!event || event.status === "done" || event.status === "ignored") return { kind: "done" };
    try {
      const status = await apply(deps, event);
      return { kind: "done", writes: [eventSettled(eventId, status)] };
    } catch (cause) {
      const error = cause instanceof AppError ? cause.message : "The service failed";
      const isRefused = cause instanceof AppError && !cause.retryable;
      const status = isRefused || attempt > FIRST_PAUSES.length ? "failed" : "received";
      return { kind: "failed", error, cause, writes: [eventFailed(eventId, status, error)] };
    }
  },
  onGivingUp: (eventId, error) => [eventFailed(eventId, "failed", error)],
});

async function apply(deps: HandlerDeps, { type, objectId }: StoredEvent): Promise<"done" | "ignored"> {
  const handler = handlerOf(type);
  if (!handler || objectId === null) return "ignored";
  return (await handler(deps, objectId)) ? "done" : "ignored";
}
