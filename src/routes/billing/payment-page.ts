import { z } from "zod";

/** A page of the payment provider on which the caller pays. */
export const PaymentPage = z
  .object({ session_id: z.string(), url: z.string().describe("Address of the page") })
  .meta({ id: "PaymentPage" });

/** Another page of the payment provider, open for minutes. */
export const ProviderPage = z
  .object({ url: z.string().describe("Address of the page") })
  .meta({ id: "ProviderPage" });
