import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { sealedSecrets } from "./queries.ts";
import { openMetadata } from "./sealed-credential.ts";

/**
 * The decrypted tokens and secret metadata of a person's credentials, to be used only for hiding them in output. Does not
 * refresh expired ones. What was encrypted with another key is left out.
 */
export async function credentialSecrets(
  deps: { deploymentSecrets: Pick<Secrets, "decrypt"> },
  sealed: Awaited<ReturnType<typeof sealedSecrets>>,
): Promise<{ name: string; value: string }[]> {
  const open = async (name: string, encrypted: string | null) => {
    const value = encrypted === null ? "" : await deps.deploymentSecrets.decrypt(encrypted).catch(() => "");
    return value === "" ? [] : [{ name, value }];
  };
  const opened = await Promise.all(
    sealed.flatMap(({ provider, encryptedToken, encryptedRefreshToken, encryptedMetadata }) => {
      const prefix = provider.toUpperCase();
      return [
        open(`${prefix}_TOKEN`, encryptedToken),
        open(`${prefix}_REFRESH_TOKEN`, encryptedRefreshToken),
        openMetadata(deps, { metadata: {}, encryptedMetadata })
          .catch(() => ({}))
          .then((fields) =>
            Object.entries(fields).map(([name, value]) => ({
              name: `${prefix}_${name.toUpperCase()}`,
              value,
            })),
          ),
      ];
    }),
  );
  return opened.flat();
}
