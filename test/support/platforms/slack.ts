import { createHmac, randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { type Answer, type MadeCall, PlatformServer, type SentFile, textOf } from "./platform-server.ts";
import { SlackApi, type SlackMessage, type SlackUser } from "./slack-api.ts";

const FORM = "application/x-www-form-urlencoded";

export type { SlackUser };

/** What the webhook returned; undefined for what went over the socket. */
type WebhookAnswer = { status: number; body: string } | undefined;

/**
 * Slack as an app of one workspace sees it: methods, files, responses, Socket Mode and signed requests. How connections of Socket
 * Mode end and are replaced is scripted in `test/channels/slack/connection.test.ts`. Sources: docs.slack.dev, and the protocol as
 * @slack/socket-mode speaks it.
 */
export class SlackMock extends PlatformServer {
  readonly #api = new SlackApi(
    () => this.origin,
    () => this.#newSocketUrl(),
  );
  readonly #signingSecret = randomBytes(16).toString("hex");
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #tickets = new Set<string>();
  readonly #connections = new Set<WebSocket>();
  readonly credentials = { ...this.#api.tokens, signing_secret: this.#signingSecret };
  readonly bot = this.#api.bot;
  readonly teamId = this.#api.teamId;
  /** Statuses that the bot showed in threads. */
  readonly statuses = this.#api.statuses;
  /** Ids of the envelopes that clients acknowledged, in order. */
  readonly acks: string[] = [];
  /** Where events, clicks and commands go; undefined sends them over the socket. */
  webhookUrl: string | undefined;

  /** Base address of the API, as in SLACK_API_BASE_URL. */
  get url(): string {
    return `${this.origin}/api`;
  }

  /** How many connections get envelopes. */
  get listening(): number {
    return this.#connections.size;
  }

  /** A person of the workspace, the same for the same name. */
  person(name: string): SlackUser {
    const user = this.#api.people.get(name) ?? { id: `U0PERSON${this.#api.next()}`, name };
    this.#api.people.set(name, user);
    return user;
  }

  /** A channel, or with an id that begins with D a conversation of two. */
  addChannel(id: string): void {
    if (!this.#api.channels.has(id)) this.#api.channels.set(id, undefined);
  }

  /** Makes Slack refuse what the bot does in a channel, such as with is_archived. */
  refuse(channelId: string, error: string): void {
    this.#api.channels.set(channelId, error);
  }

  /** Takes the scope `files:read` from the app. */
  hideFiles(): void {
    this.#api.mayReadFiles = false;
  }

  /** Messages of the bot in a channel or in one of its threads, as they are now. */
  sent(channelId: string, threadTs?: string): readonly SlackMessage[] {
    return this.#api.messages.filter(
      (one) => one.channelId === channelId && one.threadTs === threadTs && one.userId === this.bot.id,
    );
  }

  message(channelId: string, ts: string): SlackMessage | undefined {
    return this.#api.find(channelId, ts);
  }

  /** A message of a person; a mention in a channel makes two events. Returns its id, and what the webhook returned for each. */
  async say(said: {
    channelId: string;
    text: string;
    author?: SlackUser;
    threadTs?: string;
  }): Promise<{ ts: string; answers: WebhookAnswer[] }> {
    const { channelId, text, author = this.person("ann"), threadTs } = said;
    this.addChannel(channelId);
    const { ts } = this.#api.addMessage({ channelId, userId: author.id, threadTs, text });
    const isDirect = channelId.startsWith("D");
    const shared = {
      user: author.id,
      text,
      ts,
      team: this.teamId,
      channel: channelId,
      event_ts: ts,
      ...(threadTs !== undefined && {
        thread_ts: threadTs,
        parent_user_id: this.#api.find(channelId, threadTs)?.userId,
      }),
    };
    const kind = { type: "message", channel_type: isDirect ? "im" : "channel" };
    const answers = [await this.event({ ...kind, ...shared })];
    if (!isDirect && text.includes(`<@${this.bot.id}>`)) {
      answers.push(await this.event({ type: "app_mention", ...shared }));
    }
    return { ts, answers };
  }

  /** Presses the button with this data below a message. */
  press(message: SlackMessage, data: string, by = this.person("ann")): Promise<WebhookAnswer> {
    const button = message.blocks
      .flatMap(({ elements = [] }) => elements)
      .find(({ value }) => value === data);
    if (button === undefined) throw new Error(`No button ${data} below ${message.ts}`);
    const { channelId: id, ts, threadTs } = message;
    const payload = {
      type: "block_actions",
      user: { id: by.id, username: by.name, name: by.name, team_id: this.teamId },
      container: { type: "message", message_ts: ts, channel_id: id },
      team: { id: this.teamId, domain: "mock" },
      channel: { id, name: "mock" },
      message: { ts, ...(threadTs !== undefined && { thread_ts: threadTs }), text: message.text },
      response_url: this.#api.newResponseUrl(id),
      actions: [{ ...button, block_id: "block", action_ts: this.#api.newTs() }],
    };
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    return this.#hand("interactive", payload, body, { "content-type": FORM });
  }

  /** Uses a slash command, which begins with `/`: a form over HTTP, an object over a socket. */
  command(channelId: string, command: string, text = "", by = this.person("ann")): Promise<WebhookAnswer> {
    this.addChannel(channelId);
    const payload = {
      team_id: this.teamId,
      channel_id: channelId,
      channel_name: channelId.startsWith("D") ? "directmessage" : "mock",
      user_id: by.id,
      user_name: by.name,
      command,
      text,
      response_url: this.#api.newResponseUrl(channelId),
      trigger_id: `${this.#api.next()}.trigger`,
    };
    const body = new URLSearchParams(payload).toString();
    return this.#hand("slash_commands", payload, body, { "content-type": FORM });
  }

  /** Sends any event. A redelivery has the id of the first, and a number. */
  event(event: object, redelivery?: { eventId: string; number: number }): Promise<WebhookAnswer> {
    const payload = {
      team_id: this.teamId,
      event,
      type: "event_callback",
      event_id: redelivery?.eventId ?? `Ev${this.#api.next()}`,
      authorizations: [{ team_id: this.teamId, user_id: this.bot.id, is_bot: true }],
    };
    const retry = redelivery && { "x-slack-retry-num": String(redelivery.number) };
    const headers = { "content-type": "application/json", ...retry };
    return this.#hand("events_api", payload, JSON.stringify(payload), headers);
  }

  /** Headers that sign a body as Slack does. */
  signed(body: string): Record<string, string> {
    const seconds = String(Math.floor(Date.now() / 1000));
    const hmac = createHmac("sha256", this.#signingSecret).update(`v0:${seconds}:${body}`).digest("hex");
    return { "x-slack-request-timestamp": seconds, "x-slack-signature": `v0=${hmac}` };
  }

  /** A new address for responses. */
  newResponseUrl(channelId: string): string {
    return this.#api.newResponseUrl(channelId);
  }

  /** The address of a file that a person sent. */
  newFileUrl(file: SentFile): string {
    return this.#api.newFileUrl(file);
  }

  /** Makes all addresses for responses so far too old. */
  expireResponses(): void {
    for (const target of this.#api.responses.values()) target.isExpired = true;
  }

  /** Over the socket, or as the body that the webhook gets. */
  async #hand(
    type: string,
    payload: object,
    body: string,
    headers: Record<string, string>,
  ): Promise<WebhookAnswer> {
    if (this.webhookUrl === undefined) {
      const [open] = this.#connections;
      open?.send(JSON.stringify({ envelope_id: randomUUID(), type, payload }));
      return undefined;
    }
    const signed = { ...headers, ...this.signed(body) };
    const answer = await fetch(this.webhookUrl, { method: "POST", headers: signed, body });
    return { status: answer.status, body: await answer.text() };
  }

  /** Good once. */
  #newSocketUrl(): string {
    const ticket = randomBytes(12).toString("hex");
    this.#tickets.add(ticket);
    return `${this.origin.replace(/^http/u, "ws")}/link/?ticket=${ticket}`;
  }

  protected override onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { searchParams } = new URL(request.url ?? "/", "http://socket.test");
    if (!this.#tickets.delete(searchParams.get("ticket") ?? "")) {
      socket.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on("message", (data) => {
        const { envelope_id: id }: { envelope_id?: string } = JSON.parse(textOf(data));
        if (id !== undefined) this.acks.push(id);
      });
      opened.on("close", () => this.#connections.delete(opened));
      this.#connections.add(opened);
      opened.send(JSON.stringify({ type: "hello", num_connections: this.listening }));
    });
  }

  protected override answer(call: MadeCall): Answer {
    return this.#api.answer(call);
  }

  protected override busy(seconds: number): Answer {
    const json = { ok: false, error: "ratelimited" };
    return { status: 429, headers: { "retry-after": String(seconds) }, json };
  }
}

export function startSlack(): Promise<SlackMock> {
  return new SlackMock().open();
}
