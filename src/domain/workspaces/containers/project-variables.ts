import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { sealedVariables } from "./queries.ts";
import { secretVariables } from "./secret-variables.ts";

/**
 * The variables and credentials of a project's containers by name, for a program that is of none of them. Null for a name to which
 * containers give different values. Those that were encrypted with another key are left out.
 */
export async function projectVariables(
  deps: { db: Db; secrets: Pick<Secrets, "decrypt"> },
  projectId: string,
): Promise<ReadonlyMap<string, string | null>> {
  const variables = await secretVariables(deps, await sealedVariables(deps.db, projectId));
  const values = new Map<string, string | null>();
  for (const { name, value } of variables) {
    values.set(name, values.has(name) && values.get(name) !== value ? null : value);
  }
  return values;
}
