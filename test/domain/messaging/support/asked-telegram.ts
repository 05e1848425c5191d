import { beforeEach } from "vitest";
import type { ApiEnvironment, ChannelApi } from "#src/channels/channel.ts";
import { adapters } from "#src/channels/index.ts";
import type { PlatformFailure } from "#src/channels/platform-failure.ts";
import * as channels from "#src/domain/messaging/channels/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { createSecretsAtRest } from "#src/platform/secrets/secrets-at-rest.ts";
import { DEFAULT_CEILINGS } from "#test/support/ceilings.ts";

export const TOKEN = "123456:ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** A person's channel of Telegram, as it is asked for. */
export const channelInput = (values: Partial<channels.ChannelInput> = {}): channels.ChannelInput => ({
  channelType: "telegram",
  name: undefined,
  credentials: { bot_token: TOKEN },
  projectId: null,
  defaultAgentId: null,
  groupMode: undefined,
  inboundMode: undefined,
  hasReactions: undefined,
  sharesLinks: undefined,
  ...values,
});

const unreachable = async (): Promise<never> => {
  throw new Error("No network in this test");
};
const apiEnvironment: ApiEnvironment = {
  baseUrls: { telegram: "", slack: "", discord: "", whatsapp: "" },
  fetch: unreachable,
  guardedFetch: unreachable,
  terminals: { push: unreachable },
};

/** Telegram, which notes what it is asked and fails as it is told, anew in each test. Calls of other platforms fail at once. */
export function askedTelegram(database: () => Db) {
  const asked: string[] = [];
  const failing = new Map<string, PlatformFailure>();
  beforeEach(() => {
    asked.length = 0;
    failing.clear();
  });

  const api = (token: string): ChannelApi => {
    const answer = async <T>(call: string, detail: string, result: T): Promise<T> => {
      asked.push([call, token, detail].filter((each) => each !== "").join(" "));
      const failure = failing.get(call);
      if (failure) throw failure;
      return result;
    };
    return {
      identify: () => answer("identify", "", { botId: "7", botName: "robin" }),
      send: ({ place, text }) => answer("send", `${place.chatId} ${text.plain}`, { messageId: "m1" }),
      directPlace: async (chatId) => ({ chatId, chatType: "dm", threadId: undefined }),
      registerWebhook: (url, secret) => answer("register", `${url} ${secret}`, undefined),
      removeWebhook: () => answer("remove", "", undefined),
    };
  };
  const platforms = {
    ...adapters,
    telegram: {
      ...adapters.telegram,
      api: ({ bot_token: token }: object & { bot_token?: unknown }) => api(String(token)),
    },
  };
  const deps = (secretKey = "the secret key of this installation", environment = "test") => ({
    db: database(),
    channelSecrets: createSecretsAtRest({ SECRET_KEY: secretKey }).channelSecrets,
    channels: platforms,
    apiEnvironment,
    config: {
      ...DEFAULT_CEILINGS,
      PUBLIC_URL: "https://workspace.test/",
      GATEWAY_NUM_SHARDS: 4,
      ENVIRONMENT: environment,
    },
  });
  return {
    asked,
    failing,
    api,
    platforms,
    deps,
    /** The call that registers a channel's webhook as it is stored now. */
    async registered(owner: UserCaller, token: string, id: string): Promise<string> {
      const channel = await channels.requireChannel(deps(), owner, id);
      const { webhookSecret } = await channels.openSecrets(deps(), channel);
      return `register ${token} https://workspace.test/api/channels/webhook/telegram/${id} ${webhookSecret}`;
    },
  };
}
