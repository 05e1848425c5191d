import type { Platform } from "#src/channels/channel.ts";
import { channelConfigs, channelMessages } from "#src/db/schema/index.ts";
import { newPairingCode } from "#src/domain/messaging/identities/index.ts";
import { newId } from "#src/lib/ids.ts";
import { createSecretsAtRest } from "#src/platform/secrets/secrets-at-rest.ts";
import { databaseOf } from "./database.ts";
import type { SharedService } from "./shared-service.ts";

type Service = Pick<SharedService, "stack">;

/** A channel of a user's, as a row alone: its platform is not asked who the bot is. */
export async function newChannelRow(
  service: Service,
  userId: string,
  { channelType, credentials }: { channelType: Platform; credentials: object } = TELEGRAM,
): Promise<string> {
  const id = newId();
  const { SECRET_KEY = "" } = service.stack.variables;
  const { channelSecrets } = createSecretsAtRest({ SECRET_KEY });
  const secrets = {
    encryptedCredentials: await channelSecrets.encrypt(JSON.stringify(credentials)),
    encryptedWebhookSecret: await channelSecrets.encrypt("0".repeat(64)),
  };
  await databaseOf(service)
    .insert(channelConfigs)
    .values({ id, userId, channelType, name: "Bot", ...secrets });
  return id;
}

const TELEGRAM = { channelType: "telegram", credentials: { bot_token: "1:token" } } as const;

/** A message that the channel could not send. */
export async function failedMessage(service: Service, channelConfigId: string): Promise<string> {
  const id = newId();
  await databaseOf(service).insert(channelMessages).values({
    id,
    channelConfigId,
    direction: "outbound",
    jid: "telegram:5",
    content: "Hello",
    status: "failed",
    error: "The bot was blocked.",
  });
  return id;
}

/** A code that a person on Telegram was sent through this channel. */
export async function pairingCode(service: Service, channelConfigId: string, name = "Ada"): Promise<string> {
  const config = {
    GATEWAY_PAIRING_CODE_TTL: 3600,
    GATEWAY_PAIRING_MAX_PENDING: 1000,
    GATEWAY_PAIRING_RATE_LIMIT_MINUTES: 0,
  };
  const sender = { id: crypto.randomUUID(), name, alternateId: undefined };
  const from = { channelConfigId, platform: "telegram", sender } as const;
  const code = await newPairingCode({ db: databaseOf(service), config }, from);
  if (code === undefined) throw new Error("The person was sent no code");
  return code;
}
