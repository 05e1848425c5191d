import { AppError } from "#src/lib/errors.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";

/** The platform takes 4,096: https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
const DISCORD_TEXT_CHARS = 4_000;
const DISCORD_COLOR = 0x7c3aed;

/**
 * Posts a text to a webhook of Discord. Throws `too_large`, `rate_limited`, `unavailable`, and `conflict` for a refusal.
 * https://discord.com/developers/docs/resources/webhook#execute-webhook. The address is a secret: no error contains it.
 */
export async function postToDiscord(
  safeFetch: SafeFetch,
  webhookUrl: string,
  { text, sender }: { text: string; sender: string },
): Promise<void> {
  if (text.length > DISCORD_TEXT_CHARS) {
    const sizes = `${text.length} characters, and Discord takes ${DISCORD_TEXT_CHARS}`;
    throw new AppError("too_large", `The message has ${sizes}: shorten it, or send it in parts`);
  }
  const embed = {
    title: "Agent Notification",
    description: text,
    color: DISCORD_COLOR,
    timestamp: new Date().toISOString(),
    footer: { text: sender },
  };
  const status = await post(safeFetch, webhookUrl, {
    embeds: [embed],
    // Mentions in an agent's text notify no member of the channel.
    allowed_mentions: { parse: [] },
  });
  if (status === 200 || status === 204) return;
  if (status === 429) throw new AppError("rate_limited", "Discord takes no more messages for a moment");
  if (status >= 500) throw new AppError("unavailable", `Discord did not take the message (status ${status})`);
  throw new AppError("conflict", `Discord refused the message (status ${status})`);
}

async function post(safeFetch: SafeFetch, url: string, json: unknown): Promise<number> {
  try {
    const { status } = await safeFetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(json),
      maxRedirects: 0,
    });
    return status;
  } catch {
    // Whether the message arrived is unknown: the error must not say that it did not.
    throw new AppError("unavailable", "Discord could not be reached, or did not answer");
  }
}
