import { z } from "zod";
import { payCreator as pay } from "#src/domain/billing/payouts/index.ts";
import { defineFunction } from "./serve.ts";

/** Sends the creator's share of a payment, and takes back what went back to the payer. */
export const payCreator = defineFunction({
  name: "pay-creator",
  payload: z.object({ transactionId: z.uuid() }),
  run: (services, { transactionId }) => pay(services, transactionId),
});
