import { z } from "zod";
import type { ChannelAdapter } from "../channel.ts";
import { secretText } from "../credentials.ts";
import { jsonBody } from "../received.ts";
import { isSecret } from "../signatures.ts";
import { telegramApi } from "./api.ts";
import { botOf, isStandIn } from "./calls.ts";
import { parseUpdate } from "./parse.ts";
import { update } from "./wire.ts";

/** A token goes into the path of every address of the Bot API. */
const token = secretText.regex(/^[\w:-]+$/u, "Must be a bot token as @BotFather gives it");

const credentials = z.object({ bot_token: token, pool_tokens: z.array(token).max(50).optional() });

export const telegram: Omit<ChannelAdapter<z.infer<typeof credentials>>, "render"> = {
  platform: "telegram",
  label: "Telegram",
  credentials,
  registersWebhook: true,
  setup() {
    return [
      "Open your bot in Telegram and send it /start.",
      "In groups the bot reads commands, replies to it and messages that mention it; to let it read everything, send /setprivacy to @BotFather.",
    ];
  },
  handshake({ method }) {
    return method === "GET" ? { empty: true } : undefined;
  },
  async verify({ headers }, { webhookSecret }) {
    return isSecret(headers.get("x-telegram-bot-api-secret-token"), webhookSecret);
  },
  parse(request, self) {
    return { reply: { empty: true }, events: parseUpdate(jsonBody(request, update), self) };
  },
  isStandIn({ bot_token: botToken }) {
    return isStandIn(botToken);
  },
  sendsAgain() {
    return true;
  },
  api({ bot_token: botToken }, environment) {
    return telegramApi(botOf(botToken, environment));
  },
};
