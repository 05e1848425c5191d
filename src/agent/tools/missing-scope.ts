import type { Scope } from "#src/domain/organisations/access/index.ts";
import { failure, type Tool, type ToolFailure } from "./tool.ts";

/** Whether the key that started a task grants a permission; a person, and a key without a list, have `null`. */
export function grants(scopes: readonly string[] | null, scope: Scope): boolean {
  return scopes === null || scopes.includes(scope);
}

/** Why a task's key does not let it use a tool; undefined where it does. */
export function missingScope(
  { name, scope }: Pick<Tool, "name" | "scope">,
  scopes: readonly string[] | null,
): ToolFailure | undefined {
  if (scope === null || grants(scopes, scope)) return undefined;
  return failure(
    `The API key of this task lacks the scope ${scope}, which ${name} needs.`,
    "Go on without this tool, or tell the user which scope is missing.",
  );
}
