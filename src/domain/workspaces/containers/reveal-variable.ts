import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { reveal, type RevealDeps } from "#src/domain/access/reveals/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Client } from "#src/lib/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { openVariables } from "./environment.ts";
import { openContainer, type ContainerPath } from "./require-container.ts";

/**
 * Reveals the value of one variable to a person who may change it. Writes to the audit log before it returns the value.
 * Throws as `openContainer` does, `not_found` for an unknown name, `rate_limited`.
 */
export async function revealVariable(
  deps: RevealDeps & { secrets: Pick<Secrets, "decrypt"> },
  caller: UserCaller,
  { variable, ...path }: ContainerPath & { variable: string },
  client: Client,
): Promise<string> {
  const { project, container } = await openContainer(deps, caller, path, "container.edit");
  if (!container.envKeys.includes(variable)) throw new AppError("not_found", "Variable not found");
  const entry = {
    userId: caller.userId,
    teamId: project.teamId,
    projectId: project.id,
    resourceType: "container",
    resourceId: container.id,
    details: { key: variable },
    client,
  };
  const value = await reveal(
    deps,
    entry,
    async () => (await openVariables(deps.secrets, container.encryptedEnv))[variable],
  );
  if (value === undefined) throw new AppError("not_found", "Variable not found");
  return value;
}
