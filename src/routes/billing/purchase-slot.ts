import { z } from "zod";
import { buySlot } from "#src/domain/billing/checkouts/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { returnOriginOf } from "#src/http/return-origin.ts";

export const purchaseSlot = endpoint({
  operationId: "purchaseDeploymentSlot",
  method: "post",
  path: "/api/billing/deploy/purchase",
  aliases: ["/api/projects/deployment/purchase-slot"],
  summary: "Buy a deployment slot",
  description:
    "Opens a page on which the active team pays for one deployment beyond those of its tier, for good.",
  tag: "Billing",
  access: { user: "any" },
  refusals: [403, 404, 502, 503],
  response: {
    status: 200,
    schema: z.object({
      session_id: z.string(),
      checkout_url: z.string().describe("Address of the page"),
      url: z.string().describe("As `checkout_url`"),
    }),
  },
  async handler({ services, caller, request }) {
    const { teamId } = await requireTeam(services, caller, "billing.manage");
    const buyer = { userId: caller.userId, teamId, returnOrigin: returnOriginOf(request, services.config) };
    const { sessionId, url } = await buySlot(services, buyer);
    return { session_id: sessionId, checkout_url: url, url };
  },
});
