import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { sealedTokens } from "./queries.ts";

/**
 * A person's tokens for git hosts in the clear, so that they can be hidden: nothing else may be done with them. They are as
 * they are kept: none is refreshed. What was encrypted under another key is left out.
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
