export { channelApi, type ApiDeps } from "./channel-api.ts";
export { endChannelsOf } from "./end-channels.ts";
export {
  commandLineChannel,
  createChannel,
  deleteChannel,
  listChannelMessages,
  listChannels,
  requireChannel,
  requireLive,
  rotateSecret,
  updateChannel,
  type ChannelChange,
  type ChannelDeps,
  type ChannelInput,
} from "./manage-channels.ts";
export { LOSS_SENTENCES } from "./losses.ts";
export {
  activeChannel,
  liveChannel,
  channelLoss,
  connectionChannels,
  failureNoted,
  isLive,
  noteFailure,
  setConnectionState,
  storeBot,
  type Channel,
  type ChannelLoss,
  type ChannelMessage,
  type ConnectionChannel,
} from "./queries.ts";
export { disowned, otherBot, provedBot } from "./at-platform.ts";
export { askBotsSoon, planBots, proveBots } from "./prove-bots.ts";
export { isWorthRetrying, RETRY_PAUSES, retryPause } from "./retry-pause.ts";
export { sendTest } from "./send-test.ts";
export { openCredentials, openSecrets, selfOf, showChannel, type ShownChannel } from "./show-channel.ts";
