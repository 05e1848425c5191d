import { AppError } from "#src/lib/errors.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";

/** What the agent says to a person outside of its chat. */
export interface AgentMessage {
  /** Name of a platform, e.g. `discord`. */
  channel: string;
  /** Person, or chat of the platform; undefined leaves it to the channel. */
  target: string | undefined;
  text: string;
  /** Name under which it is shown, where the channel shows one. */
  sender: string;
}

/** How a message went out. */
export interface SentMessage {
  /** `webhook` has one place that everything goes to, whatever the target. */
  via: "channel" | "webhook";
}

/** The way out for messages. */
export interface AgentMessages {
  /**
   * Resolves when the platform has taken the message. Throws `not_found` where no channel of that name is connected,
   * `too_large` for a text the channel cannot carry, `rate_limited` and `unavailable` where trying again may help, and
   * `conflict` where the platform refuses it for good.
   */
  send(message: AgentMessage): Promise<SentMessage>;
}

export interface AgentMessageDeps {
  safeFetch: SafeFetch;
  config: { AGENT_DISCORD_WEBHOOK_URL?: string | undefined };
}

/** Where the agent's messages go: the one webhook that the service may have been given. */
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

/** https://discord.com/developers/docs/resources/webhook#execute-webhook. The address is a secret: no failure tells it. */
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
    // What an agent writes calls nobody.
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
    // Whether it arrived is unknown: this must not say that it did not.
    throw new AppError("unavailable", "Discord could not be reached, or did not answer");
  }
}
