import { z } from "zod";
import { pageOfEvents } from "#src/domain/billing/payment-events/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { PageFields } from "./user.ts";

const Status = z.enum(["received", "done", "ignored", "failed"]);

export const listPaymentEvents = endpoint({
  operationId: "listPaymentEvents",
  method: "get",
  path: "/api/admin/billing/events",
  summary: "List payment events",
  description:
    "What the payment provider told the service and what became of it, newest first. Kept for 90 days.",
  tag: "Administration",
  access: { user: "superuser" },
  query: z.object({ status: Status.optional(), ...PageFields }),
  response: {
    status: 200,
    schema: z.object({
      events: z.array(
        z.object({
          id: z.string(),
          type: z.string(),
          object_id: z.string().nullable(),
          status: Status,
          attempts: z.int(),
          error: z.string().nullable().describe("Of the last attempt that failed"),
          created_at: Moment,
          settled_at: Moment.nullable(),
        }),
      ),
      total: z.int(),
      page: z.int(),
      pages: z.int(),
    }),
  },
  async handler({ services, query: { status, page, page_size: limit } }) {
    const { events, total } = await pageOfEvents(services.db, status, { limit, offset: (page - 1) * limit });
    return {
      events: events.map((event) => ({
        id: event.id,
        type: event.type,
        object_id: event.objectId,
        status: event.status,
        attempts: event.attempts,
        error: event.error,
        created_at: event.createdAt.toISOString(),
        settled_at: event.settledAt?.toISOString() ?? null,
      })),
      total,
      page,
      pages: Math.ceil(total / limit),
    };
  },
});
