import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { sealedTokens } from "./queries.ts";

/**
 * A person's decrypted tokens for git hosts, to be used only for hiding them in output. Does not refresh expired ones.
 * Tokens that were encrypted with another key are left out.
 */
export async function secretTokens(
  deps: { deploymentSecrets: Pick<Secrets, "decrypt"> },
  tokens: Awaited<ReturnType<typeof sealedTokens>>,
): Promise<{ name: string; value: string }[]> {
  const sealed = tokens.flatMap(({ provider, encryptedToken, encryptedRefreshToken }) => {
    const prefix = provider.toUpperCase();
    return [
      { name: `${prefix}_TOKEN`, encrypted: encryptedToken },
      { name: `${prefix}_REFRESH_TOKEN`, encrypted: encryptedRefreshToken },
    ];
  });
  const opened = await Promise.all(
    sealed.map(async ({ name, encrypted }) => {
      const value = encrypted === null ? "" : await deps.deploymentSecrets.decrypt(encrypted).catch(() => "");
      return { name, value };
    }),
  );
  return opened.filter(({ value }) => value !== "");
}
