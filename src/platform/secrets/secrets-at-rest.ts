import { createSecrets, type Secrets } from "./secrets.ts";

/** The keys that this service's secrets are under, by what they are for. */
export interface SecretsAtRest {
  /** Everything that has no key of its own: secrets of callbacks, variables of containers, mails that wait. */
  secrets: Secrets;
  /** Tokens of git hosts. */
  deploymentSecrets: Secrets;
  /** People's own keys of model providers. */
  modelKeySecrets: Secrets;
}

export interface EncryptionConfig {
  SECRET_KEY: string;
  PREVIOUS_SECRET_KEY?: string | undefined;
  ENCRYPTION_KEY?: string | undefined;
  DEPLOYMENT_ENCRYPTION_KEY?: string | undefined;
  PREVIOUS_ENCRYPTION_KEY?: string | undefined;
}

/** What is encrypted is under the first key of its kind; what was encrypted under an earlier one is read as well. */
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
        // The keys of other installations' rows, which had no ENCRYPTION_KEY.
        ...keysOf(DEPLOYMENT_ENCRYPTION_KEY),
        { hashOf: SECRET_KEY },
        ...(previousSecretKey === undefined ? [] : [{ hashOf: previousSecretKey }]),
      ],
    }),
  };
}

const keysOf = (key: string | undefined) => (key === undefined ? [] : [{ key }]);
