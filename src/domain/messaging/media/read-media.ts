import type { ReceivedMessage } from "#src/channels/channel.ts";
import { attachmentsById, type Attached } from "#src/domain/agent-work/attachments/index.ts";
import { channelApi, type ApiDeps, type Channel } from "#src/domain/messaging/channels/index.ts";
import type { Caller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { derivedId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { TurnFiles, type AttachDeps } from "./attach-media.ts";
import { fetchMedia, type MediaSource } from "./fetch-media.ts";
import { MediaProblem, notTaken } from "./media-problem.ts";
import { transcribeVoice, type VoiceDeps } from "./transcribe-voice.ts";

export type MediaDeps = VoiceDeps & AttachDeps & ApiDeps & { db: Db };

/** Messages of one turn whose files are to be read. */
export interface MediaTurn {
  taskId: string;
  channel: Channel;
  caller: Caller;
  /** By the ids of their events. */
  messages: readonly { id: string; message: ReceivedMessage }[];
  /** Of the chat that the turn will be in. */
  chatId: string;
  /** Creates that chat if it does not exist yet. */
  openChat: () => Promise<{ id: string; projectId: string }>;
}

/** A message whose files were read. */
export interface ReadMessage {
  /** With what was said in its voice messages. */
  text: string;
  attachments: Attached[];
  /** What became of files that are not there, in sentences for the person. */
  problems: string[];
}

/**
 * Reads the files of a turn's messages: what is said in voice messages becomes part of the text, pictures and documents
 * become attachments of the chat. A file that cannot be had does not stop the others. Idempotent. Throws `rate_limited`
 * while another executor reads the same files, and as `requireProject` does.
 */
export async function readMedia(deps: MediaDeps, turn: MediaTurn): Promise<ReadMessage[]> {
  const counter = `media:${turn.taskId}`;
  const decision = await deps.attempts.take("mediaReader", counter);
  if (decision?.allowed === false) {
    throw new AppError("rate_limited", "The files of the message are being read already");
  }
  try {
    return await readAll(deps, turn);
  } finally {
    if (decision?.receipt !== undefined) await deps.attempts.giveBack(counter, decision.receipt);
  }
}

/** Reads one file after the other, because each is in memory while it is read. */
async function readAll(deps: MediaDeps, turn: MediaTurn): Promise<ReadMessage[]> {
  const { channel, caller, messages } = turn;
  const source = { channelId: channel.id, userId: caller.userId, api: await apiOf(deps, channel) };
  const last = messages.at(-1)?.message;
  // A courtesy: reading takes some seconds.
  await (last && source.api.showTyping?.(last.place, last.messageId).catch(() => undefined));
  const stored = await storedBefore(deps, turn);
  const files = new TurnFiles(deps, turn);
  const read: ReadMessage[] = [];
  for (const { id, message } of messages) {
    const texts = [message.text];
    const attachments: Attached[] = [];
    const problems: string[] = [];
    for (const [index, media] of message.media.entries()) {
      if (media.kind === "other") {
        problems.push(notTaken(media));
        continue;
      }
      const attachmentId = idOfFile(turn, id, index);
      const row = stored.get(attachmentId);
      try {
        if (media.kind === "voice") texts.push(await transcribeVoice(deps, source, media));
        else if (row) attachments.push(await files.again(row));
        else attachments.push(await files.attach(attachmentId, media, await fetchMedia(deps, source, media)));
      } catch (error) {
        if (!(error instanceof MediaProblem)) throw error;
        problems.push(error.message);
      }
    }
    read.push({ text: texts.filter((text) => text !== "").join("\n\n"), attachments, problems });
  }
  return read;
}

/** Without its credentials a channel hands out nothing; to write to it fails as well, and says why. */
async function apiOf(
  deps: MediaDeps,
  channel: Channel,
): Promise<MediaSource["api"] & Pick<Awaited<ReturnType<typeof channelApi>>, "showTyping">> {
  return channelApi(deps, channel).catch(() => ({}));
}

/** The files that an earlier attempt stored, by their ids. */
async function storedBefore({ db }: MediaDeps, turn: MediaTurn) {
  const ids = turn.messages.flatMap(({ id, message }) =>
    message.media.flatMap(({ kind }, index) => (kind === "voice" ? [] : [idOfFile(turn, id, index)])),
  );
  const rows = ids.length === 0 ? [] : await attachmentsById(db, turn.chatId, ids);
  return new Map(rows.map((row) => [row.id, row]));
}

function idOfFile({ chatId }: MediaTurn, eventId: string, index: number): string {
  return derivedId(eventId, `${chatId} ${index}`);
}
