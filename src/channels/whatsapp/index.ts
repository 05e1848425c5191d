import type { ChannelAdapter } from "../channel.ts";
import { jsonBody } from "../received.ts";
import { isHmacSha256, isSecret, signatureBytes } from "../signatures.ts";
import { whatsappApi } from "./api.ts";
import { credentials, type WhatsappCredentials } from "./credentials.ts";
import { parseDelivery } from "./parse.ts";
import { delivery } from "./wire.ts";

export const whatsapp: Omit<ChannelAdapter<WhatsappCredentials>, "render"> = {
  platform: "whatsapp",
  label: "WhatsApp",
  credentials,
  setup({ webhookUrl }) {
    return [
      `In the app dashboard, under WhatsApp and Configuration, enter ${webhookUrl ?? "the webhook's address"} as the callback URL, and the verify token that you chose.`,
      "Subscribe to the webhook field messages.",
      "Subscribe the WhatsApp business account to the app.",
      "WhatsApp delivers free text only within 24 hours of the person's last message.",
    ];
  },
  handshake({ method, query }, { verify_token: token }) {
    if (method !== "GET") return undefined;
    const isAsked = query.get("hub.mode") === "subscribe" && query.has("hub.challenge");
    if (!isSecret(query.get("hub.verify_token"), token) || !isAsked) return null;
    return { text: query.get("hub.challenge") ?? "" };
  },
  verify({ headers, body }, { credentials: { app_secret: secret } }) {
    const signature = signatureBytes(headers.get("x-hub-signature-256"), { prefix: "sha256=", length: 32 });
    return isHmacSha256(secret, body, signature);
  },
  parse(request, self, now) {
    return { reply: { empty: true }, events: parseDelivery(jsonBody(request, delivery), self, { now }) };
  },
  sendsAgain() {
    return true;
  },
  api: whatsappApi,
};
