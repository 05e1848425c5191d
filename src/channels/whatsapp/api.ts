import { z } from "zod";
import type { ApiEnvironment, ChannelApi, OutgoingText, Place } from "../channel.ts";
import { withButtonList } from "../button-list.ts";
import { PlatformFailure } from "../platform-failure.ts";
import { isWithin } from "../text-limit.ts";
import type { WhatsappCredentials } from "./credentials.ts";
import { downloadFile, uploadFile } from "./files.ts";
import { Graph } from "./graph.ts";

const TEXT_LIMIT = { max: 4_096, unit: "code points" } as const;
/** Of a message with reply buttons. */
const BUTTONS = { count: 3, body: { max: 1_024, unit: "code points" }, title: 20, id: 256 } as const;

const phoneNumber = z.looseObject({ verified_name: z.string().optional() });
const sentAnswer = z.looseObject({ messages: z.tuple([z.looseObject({ id: z.string() })], z.unknown()) });
const anyAnswer = z.looseObject({});

/** The calls of a business number at the Cloud API. WhatsApp can neither edit nor delete what was sent. */
export function whatsappApi(credentials: WhatsappCredentials, environment: ApiEnvironment): ChannelApi {
  const graph = new Graph(credentials, environment);
  const id = credentials.phone_number_id;
  const messages = { method: "POST", path: `${id}/messages` } as const;

  /** WhatsApp accepts here; whether it delivers, a status tells later. */
  async function sendMessage(place: Place, replyTo: string | undefined, content: object) {
    const body = {
      messaging_product: "whatsapp",
      ...recipient(place),
      ...(replyTo !== undefined && { context: { message_id: replyTo } }),
      ...content,
    };
    const { messages: sent } = await graph.call({ ...messages, isSend: true, body }, sentAnswer);
    return { messageId: sent[0].id };
  }

  return {
    async identify() {
      const path = `${id}?fields=display_phone_number,verified_name`;
      const { verified_name: name } = await graph.call({ method: "GET", path }, phoneNumber);
      return { botId: id, botName: name };
    },
    send: (message) => sendMessage(message.place, message.replyTo, contentOf(message)),
    async sendFile(file) {
      const content = await uploadFile(graph, id, file);
      return sendMessage(file.place, file.replyTo, content);
    },
    async showTyping(_place, inReplyTo) {
      // WhatsApp shows it only beside a message that it marks as read.
      if (inReplyTo === undefined) return;
      const body = {
        messaging_product: "whatsapp",
        status: "read",
        message_id: inReplyTo,
        typing_indicator: { type: "text" },
      };
      await graph.call({ ...messages, body }, anyAnswer);
    },
    async react({ place, messageId }, emoji) {
      const reaction = { type: "reaction", reaction: { message_id: messageId, emoji } };
      const body = { messaging_product: "whatsapp", ...recipient(place), ...reaction };
      await graph.call({ ...messages, body }, anyAnswer);
    },
    async directPlace(userId) {
      // People write numbers with spaces and a plus sign.
      const chatId = isBusinessScoped(userId) ? userId : userId.replaceAll(/\D/gu, "");
      if (chatId === "") throw new PlatformFailure("refused", "WhatsApp needs a phone number.");
      return { chatId, chatType: "dm", threadId: undefined };
    },
    download: (media, maxBytes) => downloadFile(graph, media, maxBytes),
  };
}

/** A business-scoped user id, of a person who hides the number: two letters, a dot and more. */
function isBusinessScoped(chatId: string): boolean {
  return chatId.includes(".");
}

/** WhatsApp accepts a business-scoped id in `to` as well, and then loses the message. */
function recipient({ chatId }: Place): object {
  return isBusinessScoped(chatId)
    ? { recipient_type: "individual", recipient: chatId }
    : { recipient_type: "individual", to: chatId };
}

function contentOf({ text: { markup }, buttons }: Pick<OutgoingText, "text" | "buttons">): object {
  const isShort = isWithin(BUTTONS.body, markup) && buttons.length <= BUTTONS.count;
  const fits = buttons.every(
    ({ label, data }) => label !== "" && label.length <= BUTTONS.title && data.length <= BUTTONS.id,
  );
  if (buttons.length > 0 && isShort && fits) {
    const replies = buttons.map(({ label, data }) => ({ type: "reply", reply: { id: data, title: label } }));
    return {
      type: "interactive",
      interactive: { type: "button", body: { text: markup }, action: { buttons: replies } },
    };
  }
  const body = withButtonList(markup, buttons, TEXT_LIMIT);
  return { type: "text", text: { body, preview_url: false } };
}
