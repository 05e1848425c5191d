import { channelConfigs, platformIdentities } from "#src/db/schema/index.ts";
import { createProject } from "#src/domain/workspaces/projects/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { newColleague } from "#test/support/colleagues.ts";

/** A channel and a person who is linked to an account. */
export async function newLinkedChannel(db: Db) {
  const owner = await newColleague(db);
  const wish = { name: "app", description: "", sourceType: "empty" } as const;
  const { id: projectId } = await createProject({ db }, owner.caller, wish);
  const channelId = newId();
  const senderId = channelId.slice(-12);
  const [channel] = await db
    .insert(channelConfigs)
    .values({
      id: channelId,
      userId: owner.id,
      projectId,
      channelType: "telegram",
      name: "Bot",
      encryptedCredentials: "{}",
      encryptedWebhookSecret: "secret",
    })
    .returning();
  await db.insert(platformIdentities).values({
    id: newId(),
    userId: owner.id,
    platform: "telegram",
    platformUserId: senderId,
    channelConfigId: channelId,
    isVerified: true,
    pairedAt: new Date(),
  });
  if (!channel) throw new Error("The channel was not stored");
  return { channel, senderId, userId: owner.id };
}

export type LinkedChannel = Awaited<ReturnType<typeof newLinkedChannel>>;
