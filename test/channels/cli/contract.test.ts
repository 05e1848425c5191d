import type { Place } from "#src/channels/channel.ts";
import { adapters } from "#src/channels/index.ts";
import { apiContract } from "../api-contract.ts";
import { dm, environmentOf } from "../environment.ts";

const USER = "0197d3a0-0000-7000-8000-000000000001";

apiContract({
  label: "command line",
  render: (markdown) => adapters.cli.render(markdown),
  reads: ({ plain }) => plain,
  has: {
    network: false,
    threads: true,
    replies: true,
    files: true,
    strictMarkup: false,
    downloads: false,
    downloadsByAddress: false,
  },
  async start() {
    const frames: { userId: string; frame: Readonly<Record<string, unknown>> }[] = [];
    const terminals = {
      push: async (userId: string, frame: Readonly<Record<string, unknown>>) =>
        frames.push({ userId, frame: structuredClone(frame) }),
    };
    const shown = ({ chatId, threadId }: Place) =>
      frames
        .filter(({ userId, frame }) => userId === chatId && frame["project_id"] === threadId)
        .map(({ frame }) => frame)
        .filter(({ type }) => type === "message" || type === "approval");
    return {
      api: adapters.cli.api({}, environmentOf({ terminals })),
      secrets: [],
      place: dm(USER),
      thread: { ...dm(USER), threadId: "project-1" },
      message: { messageId: "cli-1", sender: { id: USER, alternateId: undefined, name: "Ann" } },
      texts: (place) =>
        shown(place).map(({ text, reply_to: replyTo }) => ({
          text: String(text),
          replyTo: typeof replyTo === "string" ? replyTo : undefined,
        })),
      files: (place) =>
        shown(place).flatMap(({ file }) =>
          file instanceof Object && "base64" in file ? [Buffer.from(String(file.base64), "base64")] : [],
        ),
      trouble: () => undefined,
      callCount: () => frames.length,
      close: async () => undefined,
    };
  },
});
