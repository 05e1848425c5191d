import type { Answer, MadeCall } from "../platform-server.ts";
import { answerInteractions } from "./interaction-replies.ts";
import { change, contentFault, errorAnswer, pingsOf, readMessage, type RestContext } from "./messages.ts";
import type { DiscordState } from "./state.ts";

const MAX_FILE_BYTES = 10 * 1024 * 1024;
const API = "/api/v10";

const NO_CONTENT: Answer = { status: 204 };

/**
 * Returns what Discord returns for a call that the bot makes, with the headers of its limits. Sources: discord-api-docs,
 * resources and reference.
 */
export function answerRest(context: RestContext, call: MadeCall): Answer {
  const file = context.state.files.get(call.path);
  if (file !== undefined) {
    return { headers: { "content-type": file.mimeType }, bytes: file.bytes };
  }
  if (!call.path.startsWith(`${API}/`)) return { status: 404, text: "" };
  if (!/^DiscordBot \(.+, .+\)/u.test(call.headers["user-agent"] ?? "")) return errorAnswer(40_333);
  const answer = route(context, call, call.path.slice(API.length));
  const limits = {
    "x-ratelimit-limit": "5",
    "x-ratelimit-remaining": "4",
    "x-ratelimit-reset-after": "1.000",
    "x-ratelimit-bucket": "mock",
  };
  return { ...answer, headers: { ...limits, ...answer.headers } };
}

function route(context: RestContext, call: MadeCall, path: string): Answer {
  const interaction = answerInteractions(context, call, path);
  if (interaction !== undefined) return interaction;
  const { state } = context;
  if (call.headers["authorization"] !== `Bot ${state.token}`) {
    return { status: 401, json: { message: "401: Unauthorized", code: 0 } };
  }
  const { bot, applicationId } = state;
  switch (`${call.method} ${path}`) {
    case "GET /gateway/bot": {
      return { json: context.gateway() };
    }
    case "GET /users/@me": {
      return { json: bot };
    }
    case "GET /applications/@me": {
      return { json: { id: applicationId, name: "Helper", verify_key: context.publicKey, bot } };
    }
    case "POST /users/@me/channels": {
      return openDirect(state, call);
    }
    case `PUT /applications/${applicationId}/commands`: {
      const commands: unknown[] = JSON.parse(call.body.toString());
      state.commands.splice(0, state.commands.length, ...commands);
      return { json: state.commands };
    }
    default: {
      return answerChannel(context, call, path);
    }
  }
}

function openDirect(state: DiscordState, { body }: MadeCall): Answer {
  const { recipient_id: person }: { recipient_id?: string } = JSON.parse(body.toString());
  if (person === undefined || !/^\d+$/u.test(person)) return errorAnswer(50_033);
  const { id } = state.directChannel(person);
  return { json: { id, type: 1, recipients: [{ id: person }] } };
}

function answerChannel(context: RestContext, call: MadeCall, path: string): Answer {
  const match = /^\/channels\/([^/]+)\/(messages|typing)(?:\/([^/]+))?(?:\/reactions\/([^/]+)\/@me)?$/u.exec(
    path,
  );
  if (match === null) return errorAnswer(0);
  const { state } = context;
  const [, channelId = "", kind, messageId, emoji] = match.map((part) =>
    part === undefined ? undefined : decodeURIComponent(part),
  );
  const channel = state.channels.get(channelId);
  if (channel === undefined) return errorAnswer(10_003);
  if (channel.refusal !== undefined) return errorAnswer(channel.refusal);
  if (kind === "typing") {
    state.typing.push(channelId);
    return NO_CONTENT;
  }
  if (messageId === undefined)
    return call.method === "POST" ? create(context, call, channelId) : errorAnswer(0);
  const message = state.messages.find((one) => one.channelId === channelId && one.id === messageId);
  if (message === undefined) return errorAnswer(10_008);
  if (emoji !== undefined && call.method === "PUT") {
    if (!/\p{Extended_Pictographic}/u.test(emoji)) return errorAnswer(10_014);
    if (!message.reactions.includes(emoji)) message.reactions.push(emoji);
    return NO_CONTENT;
  }
  if (message.author.id !== state.bot.id) return errorAnswer(call.method === "DELETE" ? 50_013 : 50_005);
  if (call.method === "DELETE") {
    state.removeMessage(message);
    return NO_CONTENT;
  }
  return call.method === "PATCH" ? change(context, message, readMessage(call).body) : errorAnswer(0);
}

function create({ state, origin }: RestContext, call: MadeCall, channelId: string): Answer {
  const { body, files } = readMessage(call);
  const fault = contentFault(body, files);
  if (fault !== undefined) return fault;
  if (files.some(({ bytes }) => bytes.length > MAX_FILE_BYTES)) return errorAnswer(40_005);
  const before =
    body.enforce_nonce === true
      ? state.messages.find((one) => one.channelId === channelId && one.nonce === body.nonce)
      : undefined;
  if (before !== undefined) return { json: state.wireMessage(before, origin()) };
  const replyTo = body.message_reference?.message_id;
  const isThere = state.messages.some(({ id }) => id === replyTo);
  if (replyTo !== undefined && !isThere && body.message_reference?.fail_if_not_exists !== false) {
    return errorAnswer(50_035, "message_reference: Unknown message");
  }
  const message = state.addMessage({
    channelId,
    author: state.bot,
    content: body.content ?? "",
    components: body.components ?? [],
    files,
    replyTo: isThere ? replyTo : undefined,
    flags: body.flags ?? 0,
    pings: pingsOf(body),
    nonce: body.nonce,
  });
  return { json: state.wireMessage(message, origin()) };
}
