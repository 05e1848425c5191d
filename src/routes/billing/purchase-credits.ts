import { z } from "zod";
import { buyCredits, CREDIT_PACKAGES } from "#src/domain/billing/checkouts/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { returnOriginOf } from "#src/http/return-origin.ts";
import { oneOf } from "./one-of.ts";
import { PaymentPage } from "./payment-page.ts";

export const purchaseCredits = endpoint({
  operationId: "purchaseCredits",
  method: "post",
  path: "/api/billing/credits/purchase",
  summary: "Buy credits",
  description:
    "Opens a page on which the active team pays for a package. The credits are there once it is paid; they do not expire. The same wish within 30 minutes gets the same page.",
  tag: "Billing",
  access: { user: "any" },
  example: { package: "small" },
  body: z.object({ package: z.string().describe(CREDIT_PACKAGES.join(", ")) }),
  refusals: [400, 403, 404, 502, 503],
  response: { status: 200, schema: PaymentPage },
  async handler({ services, caller, body, request }) {
    const { teamId } = await requireTeam(services, caller, "billing.manage");
    const buyer = { userId: caller.userId, teamId, returnOrigin: returnOriginOf(request, services.config) };
    const { sessionId, url } = await buyCredits(
      services,
      buyer,
      oneOf(CREDIT_PACKAGES, body.package, "package"),
    );
    return { session_id: sessionId, url };
  },
});
