import type { Endpoint } from "#src/http/endpoint.ts";
import { createChannel } from "./create.ts";
import { deleteChannel } from "./delete.ts";
import { getChannel } from "./get.ts";
import { listChannels } from "./list.ts";
import { listMessages } from "./messages.ts";
import { retryChannelMessage } from "./retry-message.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { testChannel } from "./send-test.ts";
import { updateChannel } from "./update.ts";
import { greetWebhook, postWebhook } from "./webhook.ts";

/** The lists come first: their second base, `/api/channels/configs`, is no channel. */
export const channelEndpoints: readonly Endpoint[] = [
  greetWebhook,
  postWebhook,
  listChannels,
  createChannel,
  getChannel,
  updateChannel,
  deleteChannel,
  rotateSecret,
  testChannel,
  listMessages,
  retryChannelMessage,
];
