import { z } from "zod";
import { withButtonList } from "../button-list.ts";
import type { ApiEnvironment, ChannelApi, OutgoingText, Place } from "../channel.ts";
import { answerJson, type PlatformAnswer, type PlatformCall, unreachable } from "../platform-call.ts";
import { PlatformFailure } from "../platform-failure.ts";
import { Bridge } from "./bridge.ts";
import type { SignalCredentials } from "./credentials.ts";
import { recipientFailure } from "./failures.ts";
import { dataUrl, downloadFile } from "./files.ts";

/** Clients drop texts of more than 2 KiB. */
const LIMIT = { max: 2_000, unit: "utf8 bytes" } as const;
const FILE_TIMEOUT_MS = 60_000;

/** Any JSON object: not all bridges tell their mode, but a web page at a wrong address is none. */
const about = z.looseObject({});

/** What became of a message; the bridge returns 201 also when no recipient got it. */
const sentMessage = z.looseObject({
  timestamp: z.union([z.string().regex(/^\d{1,15}$/u), z.int()]).transform(String),
  errors: z.looseObject({ recipients: z.array(z.looseObject({ reason: z.string().optional() })) }).nullish(),
});
/** A list with one entry, or the entry from bridges before July 2026. */
const sentAnswer = z.union([z.tuple([sentMessage], z.unknown()).transform(([first]) => first), sentMessage]);

/** The calls of a number at its bridge. */
export function signalApi(credentials: SignalCredentials, environment: ApiEnvironment): ChannelApi {
  const bridge = new Bridge(credentials, environment);
  const { number } = bridge;

  async function sendMessage(place: Place, content: object, options: { timeoutMs?: number } = {}) {
    const { call, answer } = await bridge.call({
      ...options,
      method: "POST",
      path: "/v2/send",
      isSend: true,
      body: { number, recipients: [place.chatId], ...content },
    });
    return { messageId: timestampOf(place, call, answer) };
  }

  return {
    async identify() {
      const { call, answer } = await bridge.call({ method: "GET", path: "/v1/about" });
      if (answerJson(answer, about) === undefined) {
        throw unreachable(call, "returned something else: is signal-cli-rest-api at the address?");
      }
      return { botId: number, botName: undefined };
    },
    send: ({ place, text, replyTo, buttons }) =>
      sendMessage(place, { ...styled(text.markup, buttons), ...quote(place, replyTo) }),
    sendFile: ({ place, replyTo, ...file }) =>
      sendMessage(
        place,
        { message: "", text_mode: "normal", base64_attachments: [dataUrl(file)], ...quote(place, replyTo) },
        { timeoutMs: FILE_TIMEOUT_MS },
      ),
    async edit({ place, messageId, text }) {
      await sendMessage(place, { ...styled(text.markup), edit_timestamp: timestamp(messageId) });
    },
    async remove({ place, messageId }) {
      const body = { recipient: place.chatId, timestamp: timestamp(messageId) };
      await bridge.call({ method: "DELETE", path: `/v1/remote-delete/${number}`, body });
    },
    async showTyping({ chatId }) {
      const path = `/v1/typing-indicator/${number}`;
      await bridge.call({ method: "PUT", path, body: { recipient: chatId } });
    },
    async react({ place, messageId, sender }, emoji) {
      const body = {
        recipient: place.chatId,
        reaction: emoji,
        target_author: sender.id,
        timestamp: timestamp(messageId),
      };
      await bridge.call({ method: "POST", path: `/v1/reactions/${number}`, body });
    },
    async directPlace(userId) {
      return { chatId: userId.trim(), chatType: "dm", threadId: undefined };
    },
    download: (media, maxBytes) => downloadFile(bridge, media, maxBytes),
  };
}

/** The mode is always said, because the bridge's default is a setting. */
function styled(markup: string, buttons: OutgoingText["buttons"] = []): object {
  const labels = buttons.map(({ label }) => ({ label: label.replaceAll(/[*~`|\\]/gu, "") }));
  return { message: withButtonList(markup, labels, LIMIT), text_mode: "styled" };
}

/**
 * A quote names the author, who is known where only one other person writes. Clients show the quoted text themselves, by author
 * and time.
 */
function quote({ chatId, chatType }: Place, replyTo: string | undefined): object {
  if (chatType !== "dm" || replyTo === undefined || !/^\d{1,15}$/u.test(replyTo)) return {};
  return { quote_timestamp: Number(replyTo), quote_author: chatId, quote_message: "" };
}

/** Signal calls messages by their time, in milliseconds. */
function timestamp(messageId: string): number {
  if (!/^\d{1,15}$/u.test(messageId)) throw new PlatformFailure("refused", "Signal has no such message.");
  return Number(messageId);
}

/** The id of what was sent. In a group some members may not have got it; one person is all there is. */
function timestampOf({ chatType }: Place, call: PlatformCall, answer: PlatformAnswer): string {
  const read = answerJson(answer, sentAnswer);
  if (read === undefined) throw unreachable(call, "returned something unreadable");
  const [failed] = read.errors?.recipients ?? [];
  if (failed === undefined || chatType === "group") return read.timestamp;
  throw recipientFailure(failed.reason);
}
