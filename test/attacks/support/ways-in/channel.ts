import { eq } from "drizzle-orm";
import type { Platform } from "#src/channels/channel.ts";
import { channelMessages, tasks } from "#src/db/schema/index.ts";
import { activeChannel, connectionChannels } from "#src/domain/messaging/channels/index.ts";
import type { InboundMode } from "#src/domain/messaging/channels/inbound-mode.ts";
import { readReach } from "#src/domain/messaging/agent-messages/queries.ts";
import { advanceSession } from "#src/domain/conversations/sessions/index.ts";
import { deliverMessage } from "#src/domain/messaging/deliveries/index.ts";
import { insertMessages } from "#src/domain/messaging/deliveries/queries/outbox.ts";
import { receiveEvents, sessionKeyOf } from "#src/domain/messaging/inbox/index.ts";
import { originChat } from "#src/domain/schedules/targets/queries.ts";
import { newId } from "#src/lib/ids.ts";
import { executeJob } from "#src/work/execute.ts";
import type { Scene } from "./scene.ts";
import type { WayIn } from "./way-in.ts";

/** A chat that nobody has used. */
const newPlace = () => ({ chatId: newId(), chatType: "dm", threadId: undefined }) as const;

/** A channel of the owner, in which a colleague writes; at the command line only the owner can. */
export async function openChannel(
  { db, deps, rows, ...scene }: Scene,
  { platform, inboundMode }: { platform: Platform; inboundMode: InboundMode },
): Promise<WayIn> {
  const { owner, key, projectId } = scene;
  const channel = await rows.channel(owner, { projectId, channelType: platform, inboundMode });
  const isTerminal = platform === "cli";
  const writer = isTerminal ? owner : scene.team.owner;
  const senderId = isTerminal
    ? owner.id
    : await rows.identity(writer, { platform, channelConfigId: channel.id });

  const tasksThere = () => db.$count(tasks, eq(tasks.userId, writer.id));

  /** Whether a message becomes a task. */
  async function takesMessage(): Promise<boolean> {
    const [at, before] = [newPlace(), await tasksThere()];
    await receiveEvents(deps, channel, [
      {
        kind: "message",
        id: newId(),
        messageId: newId(),
        ...(isTerminal && { apiKeyId: key.id }),
        replyTarget: undefined,
        place: at,
        sender: { id: senderId, alternateId: undefined, name: "Ada" },
        text: "Write a file",
        isAddressed: true,
        media: [],
        replyTo: undefined,
        sentAt: undefined,
      },
    ]);
    await advanceSession(deps, { channelId: channel.id, sessionKey: sessionKeyOf(platform, at), senderId });
    return (await tasksThere()) > before;
  }

  /** Whether a message of the outbox is sent. */
  async function sends(): Promise<boolean> {
    const place = newPlace();
    const message = {
      channel,
      sessionKey: sessionKeyOf(platform, place),
      place,
      kind: "message",
      content: "A reply",
      occasion: newId(),
      replyTo: undefined,
      replyTarget: undefined,
      buttons: [],
      taskId: null,
      person: null,
    } as const;
    const [{ id } = { id: "" }] = await insertMessages(db, [message]);
    await executeJob(deps, deliverMessage, id);
    const [row] = await db.select().from(channelMessages).where(eq(channelMessages.id, id));
    return row?.status === "delivered";
  }

  /** Whether an agent of the owner can write through it. */
  async function isReached(): Promise<boolean> {
    const task = { id: newId(), userId: owner.id, projectId, apiKeyId: null };
    const { candidates } = await readReach(db, task, { platform, targets: [] });
    return candidates.some((each) => each.channel.id === channel.id);
  }

  const isConnected = async () =>
    (await connectionChannels(db, { shard: 0, shards: 1 })).some(({ id }) => id === channel.id);

  return {
    async works() {
      return {
        "takes calls": (await activeChannel(db, channel.id)) !== undefined,
        "takes messages": await takesMessage().catch(() => false),
        "sends messages": await sends().catch(() => false),
        "is reached by agents": await isReached(),
        ...(!isTerminal && {
          "is an origin of schedules":
            (await originChat(
              db,
              { userId: owner.id, projectId },
              { channelId: channel.id, chatId: "1" },
            )) !== undefined,
        }),
        ...(!isTerminal && inboundMode === "connection" && { "is connected": await isConnected() }),
      };
    },
  };
}
