export {
  createChannel,
  deleteChannel,
  listChannelMessages,
  listChannels,
  requireChannel,
  rotateSecret,
  updateChannel,
  type ChannelChange,
  type ChannelWish,
} from "./manage-channels.ts";
export { activeChannel, type Channel, type ChannelMessage } from "./queries.ts";
export { showChannel, type ShownChannel } from "./show-channel.ts";
