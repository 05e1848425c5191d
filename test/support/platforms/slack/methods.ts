import type { Answer, MadeCall } from "../platform-server.ts";
import { type Block, pingsOf, type SlackMessage, type SlackState, wireMessage } from "./state.ts";

const MAX_TEXT = 40_000;
const MAX_EDITED_TEXT = 4_000;
const MAX_BLOCKS = 50;
const MAX_SECTION = 3_000;

/** Arguments of a call, however they were sent. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A call that Slack refuses: HTTP 200 and the name of the error. */
class Refusal extends Error {
  readonly fields: object;
  constructor(error: string, fields: object = {}) {
    super(error);
    this.fields = fields;
  }
}

/** What the methods need. */
export interface MethodContext {
  state: SlackState;
  origin: () => string;
  /** A new address for a socket. */
  newSocketUrl: () => string;
}

type Method = (context: MethodContext, given: Arguments) => object;

/** Scopes of the methods that the bot calls. */
const SCOPES: Readonly<Record<string, string>> = {
  "chat.postMessage": "chat:write",
  "chat.update": "chat:write",
  "chat.delete": "chat:write",
  "reactions.add": "reactions:write",
  "conversations.open": "im:write",
  "files.getUploadURLExternal": "files:write",
  "files.completeUploadExternal": "files:write",
};

/** Slack's methods, as far as the bot calls them. Source: docs.slack.dev/reference/methods. */
const METHODS: Readonly<Record<string, Method>> = {
  "auth.test": ({ state }) => ({
    url: "https://mock.slack.com/",
    team: "Mock",
    user: state.botUser.name,
    team_id: state.teamId,
    user_id: state.botUser.id,
    bot_id: state.botId,
  }),

  "bots.info"({ state }, given) {
    if (given["bot"] !== state.botId) throw new Refusal("bot_not_found");
    return { bot: { id: state.botId, app_id: state.appId, name: state.botUser.name } };
  },

  "chat.postMessage"({ state }, given) {
    const channelId = writable(state, given["channel"]);
    const blocks = blocksOf(given["blocks"]);
    const text = optional(given["text"]) ?? "";
    if (text === "" && blocks === undefined) throw new Refusal("no_text");
    const message = state.addMessage({
      channelId,
      userId: state.botUser.id,
      threadTs: optional(given["thread_ts"]),
      text: text.slice(0, MAX_TEXT),
      blocks: blocks ?? [],
    });
    return { channel: channelId, ts: message.ts, message: wireMessage(message, state) };
  },

  "chat.update"({ state }, given) {
    const message = ownMessage(state, given, "cant_update_message");
    const text = optional(given["text"]);
    if (text !== undefined && text.length > MAX_EDITED_TEXT) throw new Refusal("msg_too_long");
    message.text = text ?? message.text;
    // Without the argument the blocks stay.
    message.blocks = blocksOf(given["blocks"]) ?? message.blocks;
    message.pings.push(...pingsOf(text ?? ""));
    message.edits += 1;
    return { channel: message.channelId, ts: message.ts, text: message.text };
  },

  "chat.delete"({ state }, given) {
    const message = ownMessage(state, given, "cant_delete_message");
    state.remove(message);
    return { channel: message.channelId, ts: message.ts };
  },

  "reactions.add"({ state }, given) {
    const name = String(given["name"]);
    if (!/^[a-z0-9_+-]+$/u.test(name)) throw new Refusal("invalid_name");
    const message = state.find(given["channel"], given["timestamp"]);
    if (message === undefined) throw new Refusal("message_not_found");
    if (message.reactions.includes(name)) throw new Refusal("already_reacted");
    message.reactions.push(name);
    return {};
  },

  "assistant.threads.setStatus"({ state }, given) {
    const channelId = writable(state, given["channel_id"]);
    const threadTs = optional(given["thread_ts"]);
    if (threadTs === undefined) throw new Refusal("invalid_thread_ts");
    state.statuses.push({ channelId, threadTs, status: String(given["status"]) });
    return {};
  },

  "conversations.open"({ state }, given) {
    const known = [...state.people.values()].find(({ id }) => id === given["users"]);
    if (known === undefined) throw new Refusal("user_not_found");
    const { id } = state.addChannel(known.id.replace(/^U/u, "D"));
    return { channel: { id } };
  },

  "files.getUploadURLExternal"({ state, origin }, given) {
    const length = Number(given["length"]);
    if (!(length > 0)) throw new Refusal("invalid_arguments");
    const id = `F0MOCK${state.next()}`;
    state.uploads.set(id, { filename: String(given["filename"]), length, bytes: undefined });
    return { upload_url: `${origin()}/upload/v1/${id}`, file_id: id };
  },

  "files.completeUploadExternal"({ state }, given) {
    const listed = read(given["files"]);
    const ids = Array.isArray(listed) ? listed.map((file: { id?: string }) => String(file.id)) : [];
    const files = ids.map((id) => {
      const upload = state.uploads.get(id);
      if (upload?.bytes === undefined) throw new Refusal("file_not_found");
      return { filename: upload.filename, mimeType: "application/octet-stream", bytes: upload.bytes };
    });
    const channel = given["channel_id"];
    if (channel !== undefined) {
      const channelId = writable(state, channel);
      const threadTs = optional(given["thread_ts"]);
      state.addMessage({ channelId, userId: state.botUser.id, threadTs, files });
    }
    return { files: ids.map((id) => ({ id, title: state.uploads.get(id)?.filename })) };
  },

  "apps.connections.open": ({ newSocketUrl }) => ({ url: newSocketUrl() }),
};

