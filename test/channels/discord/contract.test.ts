import type { Place } from "#src/channels/channel.ts";
import { adapters } from "#src/channels/index.ts";
import { startDiscord } from "#test/support/platforms/discord.ts";
import { apiContract } from "../api-contract.ts";
import { environmentOf } from "../environment.ts";
import { mediaAt, troubles } from "../platform-under-test.ts";

apiContract({
  label: "Discord",
  render: (markdown) => adapters.discord.render(markdown),
  reads: ({ markup }) => markup,
  has: {
    network: true,
    threads: true,
    replies: true,
    files: true,
    strictMarkup: false,
    downloads: true,
    downloadsByAddress: true,
  },
  async start() {
    const platform = await startDiscord();
    const place: Place = {
      chatId: platform.addChannel({ guildId: "1" }),
      chatType: "group",
      threadId: undefined,
    };
    const { bot_token: token } = platform.credentials;
    const ann = platform.person("ann");
    const messageId = platform.say({ channelId: place.chatId, text: "hi", author: ann });
    const environment = environmentOf();
    const baseUrls = { ...environment.baseUrls, discord: platform.url };
    const sent = ({ threadId, chatId }: Place) => platform.sent(threadId ?? chatId);
    return {
      api: adapters.discord.api(platform.credentials, { ...environment, baseUrls }),
      secrets: [token],
      place,
      thread: { ...place, threadId: platform.addChannel({ guildId: "1" }) },
      message: { messageId, sender: { id: ann.id, alternateId: undefined, name: ann.username } },
      texts: (at) => sent(at).map(({ content, replyTo }) => ({ text: content, replyTo })),
      files: (at) => sent(at).flatMap(({ files }) => files.map(({ bytes }) => bytes)),
      trouble: troubles(platform, {
        unauthorized: { status: 401, json: { message: "401: Unauthorized", code: 0 } },
        refused: { status: 400, json: { message: `Invalid ${token}`, code: 50_035 } },
      }),
      callCount: () => platform.calls.length,
      file(bytes) {
        const files = [{ filename: "a.png", mimeType: "image/png", bytes: Buffer.from(bytes) }];
        const { attachments } = Object(
          platform.wire(platform.say({ channelId: place.chatId, text: "", files })),
        );
        return mediaAt(String(attachments[0].url));
      },
      fileAt: mediaAt,
      close: () => platform.close(),
    };
  },
});
