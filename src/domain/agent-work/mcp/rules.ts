import type { McpToolRules } from "#src/db/schema/index.ts";

export const NO_RULES: McpToolRules = { allow: [], deny: [], ask: [], read_only: [] };

/** Lists that are absent stay as they are. */
export type RulesChange = { [List in keyof McpToolRules]?: string[] | undefined };

export const changedRules = (before: McpToolRules, change: RulesChange): McpToolRules => ({
  allow: change.allow ?? before.allow,
  deny: change.deny ?? before.deny,
  ask: change.ask ?? before.ask,
  read_only: change.read_only ?? before.read_only,
});

/** How a tool may be called. What its server says about it decides nothing. */
export interface ToolLeave {
  isDenied: boolean;
  /** Whether a person is asked in edit mode `ask`. */
  asks: boolean;
  isReadOnly: boolean;
}

/** What an owner's rules say about a tool. `deny` goes before `ask`, and `ask` before `allow`. */
export function leaveOf(rules: McpToolRules, name: string): ToolLeave {
  const has = (patterns: readonly string[]) => patterns.some((pattern) => matches(pattern, name));
  return {
    isDenied: has(rules.deny),
    asks: has(rules.ask) || !has(rules.allow),
    isReadOnly: has(rules.read_only),
  };
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}
