import type { ApiEnvironment, ChannelAdapter, ChannelApi, Platform } from "#src/channels/channel.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { Channel } from "./queries.ts";
import { openCredentials } from "./show-channel.ts";

export interface ApiDeps {
  channels: Readonly<Record<Platform, Pick<ChannelAdapter, "api">>>;
  apiEnvironment: ApiEnvironment;
  channelSecrets: Pick<Secrets, "decrypt">;
}

/** A channel's calls at its platform. Throws `InvalidToken` when no configured key opens its credentials. */
export async function channelApi(
  deps: ApiDeps,
  channel: Pick<Channel, "channelType" | "encryptedCredentials">,
): Promise<ChannelApi> {
  const credentials = await openCredentials(deps, channel);
  return deps.channels[channel.channelType].api(credentials, deps.apiEnvironment);
}
