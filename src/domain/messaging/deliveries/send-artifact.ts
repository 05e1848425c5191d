import type { ChannelAdapter, ChannelApi, Platform, SentMessage } from "#src/channels/channel.ts";
import { nonceOf, plainText } from "#src/channels/plain-text.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { BINARY, contentTypeOf } from "#src/lib/content-types.ts";
import { AppError } from "#src/lib/errors.ts";
import { oneLine } from "#src/lib/one-line.ts";
import { readFile, type ArtifactDeps, type ReadFile } from "./artifact-files.ts";
import { placeOf, seedOf, sendMark } from "./outgoing.ts";
import type { MessageLease } from "./message-lease.ts";
import type { ClaimedMessage } from "./queries/attempts.ts";
import { ownerOfMessage } from "./queries/messages.ts";

export interface SendArtifactDeps extends ArtifactDeps {
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
export async function sendArtifact(
  deps: SendArtifactDeps,
  api: ChannelApi,
  claimed: ClaimedMessage,
  lease: MessageLease,
): Promise<SentMessage> {
  const { message } = claimed;
  const file = await readArtifact(deps, claimed);
  if ("refusal" in file) return sendLine(deps, api, claimed, file.refusal);
  if (!api.sendFile) return sendLine(deps, api, claimed, "platform");
  // The project may have needed long to respond.
  await lease.renew();
  if (message.mayBeSent && api.sendsOnce !== true) await sendMark(api, message);
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
    return sendLine(deps, api, claimed, "platform");
  }
}

async function readArtifact(
  deps: SendArtifactDeps,
  { message }: ClaimedMessage,
): Promise<ReadFile | typeof UNREAD> {
  try {
    const owner = await ownerOfMessage(deps.db, message.id);
    return owner ? await readFile(deps, owner, message.content) : { refusal: "missing" };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (message.attempts >= PATIENT_ATTEMPTS) return UNREAD;
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
  { channels }: SendArtifactDeps,
  api: ChannelApi,
  { message, channel }: ClaimedMessage,
  refusal: Refusal,
): Promise<SentMessage> {
  const path = message.content.replaceAll("`", "'");
  const [text] = await channels[channel.channelType].render(`\`${path}\` ${REASONS[refusal]}`);
  if (!text) return { messageId: undefined };
  return api.send(plainText(placeOf(message), text, seedOf(message, "line")));
}
