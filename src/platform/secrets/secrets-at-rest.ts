import { createSecrets, type Secrets } from "./secrets.ts";

/** Encryption of this service's secrets, by purpose. */
export interface SecretsAtRest {
  /** Every secret without a specific key: secrets of callbacks, variables of containers, queued mails. */
  secrets: Secrets;
  /** Tokens of git hosts and hosting providers, and variables of deployments. */
  deploymentSecrets: Secrets;
  /** Users' own keys of model providers. */
  modelKeySecrets: Secrets;
  /** Credentials and webhook secrets of messaging channels. */
  channelSecrets: Secrets;
}

export interface EncryptionConfig {
  SECRET_KEY: string;
  PREVIOUS_SECRET_KEY?: string | undefined;
  ENCRYPTION_KEY?: string | undefined;
  DEPLOYMENT_ENCRYPTION_KEY?: string | undefined;
  CHANNEL_ENCRYPTION_KEY?: string | undefined;
  PREVIOUS_ENCRYPTION_KEY?: string | undefined;
}

/** Encrypts with the first key of each purpose; tokens under earlier keys remain readable. */
export function createSecretsAtRest(config: EncryptionConfig): SecretsAtRest {
  const { SECRET_KEY, PREVIOUS_SECRET_KEY: previousSecretKey, DEPLOYMENT_ENCRYPTION_KEY } = config;
  const previous = keysOf(config.PREVIOUS_ENCRYPTION_KEY);
  return {
    secrets: createSecrets(SECRET_KEY, { previousSecretKey }),
    deploymentSecrets: createSecrets(SECRET_KEY, {
      purpose: "deployment-credentials",
      ownKey: DEPLOYMENT_ENCRYPTION_KEY,
      previousSecretKey,
      readable: previous,
    }),
    modelKeySecrets: createSecrets(SECRET_KEY, {
      purpose: "model-keys",
      ownKey: config.ENCRYPTION_KEY,
      previousSecretKey,
      readable: [
        ...previous,
        // Keys of installations without ENCRYPTION_KEY.
        ...keysOf(DEPLOYMENT_ENCRYPTION_KEY),
        { hashOf: SECRET_KEY },
        ...(previousSecretKey === undefined ? [] : [{ hashOf: previousSecretKey }]),
      ],
    }),
    channelSecrets: createSecrets(SECRET_KEY, {
      purpose: "channel-credentials",
      ownKey: config.CHANNEL_ENCRYPTION_KEY ?? DEPLOYMENT_ENCRYPTION_KEY,
      previousSecretKey,
      // Rows stay readable when the installation gets a CHANNEL_ENCRYPTION_KEY later.
      readable: [...previous, ...keysOf(DEPLOYMENT_ENCRYPTION_KEY)],
    }),
  };
}

const keysOf = (key: string | undefined) => (key === undefined ? [] : [{ key }]);
