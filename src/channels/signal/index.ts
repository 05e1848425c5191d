import { AppError } from "#src/lib/errors.ts";
import type { ChannelAdapter } from "../channel.ts";
import { signalApi } from "./api.ts";
import { credentials, type SignalCredentials } from "./credentials.ts";

/** Signal has no webhook: its messages come by a connection to the bridge, and are read by `parseEnvelope`. */
export const signal: Omit<ChannelAdapter<SignalCredentials>, "render"> = {
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
  sendsAgain() {
    return false;
  },
  api: signalApi,
};
