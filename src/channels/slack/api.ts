import { z } from "zod";
import { cut } from "#src/lib/one-line.ts";
import type { ApiEnvironment, Button, ChannelApi, OutgoingText, Place } from "../channel.ts";
import { PlatformFailure } from "../platform-failure.ts";
import { wireId } from "../received.ts";
import { createSlackMethod, type SlackMethod, SlackFailure } from "./call.ts";
import { downloadFromSlack, sendFileToSlack } from "./files.ts";
import { respond } from "./respond.ts";

const MAX_SECTION = 3_000;
const MAX_BUTTONS = 25;
const MAX_LABEL = 75;

/** Slack calls its emoji by names. */
const EMOJI_NAMES: ReadonlyMap<string, string> = new Map([
  ["👀", "eyes"],
  ["✅", "white_check_mark"],
  ["❌", "x"],
  ["⚠", "warning"],
  ["⏳", "hourglass_flowing_sand"],
  ["🛑", "octagonal_sign"],
  ["👍", "+1"],
  ["👎", "-1"],
  ["🤔", "thinking_face"],
  ["❤", "heart"],
  ["🎉", "tada"],
  ["🙏", "pray"],
  ["🔥", "fire"],
]);
/** Asks for the coloured form of an emoji; Slack's names have but one. */
const COLOURED = "\uFE0F";

const nothing = z.looseObject({});
const self = z.looseObject({
  user_id: wireId,
  user: z.string(),
  team_id: wireId.nullish(),
  bot_id: z.string().nullish(),
  is_enterprise_install: z.boolean().nullish(),
});
const bot = z.looseObject({ bot: z.looseObject({ app_id: z.string().nullish() }) });
const posted = z.looseObject({ ts: wireId });
const opened = z.looseObject({ channel: z.looseObject({ id: wireId }) });

/** The app of a bot. Undefined where the bot lacks the scope `users:read`, by which Slack tells it. */
async function appOf(method: SlackMethod, botId: string | null | undefined): Promise<string | undefined> {
  if (!botId) return undefined;
  try {
    return (await method("bots.info", { bot: botId }, bot)).bot.app_id ?? undefined;
  } catch (error) {
    if (error instanceof PlatformFailure && error.kind === "refused") return undefined;
    throw error;
  }
}

/** The calls of a Slack app in one workspace. */
export function slackApi(
  { bot_token: token }: { bot_token: string },
  environment: ApiEnvironment,
): ChannelApi {
  const method = createSlackMethod(token, environment);

  return {
    async identify() {
      const found = await method("auth.test", {}, self);
      const teamId = found.is_enterprise_install === true ? undefined : (found.team_id ?? undefined);
      return { botId: found.user_id, botName: found.user, teamId, appId: await appOf(method, found.bot_id) };
    },

    async send(message) {
      const { place, replyTarget } = message;
      const content = contentOf(message);
      if (replyTarget !== undefined) {
        const response = {
          ...content,
          response_type: "in_channel",
          replace_original: false,
          ...inThread(place),
        };
        if (await respond(environment, replyTarget, response)) return { messageId: undefined };
      }
      const { ts } = await method(
        "chat.postMessage",
        { ...content, channel: place.chatId, ...inThread(place) },
        posted,
        { isSend: true },
      );
      return { messageId: ts };
    },

    sendFile: (file) => sendFileToSlack(method, environment, file),

    async edit({ place, messageId, text }) {
      await method(
        "chat.update",
        { channel: place.chatId, ts: messageId, text: text.markup, blocks: [] },
        nothing,
      );
    },

    async remove({ place, messageId }) {
      await unless("message_not_found", () =>
        method("chat.delete", { channel: place.chatId, ts: messageId }, nothing),
      );
    },

    /** Only in threads: there the next message ends it, elsewhere it would stay for two minutes. */
    async showTyping({ chatId, threadId }) {
      if (threadId === undefined) return;
      try {
        const status = { channel_id: chatId, thread_ts: threadId, status: "is writing…" };
        await method("assistant.threads.setStatus", status, nothing);
      } catch (error) {
        // Many workspaces and threads have none, and no reply depends on it.
        if (!(error instanceof PlatformFailure)) throw error;
      }
    },

    async react({ place, messageId }, emoji) {
      const name = EMOJI_NAMES.get(emoji.replaceAll(COLOURED, ""));
      if (name === undefined) throw new PlatformFailure("refused", "Slack's name of the emoji is not known.");
      await unless("already_reacted", () =>
        method("reactions.add", { channel: place.chatId, timestamp: messageId, name }, nothing),
      );
    },

    /** A click needs no confirmation at Slack; only the text is told. */
    async confirmClick({ place, confirmation }, text) {
      if (confirmation === undefined || text === "") return;
      await respond(environment, confirmation, {
        text: escaped(text),
        response_type: "ephemeral",
        replace_original: false,
        ...inThread(place),
      });
    },

    async directPlace(userId) {
      // The workspace before the id is the app's own.
      const users = userId.slice(userId.lastIndexOf(":") + 1);
      const { channel } = await method("conversations.open", { users }, opened);
      return { chatId: channel.id, chatType: "dm", threadId: undefined };
    },

    download: (media, maxBytes) => downloadFromSlack(token, environment, media, maxBytes),
  };
}

async function unless(error: string, make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
  } catch (failure) {
    if (!(failure instanceof SlackFailure && failure.error === error)) throw failure;
  }
}

function inThread({ threadId }: Place) {
  return threadId === undefined ? {} : { thread_ts: threadId };
}

function contentOf({ text, buttons }: OutgoingText) {
  return {
    text: text.markup,
    unfurl_links: false,
    unfurl_media: false,
    // Beside blocks the text is only for notifications.
    ...(buttons.length > 0 && { blocks: [...sectionsOf(text.markup), actionsOf(buttons)] }),
  };
}

/** A text as sections, cut after lines where that is possible. */
function sectionsOf(text: string): object[] {
  const sections: object[] = [];
  let rest = text.trim();
  while (rest !== "") {
    const head = cut(rest, MAX_SECTION);
    const line = head.length < rest.length ? head.lastIndexOf("\n") : -1;
    const part = line > 0 ? head.slice(0, line) : head;
    sections.push({ type: "section", text: { type: "mrkdwn", text: part }, expand: true });
    rest = rest.slice(part.length).trim();
  }
  return sections;
}

function actionsOf(buttons: readonly Button[]): object {
  const elements = buttons.slice(0, MAX_BUTTONS).map(({ label, data, style }, at) => ({
    type: "button",
    action_id: `button-${at}`,
    text: { type: "plain_text", text: cut(label, MAX_LABEL), emoji: true },
    value: data,
    ...(style !== undefined && { style }),
  }));
  return { type: "actions", elements };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
