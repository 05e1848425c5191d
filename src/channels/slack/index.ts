import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { ChannelAdapter } from "../channel.ts";
import { secretText } from "../credentials.ts";
import { isHmacSha256, isSignedNow, signatureBytes, withPrefix } from "../signatures.ts";
import { slackApi } from "./api.ts";
import { parseDelivery } from "./parse.ts";

const credentials = z.object({
  bot_token: secretText.refine(
    (token) => !/^xapp-|^xoxp-/u.test(token),
    "Must be the bot token, which begins with xoxb-",
  ),
  signing_secret: secretText,
  app_token: secretText
    .refine((token) => !token.startsWith("xox"), "Must be the app-level token, which begins with xapp-")
    .optional(),
});

/** What asks for the address to be confirmed is short, and comes before any signature is checked. */
const MAX_VERIFICATION_BYTES = 4_096;

const urlVerification = z.looseObject({
  type: z.literal("url_verification"),
  challenge: z.string().max(1_000),
});

export const slack: Omit<ChannelAdapter<z.infer<typeof credentials>>, "render"> = {
  platform: "slack",
  label: "Slack",
  credentials,
  setup({ webhookUrl }) {
    const where =
      webhookUrl !== null
        ? [
            `Under Event Subscriptions enter ${webhookUrl} as the request URL.`,
            "Under Interactivity & Shortcuts, and for every slash command, enter the same address.",
          ]
        : ["Switch Socket Mode on; the app-level token needs the scope connections:write."];
    return [
      ...where,
      "Subscribe to the bot events app_mention, message.im, message.channels and message.groups.",
      "Give the bot the scopes app_mentions:read, chat:write, im:history, im:write, channels:history, groups:history, files:read, files:write and reactions:write, and install the app again.",
      "Under App Home switch the Messages tab on and let people write in it.",
    ];
  },
  handshake({ method, query, body }) {
    if (method === "GET") return { json: { challenge: query.get("challenge") ?? "" } };
    if (body.length > MAX_VERIFICATION_BYTES) return undefined;
    const asked = safeParseJson(new TextDecoder().decode(body), urlVerification);
    return asked && { json: { challenge: asked.value.challenge } };
  },
  async verify({ headers, body }, { credentials: { signing_secret: secret } }, now) {
    const time = headers.get("x-slack-request-timestamp");
    if (!isSignedNow(time, now)) return false;
    const signature = signatureBytes(headers.get("x-slack-signature"), { prefix: "v0=", length: 32 });
    return isHmacSha256(secret, withPrefix(`v0:${time}:`, body), signature);
  },
  parse: parseDelivery,
  /** Of a click or a slash command the person sees that it failed. */
  sendsAgain(event) {
    return event.kind === "message" && event.replyTarget === undefined;
  },
  api: slackApi,
};
