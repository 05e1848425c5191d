import type { ReceivedClick } from "#src/channels/channel.ts";
import { channelApi, type ApiDeps, type Channel } from "#src/domain/messaging/channels/index.ts";
import type { Log } from "#src/platform/log/log.ts";

/** Tells the platform, and the person where it can, that a click was received. Never throws: it is a courtesy. */
export async function confirmClick(
  deps: ApiDeps & { log: Log },
  channel: Channel,
  click: ReceivedClick,
  text: string,
): Promise<void> {
  try {
    const api = await channelApi(deps, channel);
    const { confirmation } = click;
    const opened = confirmation === undefined ? undefined : await deps.channelSecrets.decrypt(confirmation);
    await api.confirmClick?.({ ...click, confirmation: opened }, text);
  } catch (cause) {
    deps.log.warn("a click could not be confirmed", { channel_id: channel.id, cause });
  }
}
