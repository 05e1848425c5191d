import type { Answer, MadeCall } from "../platform-server.ts";
import {
  change,
  contentFault,
  errorAnswer,
  type MessageBody,
  pingsOf,
  readMessage,
  type RestContext,
} from "./messages.ts";
import type { DiscordState, Interaction } from "./state.ts";

const EPHEMERAL = 1 << 6;
/** Types of replies. */
const MESSAGE = 4;
const MESSAGE_FOLLOWS = 5;

interface Reply {
  type: number;
  data?: MessageBody;
}

/** Calls that an interaction's token authorizes; undefined for others. */
export function answerInteractions(context: RestContext, call: MadeCall, path: string): Answer | undefined {
  const callback = /^\/interactions\/([^/]+)\/([^/]+)\/callback$/u.exec(path);
  if (callback !== null) {
    const [, id, token = ""] = callback;
    const interaction = context.state.interactions.get(token);
    if (interaction?.id !== id || interaction === undefined || interaction.isExpired)
      return errorAnswer(10_062);
    if (interaction.answered !== undefined) return errorAnswer(40_060);
    return reply(context.state, interaction, JSON.parse(call.body.toString()));
  }
  const webhook = /^\/webhooks\/([^/]+)\/([^/]+)(\/messages\/@original)?$/u.exec(path);
  if (webhook === null) return undefined;
  const [, application, token = "", original] = webhook;
  const interaction = context.state.interactions.get(token);
  if (interaction === undefined || application !== context.state.applicationId) return errorAnswer(10_015);
  if (interaction.isExpired) return errorAnswer(50_027);
  if (interaction.answered === undefined) return errorAnswer(10_015);
  return original === undefined
    ? followUp(context, interaction, call)
    : changeOriginal(context, interaction, call);
}

/** Takes the first reply to an interaction, as the callback or the webhook's own answer brings it. */
export function reply(state: DiscordState, interaction: Interaction, { type, data = {} }: Reply): Answer {
  const fault = type === MESSAGE ? contentFault(data, []) : undefined;
  if (fault !== undefined) return fault;
  interaction.answered = type;
  if (type === MESSAGE || type === MESSAGE_FOLLOWS) {
    const message = state.addMessage({
      channelId: interaction.channelId,
      author: state.bot,
      content: data.content ?? "",
      components: data.components ?? [],
      isEphemeral: ((data.flags ?? 0) & EPHEMERAL) !== 0,
      pings: pingsOf(data),
    });
    interaction.original = message;
    // Until it has its text, people see that the bot is thinking.
    if (type === MESSAGE_FOLLOWS) state.removeMessage(message);
  }
  return { status: 204 };
}

function changeOriginal(context: RestContext, interaction: Interaction, call: MadeCall): Answer {
  const { original } = interaction;
  if (original === undefined || call.method !== "PATCH") return errorAnswer(10_008);
  const answer = change(context, original, readMessage(call).body);
  const { messages } = context.state;
  if (answer.status === undefined && !messages.includes(original)) messages.push(original);
  return answer;
}

function followUp({ state, origin }: RestContext, interaction: Interaction, call: MadeCall): Answer {
  const { body, files } = readMessage(call);
  const fault = contentFault(body, files);
  if (fault !== undefined || call.method !== "POST") return fault ?? errorAnswer(0);
  const message = state.addMessage({
    channelId: interaction.channelId,
    author: state.bot,
    content: body.content ?? "",
    components: body.components ?? [],
    files,
    isEphemeral: ((body.flags ?? 0) & EPHEMERAL) !== 0,
    pings: pingsOf(body),
  });
  return { json: state.wireMessage(message, origin()) };
}
