export { channelApi, type ApiDeps } from "./channel-api.ts";
export {
  commandLineChannel,
  createChannel,
  deleteChannel,
  listChannelMessages,
  listChannels,
  requireChannel,
  rotateSecret,
  shardOf,
  updateChannel,
  type ChannelChange,
  type ChannelDeps,
  type ChannelWish,
} from "./manage-channels.ts";
export {
  activeChannel,
  connectionChannels,
  noteFailure,
  setConnectionState,
  storeBot,
  type Channel,
  type ChannelMessage,
  type ConnectionChannel,
} from "./queries.ts";
export { provedBot } from "./at-platform.ts";
export { proveBots } from "./prove-bots.ts";
export { sendTest } from "./send-test.ts";
export { openCredentials, openSecrets, selfOf, showChannel, type ShownChannel } from "./show-channel.ts";
