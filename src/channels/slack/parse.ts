import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import type {
  ChannelAdapter,
  Delivery,
  MediaReference,
  OtherContent,
  ReceivedClick,
  ReceivedEvent,
  ReceivedMessage,
  Self,
} from "../channel.ts";
import { dateOf, jsonBody, mediaReference, receivedName, receivedText } from "../received.ts";
import { plainText } from "./plain-text.ts";
import {
  blockActions,
  envelope,
  eventCallback,
  type EventCallback,
  interaction,
  message,
  slashCommand,
} from "./wire.ts";

/** What people send has no subtype, or one of these; edits, joins and the like have others. */
const READ_SUBTYPES: ReadonlySet<string | undefined> = new Set([
  undefined,
  "file_share",
  "me_message",
  "thread_broadcast",
]);

/** Events come as JSON; buttons and slash commands as a form. */
export const parseDelivery: ChannelAdapter["parse"] = (request, self) => {
  if (!isForm(request.headers)) return parseEvent(jsonBody(request, eventCallback), self);
  const form = new URLSearchParams(new TextDecoder().decode(request.body));
  const payload = form.get("payload");
  const events =
    payload === null
      ? parseCommand(Object.fromEntries(form), self)
      : parseInteraction(parseJson(payload, interaction), self);
  return { reply: { empty: true }, events };
};

function isForm(headers: Headers): boolean {
  return headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") ?? false;
}

function parseEvent(body: EventCallback, self: Self): Delivery {
  if (body.type === "url_verification") {
    return { reply: { json: { challenge: body.challenge ?? "" } }, events: [] };
  }
  return { reply: { empty: true }, events: parseEventCallback(body, self) };
}

/** What arrives over Socket Mode: an envelope around what a webhook would be sent. */
export function parseEnvelope(received: unknown, self: Self): ReceivedEvent[] {
  const read = envelope.safeParse(received);
  if (!read.success) return [];
  const { type, payload } = read.data;
  if (type === "interactive") return parseInteraction(payload, self);
  if (type === "slash_commands") return parseCommand(payload, self);
  const event = eventCallback.safeParse(payload);
  return event.success ? parseEventCallback(event.data, self) : [];
}

function parseEventCallback(body: EventCallback, self: Self): ReceivedMessage[] {
  const read = message.safeParse(body.event);
  if (body.type !== "event_callback" || !read.success) return [];
  const through = (body.authorizations ?? []).map(({ team_id: team }) => team);
  if (!isOfSelf(self, body.api_app_id, [body.context_team_id ?? body.team_id, ...through])) return [];
  const event = read.data;
  const botId = self.botId ?? body.authorizations?.find((one) => one.is_bot === true)?.user_id;
  if (event.bot_id || event.user === botId || !READ_SUBTYPES.has(event.subtype)) return [];
  const raw = event.text ?? "";
  const unmentioned = withoutMention(raw, botId);
  const isMention = event.type === "app_mention" || unmentioned !== raw;
  const text = receivedText(plainText(unmentioned));
  const media = [...(event.files ?? []).map(mediaOf), ...forwarded(event, text)];
  if (text === "" && media.length === 0 && !isMention) return [];
  const chatType =
    event.channel_type === undefined ? chatTypeOf(event.channel) : imOrGroup(event.channel_type);
  return [
    {
      kind: "message",
      // `message` and `app_mention` of one post differ in their event id.
      id: `${event.channel}:${event.ts}`,
      messageId: event.ts,
      replyTarget: undefined,
      // In a channel a conversation is a thread: the first message begins one below itself.
      place: {
        chatId: event.channel,
        chatType,
        threadId: event.thread_ts ?? (chatType === "group" ? event.ts : undefined),
      },
      sender: {
        id: personId(event.user_team ?? event.team ?? body.team_id, event.user),
        alternateId: undefined,
        name: receivedName(event.user),
      },
      text,
      isAddressed: chatType === "dm" || isMention || (botId !== undefined && event.parent_user_id === botId),
      media,
      replyTo: undefined,
      sentAt: dateOf(Number(event.ts) * 1000),
    },
  ];
}

