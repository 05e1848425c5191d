import { createHmac } from "node:crypto";
import { type PlatformServer, servePlatform } from "./platform-server.ts";
import { answerAddress } from "./slack/addresses.ts";
import { blockActions, eventCallback, messageEvents, slashCommand } from "./slack/payloads.ts";
import { type EnvelopeType, SlackSockets } from "./slack/socket.ts";
import { type SentFile, type SlackMessage, SlackState, type SlackUser } from "./slack/state.ts";

const FORM = "application/x-www-form-urlencoded";

export type { SlackMessage, SlackUser };

/** What a person writes. */
export interface Said {
  channelId: string;
  text: string;
  author?: SlackUser;
  threadTs?: string;
  files?: readonly SentFile[];
}

/** What the webhook returned; undefined for what went over the socket. */
export type WebhookAnswer = { status: number; body: string } | undefined;

export interface SlackMock extends PlatformServer {
  /** Base address of the API, as in SLACK_API_BASE_URL. */
  url: string;
  credentials: { bot_token: string; signing_secret: string; app_token: string };
  bot: SlackUser;
  teamId: string;
  sockets: SlackSockets;
  /** Where events, clicks and commands go; undefined sends them over the socket. */
  webhookUrl: string | undefined;
  /** A person of the workspace, the same for the same name. */
  person(name: string): SlackUser;
  /** A channel, or with an id that begins with D a conversation of two. */
  addChannel(id: string, options?: { isMember?: boolean }): void;
  /** Makes Slack refuse what the bot does in a channel, such as with is_archived; undefined ends it. */
  refuse(channelId: string, error: string | undefined): void;
  /** Takes a scope from the app. */
  withoutScope(scope: string): void;
  /** Messages of the bot in a channel or in one of its threads, as they are now. */
  sent(channelId: string, threadTs?: string): readonly SlackMessage[];
  message(channelId: string, ts: string): SlackMessage | undefined;
  /** Statuses that the bot showed in threads. */
  statuses: readonly { channelId: string; threadTs: string; status: string }[];
  /** A message of a person. Returns its id, and what the webhook returned for each of its events. */
  say(said: Said): Promise<{ ts: string; answers: WebhookAnswer[] }>;
  /** Presses the button with this data below a message. */
  press(message: SlackMessage, data: string, by?: SlackUser): Promise<WebhookAnswer>;
  /** Uses a slash command, which begins with `/`. */
  command(channelId: string, command: string, text?: string, by?: SlackUser): Promise<WebhookAnswer>;
  /** Sends any event. A repetition has the id of the first, and a number. */
  event(event: object, repetition?: { eventId: string; number: number }): Promise<WebhookAnswer>;
  /** Headers that sign a body as Slack does, at a time in seconds. */
  signed(body: string, seconds?: number): Record<string, string>;
  /** Makes all addresses for responses so far too old. */
  expireResponses(): void;
}

/** Slack as an app of one workspace sees it: methods, files, responses, Socket Mode and signed requests. */
export async function startSlack(): Promise<SlackMock> {
  const state = new SlackState();
  const origin = (): string => server.origin;
  const sockets = new SlackSockets(origin);
  const context = { state, origin, newSocketUrl: () => sockets.newUrl() };
  const server: PlatformServer = await servePlatform({
    answer: (call) => answerAddress(context, call),
    busy: (seconds) => ({
      status: 429,
      headers: { "retry-after": String(seconds) },
      json: { ok: false, error: "ratelimited" },
    }),
    onUpgrade: (request, socket, head) => sockets.accept(request, socket, head),
  });

  const signed = (body: string, seconds = Math.floor(Date.now() / 1000)) => ({
    "x-slack-request-timestamp": String(seconds),
    "x-slack-signature": `v0=${createHmac("sha256", state.signingSecret).update(`v0:${seconds}:${body}`).digest("hex")}`,
  });

  async function post(body: string, headers: Record<string, string>): Promise<WebhookAnswer> {
    const url = mock.webhookUrl ?? "";
    const answer = await fetch(url, { method: "POST", headers: { ...headers, ...signed(body) }, body });
    return { status: answer.status, body: await answer.text() };
  }

  /** Over the socket, or as the body that the webhook gets. */
  async function hand(
    type: EnvelopeType,
    payload: object,
    body: string,
    headers: Record<string, string>,
  ): Promise<WebhookAnswer> {
    if (mock.webhookUrl !== undefined) return post(body, headers);
    sockets.deliver(type, payload);
    return undefined;
  }

  const newResponseUrl = (channelId: string, original?: SlackMessage) =>
    server.origin + state.addResponseTarget(channelId, original);

  const mock: SlackMock = {
    ...server,
    url: `${server.origin}/api`,
    credentials: {
      bot_token: state.botToken,
      signing_secret: state.signingSecret,
      app_token: state.appToken,
    },
    bot: state.botUser,
    teamId: state.teamId,
    sockets,
    webhookUrl: undefined,
    statuses: state.statuses,
    signed,
    person: (name) => state.person(name),
    addChannel(id, { isMember = true } = {}) {
      state.addChannel(id).isMember = isMember;
    },
    refuse(channelId, error) {
      state.addChannel(channelId).refusal = error;
    },
    withoutScope(scope) {
      state.missingScopes.add(scope);
    },
    sent: (channelId, threadTs) =>
      state.messages.filter(
        (one) => one.channelId === channelId && one.threadTs === threadTs && one.userId === state.botUser.id,
      ),
    message: (channelId, ts) => state.find(channelId, ts),
    async say({ channelId, text, author = state.person("ann"), threadTs, files = [] }) {
      state.addChannel(channelId);
      const message = state.addMessage({ channelId, userId: author.id, threadTs, text, files });
      const answers: WebhookAnswer[] = [];
      for (const event of messageEvents(state, message, server.origin)) answers.push(await mock.event(event));
      return { ts: message.ts, answers };
    },
    press(message, data, by = state.person("ann")) {
      const button = message.blocks
        .flatMap(({ elements = [] }) => elements)
        .find(({ value }) => value === data);
      if (button === undefined) throw new Error(`No button ${data} below ${message.ts}`);
      const responseUrl = newResponseUrl(message.channelId, message);
      const payload = blockActions(state, { message, button, by, responseUrl });
      const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
      return hand("interactive", payload, body, { "content-type": FORM });
    },
    command(channelId, command, text = "", by = state.person("ann")) {
      state.addChannel(channelId);
      const responseUrl = newResponseUrl(channelId);
      const payload = slashCommand(state, { channelId, command, text, by, responseUrl });
      const body = new URLSearchParams(payload).toString();
      return hand("slash_commands", payload, body, { "content-type": FORM });
    },
    event(event, repetition) {
      const payload = eventCallback(state, event);
      if (repetition !== undefined) payload["event_id"] = repetition.eventId;
      return hand("events_api", payload, JSON.stringify(payload), {
        "content-type": "application/json",
        ...(repetition !== undefined && {
          "x-slack-retry-num": String(repetition.number),
          "x-slack-retry-reason": "http_timeout",
        }),
      });
    },
    expireResponses() {
      for (const target of state.responses.values()) target.isExpired = true;
    },
  };
  return mock;
}