/** Returns what Slack returns for a method. */
export function answerMethod(context: MethodContext, name: string, call: MadeCall): Answer {
  const { state } = context;
  try {
    const method = METHODS[name];
    if (method === undefined) throw new Refusal("unknown_method");
    const isApp = name === "apps.connections.open";
    const token = call.headers["authorization"]?.replace(/^Bearer /u, "");
    if (token === undefined) throw new Refusal("not_authed");
    if (token !== (isApp ? state.appToken : state.botToken)) {
      throw new Refusal(isApp && token.startsWith("x") ? "not_allowed_token_type" : "invalid_auth");
    }
    const scope = SCOPES[name];
    if (scope !== undefined && state.missingScopes.has(scope)) {
      throw new Refusal("missing_scope", { needed: scope, provided: "chat:write" });
    }
    return { json: { ok: true, ...method(context, argumentsOf(call)) } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { json: { ok: false, error: error.message, ...error.fields } };
  }
}

function argumentsOf({ headers, body }: MadeCall): Arguments {
  if (headers["content-type"]?.startsWith("application/json")) return JSON.parse(body.toString());
  return Object.fromEntries(new URLSearchParams(body.toString()));
}

function optional(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** What is in a form as JSON. */
function read(value: unknown): unknown {
  return typeof value === "string" ? JSON.parse(value) : value;
}

function writable(state: SlackState, id: unknown): string {
  const channel = state.channels.get(String(id));
  if (channel === undefined) throw new Refusal("channel_not_found");
  if (channel.refusal !== undefined) throw new Refusal(channel.refusal);
  if (!channel.isMember) throw new Refusal("not_in_channel");
  return channel.id;
}

function ownMessage(state: SlackState, given: Arguments, refusal: string): SlackMessage {
  const message = state.find(writable(state, given["channel"]), given["ts"]);
  if (message === undefined) throw new Refusal("message_not_found");
  if (message.userId !== state.botUser.id) throw new Refusal(refusal);
  return message;
}

/** Undefined when there is no such argument; throws for what Slack refuses. */
export function blocksOf(value: unknown): Block[] | undefined {
  if (value === undefined) return undefined;
  const blocks = read(value);
  if (!Array.isArray(blocks) || blocks.length > MAX_BLOCKS || !blocks.every(isGoodBlock)) {
    throw new Refusal("invalid_blocks");
  }
  return blocks;
}

function isGoodBlock(block: Block): boolean {
  if (block.type === "section") {
    const text = block.text?.text ?? "";
    return text !== "" && text.length <= MAX_SECTION;
  }
  const buttons = block.elements ?? [];
  const ids = new Set(buttons.map((button) => button.action_id));
  return (
    block.type === "actions" &&
    buttons.length > 0 &&
    buttons.length <= 25 &&
    ids.size === buttons.length &&
    buttons.every(
      ({ text, value, action_id: id }) =>
        text.text !== "" && text.text.length <= 75 && value.length <= 2_000 && id.length <= 255,
    )
  );
}
