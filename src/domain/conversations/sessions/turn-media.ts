import type { ReceivedMessage } from "#src/channels/channel.ts";
import type { Attached } from "#src/domain/agent-work/attachments/index.ts";
import { titleOfMessage, type ChosenChat } from "#src/domain/agent-work/tasks/index.ts";
import type { Channel } from "#src/domain/messaging/channels/index.ts";
import type { OutboxDeps } from "#src/domain/messaging/deliveries/index.ts";
import { readMedia, type MediaDeps, type ReadMessage } from "#src/domain/messaging/media/index.ts";
import type { Caller } from "#src/domain/access/permissions/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { derivedId } from "#src/lib/ids.ts";
import type { Membership, StoredEvent } from "./queries/events.ts";
import { openChat } from "./queries/sessions.ts";
import { originOfMessage, tell } from "./tell.ts";

export type TurnMediaDeps = OutboxDeps & MediaDeps;

interface Part {
  stored: StoredEvent;
  message: ReceivedMessage;
}

interface TurnPlace {
  channel: Channel;
  caller: Caller;
  person: Membership;
  batch: readonly Part[];
  taskId: string;
  sessionId: string;
  projectId: string;
  chosen: ChosenChat;
}

/** A turn whose files were read. */
interface ReadTurn {
  /** The messages that the agent gets. */
  batch: readonly Part[];
  attachments: readonly Attached[];
  chat: ChosenChat;
}

/**
 * Reads the files of a turn and tells the person which ones are not there. A message that was nothing but such files is
 * left out. Files need the chat before the task: it is created under an id that a repetition finds. Throws as `readMedia`
 * and `requireProject` do.
 */
export async function readTurnMedia(deps: TurnMediaDeps, place: TurnPlace): Promise<ReadTurn> {
  const { channel, caller, person, batch, taskId, sessionId, projectId, chosen } = place;
  if (batch.every(({ message }) => message.media.length === 0))
    return { batch, attachments: [], chat: chosen };
  const chatId = chosen.kind === "named" ? chosen.id : derivedId(taskId, `chat in ${projectId}`);
  let isOpen = chosen.kind === "named";
  const read = await readMedia(deps, {
    taskId,
    channel,
    caller,
    chatId,
    messages: batch.map(({ stored, message }) => ({ id: stored.id, message })),
    async openChat() {
      if (!isOpen) {
        await requireProject(deps, caller, projectId, "chat.send");
        const title = `[${channel.channelType}] ${titleOfMessage(batch[0]?.message.text ?? "")}`.trim();
        const { userId } = caller;
        await openChat(deps.db, sessionId, {
          id: chatId,
          userId,
          projectId,
          title,
          origin: channel.channelType,
        });
        isOpen = true;
      }
      return { id: chatId, projectId };
    },
  });
  const parts = batch.map((part, index) => ({ part, result: read[index] ?? NOTHING }));
  for (const { part, result } of parts) await tellProblems(deps, { channel, person }, part, result);
  const attachments = parts.flatMap(({ result }) => result.attachments);
  return {
    batch: parts.flatMap(({ part, result }) => partOf(part, result)),
    attachments,
    chat: isOpen ? { kind: "named", id: chatId } : chosen,
  };
}

const NOTHING: ReadMessage = { text: "", attachments: [], problems: [] };

async function tellProblems(
  deps: TurnMediaDeps,
  { channel, person }: Pick<TurnPlace, "channel" | "person">,
  { stored }: Part,
  { problems }: ReadMessage,
): Promise<void> {
  const origin = problems.length === 0 ? undefined : originOfMessage(channel, stored);
  if (origin) await tell(deps, { ...origin, person }, problems.join("\n\n"), "media");
}

function partOf({ stored, message }: Part, { text, attachments }: ReadMessage): Part[] {
  const isEmpty = message.media.length > 0 && text === "" && attachments.length === 0;
  return isEmpty ? [] : [{ stored, message: { ...message, text } }];
}
