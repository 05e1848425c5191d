import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { openVariables } from "./environment.ts";
import type { sealedVariables } from "./queries.ts";

/**
 * The decrypted values of a project's variables and credentials, to be used only for hiding them in output. Values that
 * were encrypted with another key are left out, because they cannot be decrypted.
 */
export async function secretVariables(
  deps: { secrets: Pick<Secrets, "decrypt"> },
  sealed: Awaited<ReturnType<typeof sealedVariables>>,
): Promise<{ name: string; value: string }[]> {
  const opened = await Promise.all(
    sealed
      .flatMap(({ encryptedEnv, encryptedCredentials }) => [encryptedEnv, encryptedCredentials])
      .map((encrypted) => openVariables(deps.secrets, encrypted).catch((): Record<string, string> => ({}))),
  );
  return opened.flatMap((variables) => Object.entries(variables).map(([name, value]) => ({ name, value })));
}
