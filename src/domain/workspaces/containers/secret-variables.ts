import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { openVariables } from "./environment.ts";
import type { sealedVariables } from "./queries.ts";

/**
 * The values of a project's variables and credentials in the clear, so that they can be hidden: nothing else may be done with
 * them. What was encrypted under another key is left out, for nobody can read it.
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
