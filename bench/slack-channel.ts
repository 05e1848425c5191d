import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { apiClient } from "#test/support/api-client.ts";
import type { SlackMock } from "#test/support/platforms/slack.ts";
import { HttpClient, type Answer } from "./http-client.ts";

const POLL_MS = 1;
/** Ends a wait for what never comes. */
const NEVER_MS = 60_000;

/** A person in a private chat with the bot. */
export interface SlackPerson {
  /** Calls the service's webhook as Slack does. Returns the acknowledgement. */
  write(text: string): Promise<Answer>;
  /** Waits until the bot has replied to everything that the person wrote. */
  replied(): Promise<void>;
}

/** A bot at a Slack. */
export interface SlackChannel {
  /** A new account with a channel of its own, which works in its default workspace, and a person who is linked there. */
  newPerson(): Promise<SlackPerson>;
  close(): void;
}

/** Connects a service to a Slack that calls its webhooks. */
export function connectSlack(url: string, slack: SlackMock): SlackChannel {
  const api = apiClient(url);
  const http = new HttpClient(url);
  let messages = 0;

  /** Connects the bot for an account. Returns where Slack calls its webhook. */
  async function connect(token: string): Promise<string> {
    const { bot_token, signing_secret } = slack.credentials;
    const made = await api.call<{ webhook_url: string }>("POST", "/api/channels", {
      token,
      json: { channel_type: "slack", credentials: { bot_token, signing_secret } },
    });
    if (made.status !== 200) throw new Error(`The channel was not made: ${made.text}`);
    const { pathname, search } = new URL(made.body.webhook_url);
    return pathname + search;
  }

  function write(webhook: string, user: string, channel: string, text: string): Promise<Answer> {
    messages += 1;
    const seconds = Math.floor(Date.now() / 1000);
    const ts = `${seconds}.${String(messages).padStart(6, "0")}`;
    const event = { type: "message", user, text, ts, channel, event_ts: ts, channel_type: "im" };
    const body = {
      type: "event_callback",
      team_id: slack.teamId,
      event_id: `Ev${ts}`,
      event_time: seconds,
      event,
    };
    return http.request("POST", webhook, body, slack.signed(JSON.stringify(body)));
  }

  async function link(token: string, channel: string): Promise<void> {
    const texts = slack.sent(channel).map(({ text }) => text);
    const [code] = /\b[A-HJ-NP-Z2-9]{8}\b/u.exec(texts.join("\n")) ?? [];
    const json = { platform: "slack", pairing_code: code };
    const { status, text } = await api.call("POST", "/api/gateway/pair/verify", { token, json });
    if (status !== 200) throw new Error(`The person was not linked: ${text}`);
  }

  return {
    async newPerson() {
      // Another one than those whom earlier measurements linked in the same database.
      const user = `U0${randomBytes(6).toString("hex").toUpperCase()}`;
      const channel = `D0${user}`;
      slack.addChannel(channel);
      const replies = () => slack.sent(channel).filter(({ text }) => text === "Done.").length;
      const { token } = await api.signUp("bench");
      const webhook = await connect(token);
      await write(webhook, user, channel, "hello");
      await until(() => slack.sent(channel).length > 0);
      await link(token, channel);
      let written = 0;
      return {
        write(text) {
          written += 1;
          return write(webhook, user, channel, text);
        },
        replied: () => until(() => replies() >= written),
      };
    },
    close: () => http.close(),
  };
}

async function until(done: () => boolean): Promise<void> {
  const deadline = performance.now() + NEVER_MS;
  while (!done()) {
    if (performance.now() > deadline) throw new Error("The bot does not reply");
    await pause(POLL_MS);
  }
}
