import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import type { ChannelAdapter } from "../channel.ts";
import { cliApi } from "./api.ts";

export { parseFrame, readFrame, type ClientFrame } from "./frames.ts";

const credentials = z.object({});

/** The command line has no webhook: its messages come by a WebSocket whose API key names the person. */
export const cli: Omit<ChannelAdapter<z.infer<typeof credentials>>, "render"> = {
  platform: "cli",
  label: "Command line",
  credentials,
  setup() {
    return ["Connect a command-line client with an API key of your account."];
  },
  handshake({ method }) {
    return method === "GET" ? { empty: true } : undefined;
  },
  async verify() {
    return false;
  },
  parse() {
    throw new AppError("invalid_input", "The command line has no webhook");
  },
  sendsAgain() {
    return false;
  },
  api: cliApi,
};
