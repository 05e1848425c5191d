import { z } from "zod";
import { verifyCheckout, type Settled } from "#src/domain/billing/checkouts/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { AppError } from "#src/lib/errors.ts";

const WasFulfilled = z.boolean().describe("Whether an earlier call had granted it already");

const Verified = z.union([
  z.object({
    status: z.literal("ok"),
    type: z.literal("credit_purchase"),
    credits_added: z.int(),
    already_fulfilled: WasFulfilled,
  }),
  z.object({
    status: z.literal("ok"),
    type: z.literal("subscription"),
    tier: z.string(),
    already_fulfilled: WasFulfilled,
  }),
  z.object({
    status: z.literal("ok"),
    type: z.enum(["deploy_purchase", "agent_purchase", "base_purchase"]),
    message: z.string(),
    already_fulfilled: WasFulfilled,
  }),
  z.object({ status: z.literal("pending"), message: z.string() }),
]);

export const verify = endpoint({
  operationId: "verifyCheckout",
  method: "post",
  path: "/api/billing/verify-checkout",
  summary: "Verify a checkout",
  description:
    "What became of a payment of the active team. What it paid for is granted now, if the provider's event did not come first.",
  tag: "Billing",
  access: { user: "any" },
  example: { session_id: "cs_test_example" },
  body: z.object({ session_id: text({ min: 1, max: 255 }) }),
  refusals: [400, 403, 404, 502, 503],
  response: { status: 200, schema: Verified },
  async handler({ services, caller, body: { session_id: sessionId } }) {
    const { teamId } = await requireTeam(services, caller, "billing.manage");
    const verified = await verifyCheckout(services, { sessionId, teamId });
    // Clients know an unknown session as 400.
    if (!verified) throw new AppError("invalid_input", "There is no such checkout");
    return describe(verified);
  },
});

function describe({ state, checkout, isNew }: Settled): z.input<typeof Verified> {
  if (state === "pending") return { status: "pending", message: "The payment has not arrived yet" };
  const { type } = checkout;
  const common = { status: "ok", already_fulfilled: !isNew } as const;
  if (type === "credit_purchase") return { ...common, type, credits_added: checkout.credits };
  if (type === "subscription") return { ...common, type, tier: checkout.item.split(":")[0] ?? "" };
  return { ...common, type, message: `${checkout.terms.name} is in your library` };
}
