import { z } from "zod";
import type { ApiEnvironment, Button, ChannelApi, OutgoingText, Place, SentMessage } from "../channel.ts";
import { cut } from "#src/lib/one-line.ts";
import { PlatformFailure } from "../platform-failure.ts";
import { wireId } from "../received.ts";
import {
  ALREADY_ANSWERED,
  createDiscordCalls,
  DiscordFailure,
  UNKNOWN_INTERACTION,
  UNKNOWN_MESSAGE,
} from "./call.ts";
import { downloadFromDiscord } from "./download.ts";

interface Credentials {
  bot_token: string;
  application_id: string;
  public_key: string;
}

/** Types of replies to an interaction. */
const MESSAGE = 4;
const UPDATE_FOLLOWS = 6;

/** Flags of messages. */
const ONLY_FOR_ONE = 1 << 6;
const SILENT = 1 << 12;

const BUTTONS_IN_ROW = 5;
const MAX_ROWS = 5;
const MAX_LABEL = 80;
const BUTTON_STYLES = { primary: 1, danger: 4, secondary: 2 };
const UPLOAD_TIMEOUT_MS = 60_000;

/** What an agent writes notifies no one: without this, Discord reads mentions in it. */
const NO_MENTIONS = { parse: [] };

const sent = z.looseObject({ id: wireId });
const application = z.looseObject({
  id: wireId,
  verify_key: z.string().optional(),
  bot: z.looseObject({ id: wireId, username: z.string() }).nullish(),
});
const user = z.looseObject({ id: wireId, username: z.string() });

/** The calls of a Discord bot. */
export function discordApi(credentials: Credentials, environment: ApiEnvironment): ChannelApi {
  const { application_id: applicationId, bot_token: token } = credentials;
  const calls = createDiscordCalls(token, environment);

  async function post(message: OutgoingText): Promise<SentMessage> {
    const { id } = await calls.read(
      {
        method: "POST",
        path: messagesOf(message.place),
        json: {
          ...contentOf(message),
          ...deliveryOf(message),
          ...(message.isSilent && { flags: SILENT }),
        },
        isSend: true,
      },
      sent,
    );
    return { messageId: id };
  }

  /** Undefined when the interaction takes no text any more, as after 15 minutes. A repeated call changes nothing. */
  async function answerInteraction(message: OutgoingText, target: string): Promise<SentMessage | undefined> {
    try {
      const { id } = await calls.read(
        {
          method: "PATCH",
          path: `${followUpsOf(applicationId, target)}/messages/@original`,
          json: contentOf(message),
          interactionToken: target,
        },
        sent,
      );
      return { messageId: id };
    } catch (error) {
      if (error instanceof DiscordFailure && (error.status === 401 || error.status === 404)) return undefined;
      throw error;
    }
  }

  return {
    sendsOnce: true,

    async identify() {
      const found = await calls.read({ method: "GET", path: "/applications/@me" }, application);
      if (found.id !== applicationId) {
        throw new PlatformFailure("unauthorized", "The bot token belongs to another application id.");
      }
      if (found.verify_key !== undefined && found.verify_key.toLowerCase() !== credentials.public_key) {
        throw new PlatformFailure("unauthorized", "The public key is not the one of the application.");
      }
      const bot = found.bot ?? (await calls.read({ method: "GET", path: "/users/@me" }, user));
      return { botId: bot.id, botName: bot.username, appId: found.id };
    },

    async send(message) {
      const answered =
        message.replyTarget === undefined ? undefined : await answerInteraction(message, message.replyTarget);
      return answered ?? (await post(message));
    },

    async sendFile(file) {
      const form = new FormData();
      const attachments = [{ id: 0, filename: file.filename }];
      form.set(
        "payload_json",
        JSON.stringify({ ...deliveryOf(file), allowed_mentions: NO_MENTIONS, attachments }),
      );
      form.set("files[0]", new Blob([file.bytes], { type: file.mimeType }), file.filename);
      const { id } = await calls.read(
        {
          method: "POST",
          path: messagesOf(file.place),
          form,
          isSend: true,
          timeoutMs: UPLOAD_TIMEOUT_MS,
        },
        sent,
      );
      return { messageId: id };
    },

    async edit({ place, messageId, text }) {
      await calls.make({
        method: "PATCH",
        path: `${messagesOf(place)}/${encodeURIComponent(messageId)}`,
        json: { content: text.markup, allowed_mentions: NO_MENTIONS, components: [] },
      });
    },

    async remove({ place, messageId }) {
      await unless([UNKNOWN_MESSAGE], () =>
        calls.make({ method: "DELETE", path: `${messagesOf(place)}/${encodeURIComponent(messageId)}` }),
      );
    },

    async showTyping(place) {
      await calls.make({ method: "POST", path: `${channelOf(place)}/typing` });
    },

    async react({ place, messageId }, emoji) {
      const path = `${messagesOf(place)}/${encodeURIComponent(messageId)}/reactions/${encodeURIComponent(emoji)}/@me`;
      await calls.make({ method: "PUT", path });
    },

    async confirmClick(click, text) {
      if (click.confirmation !== undefined) {
        await confirm(environment, applicationId, { id: click.id, token: click.confirmation }, text);
      }
    },

    async directPlace(userId) {
      const { id } = await calls.read(
        { method: "POST", path: "/users/@me/channels", json: { recipient_id: userId } },
        sent,
      );
      return { chatId: id, chatType: "dm", threadId: undefined };
    },

    download: (media, maxBytes) => downloadFromDiscord(environment, media, maxBytes),
  };
}

