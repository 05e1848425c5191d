import type { api } from "@agent-workspace/client";

type Rules = api.McpServer["tools"];

export type Choice = "ask" | "allow" | "deny";

const matches = (pattern: string, name: string) =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;

/** How calls of a tool are handled, as the service decides it. */
export function choiceOf({ deny, ask, allow }: Rules, name: string): Choice {
  const has = (patterns: readonly string[]) => patterns.some((pattern) => matches(pattern, name));
  if (has(deny)) return "deny";
  return has(ask) || !has(allow) ? "ask" : "allow";
}

/** A rule for several tools that decides about this one: it is changed as a whole, not here. */
export function patternFor({ deny, ask, allow }: Rules, name: string): string | undefined {
  return [...deny, ...ask, ...allow].find((pattern) => pattern.endsWith("*") && matches(pattern, name));
}

/** The rules with another choice for one tool. */
export function withChoice({ deny, ask, allow }: Rules, name: string, choice: Choice) {
  const without = (patterns: readonly string[]) => patterns.filter((pattern) => pattern !== name);
  return {
    deny: [...without(deny), ...(choice === "deny" ? [name] : [])],
    ask: without(ask),
    allow: [...without(allow), ...(choice === "allow" ? [name] : [])],
  };
}

export function withReadOnly({ read_only }: Rules, name: string, isReadOnly: boolean) {
  return { read_only: [...read_only.filter((each) => each !== name), ...(isReadOnly ? [name] : [])] };
}
