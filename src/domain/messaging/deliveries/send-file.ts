import type { ChannelAdapter, ChannelApi, Platform, SentMessage } from "#src/channels/channel.ts";
import { nonceOf, plainText } from "#src/channels/plain-text.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { BINARY, contentTypeOf } from "#src/lib/content-types.ts";
import { AppError } from "#src/lib/errors.ts";
import { oneLine } from "#src/lib/one-line.ts";
import { readFile, type FileDeps, type ReadFile } from "./files.ts";
import { sendMark } from "./mark.ts";
import { placeOf, seedOf } from "./outbox-message.ts";
import type { MessageToSend } from "./queries/outbox.ts";
import type { Sending } from "./send-text.ts";

export interface SendFileDeps extends FileDeps {
  channels: Readonly<Record<Platform, Pick<ChannelAdapter, "render">>>;
}

/** Attempts for which a project that does not respond is waited for. */
const PATIENT_ATTEMPTS = 3;

const UNREAD = { refusal: "no answer" } as const;
type Refusal = Extract<ReadFile, { refusal: string }>["refusal"] | "no answer" | "platform";

/**
 * Sends a file of the outbox, with the rights of its task's user. A file that cannot be sent becomes a line that names it.
 * Throws `PlatformFailure` for what may succeed later, and when the platform refuses the line as well.
 */
export async function sendFile(
  deps: SendFileDeps,
  api: ChannelApi,
  found: MessageToSend,
  { attempt, isDoubtful, signal }: Sending,
): Promise<SentMessage> {
  const { message } = found;
  const file = await readToSend(deps, found, attempt);
  if ("refusal" in file) return sendLine(deps, api, found, file.refusal);
  if (!api.sendFile) return sendLine(deps, api, found, "platform");
  // The project may have needed long to respond.
  signal.throwIfAborted();
  if (isDoubtful) await sendMark(api, message);
  try {
    return await api.sendFile({
      place: placeOf(message),
      replyTo: message.replyTo ?? undefined,
      nonce: nonceOf(seedOf(message, "file")),
      filename: oneLine(message.content.split("/").at(-1) ?? "") || "file",
      mimeType: contentTypeOf(message.content) ?? BINARY,
      bytes: file.bytes,
    });
  } catch (error) {
    if (!(error instanceof PlatformFailure) || error.kind !== "refused") throw error;
    return sendLine(deps, api, found, "platform");
  }
}

async function readToSend(
  deps: SendFileDeps,
  { message, owner }: MessageToSend,
  attempt: number,
): Promise<ReadFile | typeof UNREAD> {
  try {
    return owner ? await readFile(deps, owner, message.content) : { refusal: "missing" };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (attempt > PATIENT_ATTEMPTS) return UNREAD;
    throw new PlatformFailure("unreachable", "The project's files did not respond.", { cause: error });
  }
}

const REASONS: Readonly<Record<Refusal, string>> = {
  missing: "is not in the project any more.",
  "too large": "is in the project: it is too large to be sent.",
  "no access": "cannot be sent: the account has no access to the project any more.",
  "no answer": "is in the project: it could not be read to be sent.",
  platform: "is in the project: it cannot be sent here.",
};

async function sendLine(
  { channels }: SendFileDeps,
  api: ChannelApi,
  { message, channel }: MessageToSend,
  refusal: Refusal,
): Promise<SentMessage> {
  const path = message.content.replaceAll("`", "'");
  const [text] = await channels[channel.channelType].render(`\`${path}\` ${REASONS[refusal]}`);
  if (!text) return { messageId: undefined };
  return api.send(plainText(placeOf(message), text, seedOf(message, "line")));
}
