import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { openVariables } from "./environment.ts";
import { containersOf } from "./queries.ts";

/**
 * The values of a project's variables and credentials in the clear, so that they can be hidden: nothing else may be done with
 * them. What was encrypted under another key is left out, for nobody can read it. One trip.
 */
export async function secretVariables(
  deps: { db: Db; secrets: Pick<Secrets, "decrypt"> },
  projectId: string,
): Promise<{ name: string; value: string }[]> {
  const containers = await containersOf(deps.db, projectId);
  const sealed = containers.flatMap(({ encryptedEnv, encryptedCredentials }) => [
    encryptedEnv,
    encryptedCredentials,
  ]);
  const opened = await Promise.all(
    sealed.map((encrypted) =>
      openVariables(deps.secrets, encrypted).catch((): Record<string, string> => ({})),
    ),
  );
  return opened.flatMap((variables) => Object.entries(variables).map(([name, value]) => ({ name, value })));
}
