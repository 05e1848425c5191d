import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { withoutSlash } from "#src/lib/without-slash.ts";
import type { ChannelAdapter } from "../channel.ts";

const credentials = z.object({
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

/** Signal has no webhook: its messages come by a connection to the bridge, and are read by `parseEnvelope`. */
export const signal: Omit<ChannelAdapter<z.infer<typeof credentials>>, "render"> = {
  platform: "signal",
  label: "Signal",
  credentials,
  setup({ credentials: { phone_number: number } }) {
    return [
      "Run signal-cli-rest-api where only this service can reach it: the bridge asks for no password.",
      `Register ${number} with it, or link it to a phone that has the number.`,
      "Set its mode to json-rpc, so that messages arrive at once.",
    ];
  },
  handshake({ method }) {
    return method === "GET" ? { empty: true } : undefined;
  },
  async verify() {
    return false;
  },
  parse() {
    throw new AppError("invalid_input", "Signal has no webhook");
  },
};
