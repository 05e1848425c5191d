import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startChatPlatform } from "#local/chat-platform/index.ts";
import type { ApiMessage } from "#local/chat-platform/message.ts";
import { adapters } from "#src/channels/index.ts";
import type { Place } from "#src/channels/channel.ts";
import { ChatPlatform } from "#test/support/chat-platform.ts";
import { apiContract } from "../api-contract.ts";
import { environmentOf } from "../environment.ts";
import { BUSY_SECONDS, type Trouble } from "../platform-under-test.ts";

const TOKEN = "standin:a-token-that-is-secret";
const TOPIC = 7;

/** As the chat platform is asked for it. Telegram quotes what it was given. */
const FAULTS: Readonly<Record<Trouble, object>> = {
  busy: { status: 429, description: "Too Many Requests: retry after 7", retryAfter: BUSY_SECONDS },
  error: { status: 500 },
  garbage: { kind: "garbage" },
  hang: { kind: "hang" },
  lost: { kind: "lost" },
  unauthorized: { status: 401, description: `Unauthorized: ${TOKEN}` },
  refused: { status: 400, description: `Bad Request: STRANGE_${TOKEN}` },
  markup: { status: 400, description: "Bad Request: can't parse entities: Unsupported start tag" },
};

apiContract({
  label: "Telegram",
  render: (markdown) => adapters.telegram.render(markdown),
  reads: ({ markup }) => visible(markup),
  has: {
    network: true,
    threads: true,
    replies: true,
    files: true,
    strictMarkup: true,
    downloads: true,
    downloadsByAddress: false,
  },
  async start() {
    const dataDir = mkdtempSync(path.join(tmpdir(), "telegram-contract-"));
    const server = await startChatPlatform({ dataDir });
    const platform = new ChatPlatform(server.url);
    const api = adapters.telegram.api({ bot_token: TOKEN }, environmentOf({ chatPlatformUrl: server.url }));
    const botId = Number((await api.identify()).botId);
    const ann = await platform.person("Ann");
    const group = await platform.group("Team", [ann.id]);
    const alone = platform.chat(botId, ann.id, ann.id);
    await alone.say("/start");
    const chat = platform.chat(botId, group.id, ann.id);
    const messageId = String(await chat.say("hi"));
    await chat.say("a topic", { topic: TOPIC });
    const place: Place = { chatId: String(group.id), chatType: "group", threadId: undefined };

    const sentTo = async ({ chatId, threadId }: Place): Promise<ApiMessage[]> => {
      const { messages } = await platform.chat(botId, Number(chatId), ann.id).read();
      return messages
        .map(({ message }) => message)
        .filter(({ from, message_thread_id: topic }) => from.is_bot && String(topic) === String(threadId));
    };
    return {
      api,
      secrets: [TOKEN],
      place,
      thread: { ...place, threadId: String(TOPIC) },
      message: { messageId, sender: { id: String(ann.id), alternateId: undefined, name: ann.name } },
      async texts(at) {
        const sent = await sentTo(at);
        return sent.flatMap(({ text, reply_to_message: replied }) =>
          text === undefined ? [] : [{ text, replyTo: replied && String(replied.message_id) }],
        );
      },
      async files(at) {
        const sent = await sentTo(at);
        const files = sent.flatMap(({ photo = [], document }) => photo.at(-1) ?? document ?? []);
        return Promise.all(
          files.map(async ({ file_id: id }) => {
            const response = await fetch(`${server.url}/bots/${botId}/files/${id}`);
            return new Uint8Array(await response.arrayBuffer());
          }),
        );
      },
      trouble: (trouble) => platform.setFaults(botId, [FAULTS[trouble]]),
      callCount: async () => (await platform.calls(botId)).length,
      async file(bytes) {
        const id = await alone.sendFile({
          kind: "document",
          filename: "pixel.png",
          mimeType: "image/png",
          bytes: new Uint8Array(bytes),
        });
        const { messages } = await alone.read();
        const sent = messages.find(({ message }) => message.message_id === id)?.message.document;
        return {
          kind: "image",
          reference: sent?.file_id ?? "",
          mimeType: sent?.mime_type,
          filename: undefined,
          size: undefined,
        };
      },
      async close() {
        await server.close();
        rmSync(dataDir, { recursive: true });
      },
    };
  },
});

/** What is left of HTML when its tags are gone, without white space around it. */
function visible(html: string): string {
  return html
    .replaceAll(/<[^>]*>/gu, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .trim();
}
