import type { ReceivedMessage } from "#src/channels/channel.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { DEFAULT_CEILINGS } from "#test/support/ceilings.ts";
import { NO_EVENT_LIMITS } from "#test/support/event-limits.ts";
import { NO_AGENT_LIMITS } from "#test/support/message-to-agent.ts";

/** What conversations take besides the database, the queue, the platforms and the logs of tasks. */
export const CONVERSATION_PARTS = {
  rateLimits: NO_EVENT_LIMITS,
  apiEnvironment: {},
  secrets: createSecrets("a secret key of this installation"),
  channelSecrets: { encrypt: async (text: string) => text, decrypt: async (text: string) => text },
  config: {
    ...DEFAULT_CEILINGS,
    DEFAULT_MODEL: "demo",
    ...NO_AGENT_LIMITS,
    GATEWAY_NUM_SHARDS: 1,
    GATEWAY_SESSION_IDLE_MINUTES: 60,
    GATEWAY_MEDIA_CACHE_DIR: "media",
    GATEWAY_PAIRING_CODE_TTL: 3600,
    GATEWAY_PAIRING_MAX_PENDING: 3,
    GATEWAY_PAIRING_RATE_LIMIT_MINUTES: 10,
    PUBLIC_URL: "https://service.test",
  },
  modelSettings: { platformModels: ["demo"] },
};

/** The message with this number that a person writes in private. */
export function privateMessage(
  senderId: string,
  number: number,
  { text, media = [] }: { text: string; media?: ReceivedMessage["media"] },
): ReceivedMessage {
  return {
    kind: "message",
    id: `${senderId}:${number}`,
    messageId: String(number),
    replyTarget: undefined,
    place: { chatId: senderId, chatType: "dm", threadId: undefined },
    sender: { id: senderId, alternateId: undefined, name: "Ada" },
    text,
    isAddressed: true,
    media,
    replyTo: undefined,
    sentAt: undefined,
  };
}
