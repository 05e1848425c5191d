import { commandLineChannel, type ChannelDeps } from "#src/domain/messaging/channels/index.ts";
import type { Caller, KeyCaller } from "#src/domain/access/permissions/index.ts";
import { requireAccount } from "#src/domain/people/accounts/index.ts";
import type { Client } from "#src/lib/client.ts";
import { requireCommandLine, requireKey } from "./access.ts";
import type { CommandLine } from "./take-frame.ts";

/**
 * Begins or continues the conversation of a key on the command line. Its channel is made when the key's person has none.
 * Throws `unauthenticated` for a caller without a key, and as `requireCommandLine` does.
 */
export async function openCommandLine(
  deps: ChannelDeps,
  presented: Caller,
  { project }: { project: string | undefined },
  client: Client,
): Promise<CommandLine & Pick<KeyCaller, "keyId" | "userId">> {
  const caller = requireKey(presented);
  const { keyId, userId } = caller;
  const projectId = await requireCommandLine(deps, caller, project);
  const { name, username } = await requireAccount(deps, userId);
  const channel = await commandLineChannel(deps, { userId, projectId }, client);
  return { keyId, userId, channelId: channel.id, projectId, userName: name || username };
}
