import { z } from "zod";
import { withoutSlash } from "#src/lib/without-slash.ts";

/** What an owner enters of a bridge to Signal. */
export const credentials = z.object({
  /** The bridge is reached like every address that a user gives: guarded against private networks when it is fetched. */
  signal_cli_url: z
    .url({ protocol: /^https?$/u, error: "Must be the address of a Signal bridge, with http:// or https://" })
    .max(2_000)
    .transform(withoutSlash),
  phone_number: z
    .string()
    .trim()
    .regex(/^\+[1-9]\d{4,14}$/u, "Must be a phone number such as +4915112345678"),
});
export type SignalCredentials = z.infer<typeof credentials>;
