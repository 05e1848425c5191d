import { z } from "zod";
import { declareFunction } from "#src/work/message.ts";

/** The creator's share of a payment is to be sent, or taken back. */
export const payoutDue = declareFunction({
  name: "pay-creator",
  message: z.object({ transactionId: z.uuid() }),
});
