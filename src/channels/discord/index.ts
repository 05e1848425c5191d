import { z } from "zod";
import type { ChannelAdapter } from "../channel.ts";
import { idText, secretText } from "../credentials.ts";
import { jsonBody } from "../received.ts";
import { discordApi } from "./api.ts";
import { parseInteraction } from "./parse.ts";
import { isSignedByDiscord, publicKeyBytes } from "./verify.ts";

const credentials = z.object({
  bot_token: secretText,
  application_id: idText,
  public_key: z
    .string()
    .trim()
    .toLowerCase()
    .refine(
      (key) => publicKeyBytes(key) !== undefined,
      "Must be the application's public key: 64 hexadecimal digits",
    ),
});

export const discord: Omit<ChannelAdapter<z.infer<typeof credentials>>, "render"> = {
  platform: "discord",
  label: "Discord",
  credentials,
  setup({ webhookUrl, credentials: { application_id: id } }) {
    const where =
      webhookUrl === null
        ? [
            "Leave the interactions endpoint URL of the application empty: Discord sends interactions either to it or over the gateway.",
          ]
        : [
            `In the Developer Portal enter ${webhookUrl} as the interactions endpoint URL; then Discord sends interactions nowhere else.`,
          ];
    return [
      ...where,
      "Under Bot switch the Message Content intent on, so that the bot can read messages that do not mention it.",
      `Invite the bot with https://discord.com/oauth2/authorize?client_id=${id}&scope=bot+applications.commands.`,
    ];
  },
  handshake({ method }) {
    return method === "GET" ? { json: { type: 1 } } : undefined;
  },
  verify(request, { credentials: { public_key: key } }, now) {
    return isSignedByDiscord(request, key, now);
  },
  parse(request, self) {
    return parseInteraction(jsonBody(request, z.unknown()), self);
  },
  /** The person sees that the interaction failed. */
  sendsAgain() {
    return false;
  },
  api: discordApi,
};
