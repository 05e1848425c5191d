import { z } from "zod";
import * as admin from "#src/domain/administration/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AdminUserParams, Reason } from "./user.ts";

const MAX_AMOUNT = 10_000_000;

export const adjustCredits = endpoint({
  operationId: "adjustUserCredits",
  method: "post",
  path: "/api/admin/users/:user/credits/adjust",
  summary: "Adjust purchased credits",
  description: "Adds to the purchased credits of a person's personal team, or deducts from them.",
  tag: "Administration",
  access: { user: "superuser" },
  params: AdminUserParams,
  example: { amount: 100, reason: "Compensation for an outage" },
  body: z.object({
    amount: z
      .int()
      .min(-MAX_AMOUNT)
      .max(MAX_AMOUNT)
      .refine((amount) => amount !== 0, "must not be 0"),
    reason: Reason,
  }),
  response: {
    status: 200,
    schema: z.object({
      success: z.literal(true),
      old_balance: z.int().describe("All credits of the team"),
      adjustment: z.int(),
      new_balance: z.int(),
      message: z.string(),
    }),
  },
  async handler({ services, caller, params, body: { amount, reason }, client }) {
    const by = { caller, address: client.address, reason };
    const { oldBalance, newBalance } = await admin.adjustCredits(services, by, params.user, amount);
    return {
      success: true as const,
      old_balance: oldBalance,
      adjustment: amount,
      new_balance: newBalance,
      message: amount > 0 ? `Added ${amount} credits` : `Took away ${-amount} credits`,
    };
  },
});
