import { requireVariableBounds } from "#src/domain/workspaces/containers/index.ts";
import { AppError } from "#src/lib/errors.ts";

/** Such names are the service's own, and never reach a provider. */
const RESERVED = "_WORKSPACE_";
const MAX_NAME_LENGTH = 200;

/** Checks the variables that a deployment is given. Throws `invalid_input`, without repeating a name or a value. */
export function checkEnv(env: Readonly<Record<string, string>>): void {
  requireVariableBounds(env);
  const names = Object.keys(env);
  if (names.some((name) => name.startsWith(RESERVED))) {
    throw new AppError("invalid_input", `Names of variables must not begin with ${RESERVED}`);
  }
  if (names.some((name) => name.length > MAX_NAME_LENGTH)) {
    throw new AppError("invalid_input", `A variable's name is longer than ${MAX_NAME_LENGTH} characters`);
  }
}

/** Variables without the service's own. */
export function withoutOwnNames<T>(env: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith(RESERVED)));
}