/** A button's `value` is its data, or else its id. */
function parseInteraction(payload: unknown, self: Self): ReceivedClick[] {
  const read = blockActions.safeParse(payload);
  if (!read.success) return [];
  // People of other workspaces press buttons in shared channels, so that only the app must be the same.
  if (!isOfSelf(self, read.data.api_app_id, [])) return [];
  const { user, team, channel, message: carrier, actions, response_url: responseUrl } = read.data;
  return actions.map((action) => ({
    kind: "click",
    id: `${user.id}:${action.action_ts}:${action.action_id}`,
    place: { chatId: channel.id, chatType: chatTypeOf(channel.id), threadId: carrier.thread_ts },
    sender: {
      id: personId(user.team_id ?? team?.id, user.id),
      alternateId: undefined,
      name: receivedName(user.username, user.name, user.id),
    },
    data: action.value ?? action.selected_option?.value ?? action.action_id,
    messageId: carrier.ts,
    confirmation: responseUrl,
  }));
}

function parseCommand(fields: unknown, self: Self): ReceivedEvent[] {
  // Slack tests the certificate of the address with a form of its own.
  if (z.looseObject({ ssl_check: z.string() }).safeParse(fields).success) return [];
  const read = slashCommand.safeParse(fields);
  if (!read.success) throw new AppError("invalid_input", "Not a form of Slack's");
  const command = read.data;
  if (!isOfSelf(self, command.api_app_id, [command.team_id])) return [];
  return [
    {
      kind: "message",
      id: command.trigger_id,
      messageId: undefined,
      replyTarget: command.response_url,
      place: { chatId: command.channel_id, chatType: chatTypeOf(command.channel_id), threadId: undefined },
      sender: {
        id: personId(command.team_id, command.user_id),
        alternateId: undefined,
        name: receivedName(command.user_name, command.user_id),
      },
      text: receivedText(`${command.command} ${plainText(command.text)}`),
      isAddressed: true,
      media: [],
      replyTo: undefined,
      sentAt: undefined,
    },
  ];
}

/**
 * The signing secret is one of an app in all its workspaces, and its owner holds it: what it signs counts if it is of the app
 * and the workspace that the bot token proved. An app in several workspaces has one address, so the rest is no fault.
 */
function isOfSelf(
  self: Self,
  app: string | undefined,
  teams: readonly (string | null | undefined)[],
): boolean {
  const isApp = self.appId === undefined || app === undefined || app === self.appId;
  const named = teams.filter((team) => team != null);
  const isTeam = self.teamId === undefined || named.length === 0 || named.includes(self.teamId);
  return isApp && isTeam;
}

/** User ids are of one workspace; without its id the person cannot be told from another's. */
function personId(team: string | undefined, user: string): string {
  if (team === undefined) throw new AppError("invalid_input", "Slack names no workspace");
  return `${team}:${user}`;
}

/** Conversations of two have an id with D. */
function chatTypeOf(channelId: string): "dm" | "group" {
  return channelId.startsWith("D") ? "dm" : "group";
}

function imOrGroup(channelType: string): "dm" | "group" {
  return channelType === "im" ? "dm" : "group";
}

function withoutMention(text: string, botId: string | undefined): string {
  if (botId === undefined) return text;
  return text.replaceAll(/<@([A-Z0-9]+)(?:\|[^<>]*)?>/gu, (mention, id) => (id === botId ? "" : mention));
}

type File = NonNullable<z.infer<typeof message>["files"]>[number];

/** Files that were deleted, are hidden by a plan's limit, or are of another workspace, have no address. */
function mediaOf(file: File): MediaReference | OtherContent {
  const reference = file.url_private_download ?? file.url_private;
  if (!reference) return { kind: "other", name: "file that Slack hides" };
  return mediaReference({ reference, mimeType: file.mimetype, filename: file.name, size: file.size });
}

/** A message that was forwarded without a word of its own. */
function forwarded({ attachments }: z.infer<typeof message>, text: string): OtherContent[] {
  const isForwarded = text === "" && attachments?.some((one) => one.is_share === true);
  return isForwarded ? [{ kind: "other", name: "forwarded message" }] : [];
}
