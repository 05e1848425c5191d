import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";

/** The id of a task's event: a number. */
export const EventId = z
  .string()
  .regex(/^\d{0,15}$/u, "must be the id of an event")
  .transform(Number);

/** A browser reconnects with the address it began with; the header then knows more than the query. 0 where there is none. */
export function lastEventIdOf(request: Request): number {
  const header = request.headers.get("last-event-id");
  if (header === null) return 0;
  const parsed = EventId.safeParse(header);
  if (!parsed.success) throw new AppError("invalid_body", "Last-Event-ID must be the id of an event");
  return parsed.data;
}
