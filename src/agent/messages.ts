import { AppError } from "#src/lib/errors.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";

/** A message from the agent to a person outside of the chat. */
export interface AgentMessage {
  /** Name of a platform, e.g. `discord`. */
  channel: string;
  /** Person or chat on the platform; undefined leaves the choice to the channel. */
  target: string | undefined;
  text: string;
  /** Name shown as the sender, where the channel shows one. */
  sender: string;
}

/** How a message was sent. */
export interface SentMessage {
  /** `webhook` posts everything to one place and ignores the target. */
  via: "channel" | "webhook";
}

/** Sends the agent's messages. */
export interface AgentMessages {
  /**
   * Resolves when the platform has accepted the message. Throws `not_found` where no channel of that name is connected,
   * `too_large` for a text above the channel's limit, `rate_limited` and `unavailable` where trying again may help, and
   * `conflict` where the platform refuses the message for good.
   */
  send(message: AgentMessage): Promise<SentMessage>;
}

export interface AgentMessageDeps {
  safeFetch: SafeFetch;
  config: { AGENT_DISCORD_WEBHOOK_URL?: string | undefined };
}

/** The channels for the agent's messages: the one webhook that the service may be configured with. */
export function agentMessages(deps: AgentMessageDeps): AgentMessages {
  const { AGENT_DISCORD_WEBHOOK_URL: webhookUrl } = deps.config;
  return {
    async send(message) {
      if (message.channel !== "discord" || webhookUrl === undefined) {
        throw new AppError(
          "not_found",
          `No channel of the name "${message.channel.slice(0, 80)}" is connected`,
        );
      }
      await postToDiscord(deps.safeFetch, webhookUrl, message);
      return { via: "webhook" };
    },
  };
}

/** The platform takes 4,096: https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
const DISCORD_TEXT_CHARS = 4_000;
const DISCORD_COLOR = 0x7c3aed;

/**
 * https://discord.com/developers/docs/resources/webhook#execute-webhook. The address is a secret: no error contains it.
 */
async function postToDiscord(
  safeFetch: SafeFetch,
  webhookUrl: string,
  { text, sender }: AgentMessage,
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
