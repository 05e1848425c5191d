import { z } from "zod";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { dayOrMoment } from "#src/http/schemas.ts";

/** Clients send it in the query or in the body. It has no effect. */
const Start = z.object({ start_date: dayOrMoment().optional() });

export const syncUsage = endpoint({
  operationId: "syncUsage",
  method: "post",
  path: "/api/billing/usage/sync",
  summary: "Synchronise usage",
  description:
    "For existing clients: usage is recorded with each call, so that there is never anything to add.",
  tag: "Billing",
  access: { user: "any" },
  query: Start,
  example: {},
  body: Start,
  refusals: [403, 404],
  response: {
    status: 200,
    schema: z.object({ success: z.literal(true), logs_synced: z.literal(0), message: z.string() }),
  },
  async handler({ services, caller }) {
    await requireTeam(services, caller, "billing.manage");
    return { success: true as const, logs_synced: 0 as const, message: "All usage is recorded already" };
  },
});
