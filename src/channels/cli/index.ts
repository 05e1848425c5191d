import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { ChannelAdapter } from "../channel.ts";
import { receivedText } from "../received.ts";

const credentials = z.object({});

const frame = z.union([
  z.looseObject({ type: z.literal("message").optional(), text: z.string() }).transform(({ text }) => text),
  z
    .looseObject({ type: z.literal("message").optional(), message: z.string() })
    .transform(({ message }) => message),
]);

/** The text of a frame that a command-line client sent: JSON, or the text itself. Empty for other JSON objects. */
export function parseFrame(data: string): string {
  const isObject = safeParseJson(data, z.looseObject({})) !== undefined;
  return receivedText(isObject ? safeParseJson(data, frame)?.value : data);
}

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
};
