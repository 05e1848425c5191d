import type { ApiEnvironment, ChannelApi, OutgoingFile, Place, SentMessage } from "../channel.ts";
import type { CommandLineServerFrame } from "#src/wire/command-line.ts";
import { PlatformFailure } from "../platform-failure.ts";

/** A frame for the clients; its id comes with it when it is sent. */
type Pushed = Extract<CommandLineServerFrame, { type: "message" | "approval" | "typing" | "tool" }>;

/** Frames are stored until the terminal has them, so they stay small. */
const MAX_FILE_BYTES = 1024 * 1024;

/** The calls at a person's command-line clients. They can neither edit nor delete what was sent. */
export function cliApi(_credentials: unknown, { terminals }: Pick<ApiEnvironment, "terminals">): ChannelApi {
  async function push({ chatId, threadId }: Place, frame: Pushed, nonce?: string): Promise<SentMessage> {
    // The thread is the project of the clients' keys: keys of other projects do not get the frame.
    const addressed = {
      ...frame,
      ...(threadId !== undefined && { project_id: threadId }),
      ...(nonce !== undefined && { nonce }),
    };
    try {
      return { messageId: String(await terminals.push(chatId, addressed)) };
    } catch (error) {
      throw new PlatformFailure("unreachable", "The terminal could not be reached.", {
        mayHaveHappened: true,
        cause: error,
      });
    }
  }

  return {
    // The object of the clients stores a nonce once.
    sendsOnce: true,
    async identify() {
      return { botId: undefined, botName: undefined };
    },
    send({ place, text: { plain }, replyTo, buttons, nonce }) {
      const reply = replyTo === undefined ? {} : { reply_to: replyTo };
      if (buttons.length === 0) return push(place, { type: "message", text: plain, ...reply }, nonce);
      const choices = buttons.map(({ label, data }) => ({ label, data }));
      return push(place, { type: "approval", text: plain, choices, ...reply }, nonce);
    },
    sendFile: (file) => push(file.place, fileFrame(file), file.nonce),
    async showTyping(place) {
      await push(place, { type: "typing" });
    },
    async showWork(place, lines) {
      await push(place, { type: "tool", text: lines.at(-1) ?? "" });
    },
    async directPlace(userId) {
      return { chatId: userId, chatType: "dm", threadId: undefined };
    },
  };
}

function fileFrame({
  filename,
  mimeType,
  bytes,
}: Pick<OutgoingFile, "filename" | "mimeType" | "bytes">): Pushed {
  if (bytes.byteLength > MAX_FILE_BYTES) {
    const text = `The file ${filename} is too large for the terminal. It is in the project's files.`;
    return { type: "message", text };
  }
  const file = { name: filename, mime_type: mimeType, base64: Buffer.from(bytes).toString("base64") };
  return { type: "message", text: filename, file };
}
