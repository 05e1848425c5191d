import type { Scope } from "#src/domain/access/permissions/index.ts";
import { failure, type Tool, type ToolFailure } from "./tool.ts";

/**
 * Whether the key that started a task grants a permission; `null` stands for a person, or a key without a list, and
 * grants all.
 */
export function grants(scopes: readonly string[] | null, scope: Scope): boolean {
  return scopes === null || scopes.includes(scope);
}

/** Returns why a task's key may not use a tool; undefined where it may. */
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
