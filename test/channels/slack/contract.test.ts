import type { Place } from "#src/channels/channel.ts";
import { adapters } from "#src/channels/index.ts";
import { startSlack } from "#test/support/platforms/slack.ts";
import { apiContract } from "../api-contract.ts";
import { environmentOf } from "../environment.ts";
import { mediaAt, troubles } from "../platform-under-test.ts";

apiContract({
  label: "Slack",
  render: (markdown) => adapters.slack.render(markdown),
  reads: ({ markup }) => markup,
  has: {
    network: true,
    threads: true,
    // A reply to one message is a thread of it.
    replies: false,
    files: true,
    strictMarkup: false,
    downloads: true,
    downloadsByAddress: true,
  },
  async start() {
    const platform = await startSlack();
    const place: Place = { chatId: "C0CONTRACT", chatType: "group", threadId: undefined };
    platform.addChannel(place.chatId);
    const ann = platform.person("ann");
    const { ts } = await platform.say({ channelId: place.chatId, text: "hi", author: ann });
    const environment = environmentOf();
    const baseUrls = { ...environment.baseUrls, slack: platform.url };
    const sent = ({ chatId, threadId }: Place) => platform.sent(chatId, threadId);
    return {
      api: adapters.slack.api(platform.credentials, { ...environment, baseUrls }),
      secrets: Object.values(platform.credentials),
      place,
      thread: { ...place, threadId: ts },
      message: {
        messageId: ts,
        sender: { id: `${platform.teamId}:${ann.id}`, alternateId: undefined, name: ann.name },
      },
      texts: (at) => sent(at).map(({ text }) => ({ text, replyTo: undefined })),
      files: (at) => sent(at).flatMap(({ files }) => files.map(({ bytes }) => bytes)),
      trouble: troubles(platform, {
        unauthorized: { json: { ok: false, error: "token_revoked" } },
        refused: { json: { ok: false, error: "channel_not_found" } },
      }),
      callCount: () => platform.calls.length,
      async file(bytes) {
        const files = [{ filename: "a.png", mimeType: "image/png", bytes: Buffer.from(bytes) }];
        platform.webhookUrl = `${platform.origin}/nowhere`;
        await platform.say({ channelId: place.chatId, text: "", files });
        platform.webhookUrl = undefined;
        const { event } = JSON.parse(platform.calls.at(-1)?.body.toString() ?? "{}");
        return mediaAt(String(event.files[0].url_private_download));
      },
      fileAt: mediaAt,
      close: () => platform.close(),
    };
  },
});