/** An interaction as the gateway tells of it, in what a reply needs. */
export interface Interaction {
  id: string;
  token: string;
}

/**
 * Replies to an interaction that came over the gateway: Discord waits 3 s. One that has a reply already, or is too old,
 * is no failure. Returns whether Discord took the reply.
 */
export async function replyToInteraction(
  environment: ApiEnvironment,
  { id, token }: Interaction,
  reply: unknown,
): Promise<boolean> {
  // The interaction's own token authorizes the call.
  const calls = createDiscordCalls("", environment);
  return unless([ALREADY_ANSWERED, UNKNOWN_INTERACTION], () =>
    calls.make({
      method: "POST",
      path: `/interactions/${encodeURIComponent(id)}/${encodeURIComponent(token)}/callback`,
      json: reply,
      interactionToken: token,
    }),
  );
}

/** What came by webhook has its reply already: then the text is a message of its own, which only the person sees. */
async function confirm(
  environment: ApiEnvironment,
  applicationId: string,
  interaction: Interaction,
  text: string,
): Promise<void> {
  const note = { content: text, flags: ONLY_FOR_ONE, allowed_mentions: NO_MENTIONS };
  const reply = text === "" ? { type: UPDATE_FOLLOWS } : { type: MESSAGE, data: note };
  if ((await replyToInteraction(environment, interaction, reply)) || text === "") return;
  try {
    await createDiscordCalls("", environment).make({
      method: "POST",
      path: followUpsOf(applicationId, interaction.token),
      json: note,
      interactionToken: interaction.token,
      isSend: true,
    });
  } catch (error) {
    // The click is too old for the person to wait for a note.
    if (!(error instanceof DiscordFailure && (error.status === 401 || error.status === 404))) throw error;
  }
}

/** Whether a call was made; false when Discord refused it with one of these codes. */
async function unless(codes: readonly number[], make: () => Promise<void>): Promise<boolean> {
  try {
    await make();
    return true;
  } catch (error) {
    if (error instanceof DiscordFailure && error.code !== undefined && codes.includes(error.code))
      return false;
    throw error;
  }
}

function channelOf({ chatId, threadId }: Place): string {
  return `/channels/${encodeURIComponent(threadId ?? chatId)}`;
}

function messagesOf(place: Place): string {
  return `${channelOf(place)}/messages`;
}

function followUpsOf(applicationId: string, token: string): string {
  return `/webhooks/${encodeURIComponent(applicationId)}/${encodeURIComponent(token)}`;
}

function contentOf({ text, buttons }: OutgoingText) {
  return { content: text.markup, allowed_mentions: NO_MENTIONS, components: rowsOf(buttons) };
}

/** With the nonce Discord sends a text once, however often it is asked within some minutes. */
function deliveryOf({ replyTo, nonce }: Pick<OutgoingText, "replyTo" | "nonce">) {
  return {
    nonce,
    enforce_nonce: true,
    ...(replyTo !== undefined && {
      message_reference: { message_id: replyTo, fail_if_not_exists: false },
    }),
  };
}

function rowsOf(buttons: readonly Button[]) {
  const rows = [];
  for (let at = 0; at < buttons.length && rows.length < MAX_ROWS; at += BUTTONS_IN_ROW) {
    const components = buttons.slice(at, at + BUTTONS_IN_ROW).map(({ label, data, style }) => ({
      type: 2,
      style: BUTTON_STYLES[style ?? "secondary"],
      label: cut(label, MAX_LABEL),
      custom_id: data,
    }));
    rows.push({ type: 1, components });
  }
  return rows;
}
