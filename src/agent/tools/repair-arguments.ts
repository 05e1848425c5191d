import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { isTooDeep } from "#src/models/tool-calls.ts";

const NUMBER = /^-?\d+(\.\d+)?$/u;
const Json = z.unknown();

/**
 * Returns arguments with the values that models often write in the wrong type, as far as the schema's issues name them
 * and leave no doubt: `"30"` for a number, `"true"` for a boolean, a list or an object as JSON text, and `null` for an
 * optional field. Returns undefined if there is nothing to repair.
 */
export function repaired(value: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  let result = value;
  let isChanged = false;
  for (const issue of issues) {
    if (issue.code !== "invalid_type") continue;
    const change = changeOf(valueAt(result, issue.path), issue.expected);
    if (!change) continue;
    result = withChange(result, issue.path, change);
    isChanged = true;
  }
  return isChanged ? result : undefined;
}

/** The new value of a field, or its removal. */
type Change = { kind: "set"; value: unknown } | { kind: "remove" };

function changeOf(found: unknown, expected: string): Change | undefined {
  if (found === null) return { kind: "remove" };
  if (typeof found !== "string") return undefined;
  const text = found.trim();
  if ((expected === "number" || expected === "int") && NUMBER.test(text)) return set(Number(text));
  if (expected === "boolean" && (text === "true" || text === "false")) return set(text === "true");
  if (expected !== "array" && expected !== "object") return undefined;
  const json = isTooDeep(text) ? undefined : safeParseJson(text, Json)?.value;
  const isExpected =
    typeof json === "object" && json !== null && Array.isArray(json) === (expected === "array");
  return isExpected ? set(json) : undefined;
}

function set(value: unknown): Change {
  return { kind: "set", value };
}

function valueAt(value: unknown, [key, ...rest]: readonly PropertyKey[]): unknown {
  if (key === undefined) return value;
  return valueAt(fieldsOf(value)?.[String(key)], rest);
}

function withChange(value: unknown, [key, ...rest]: readonly PropertyKey[], change: Change): unknown {
  // The whole cannot be removed.
  if (key === undefined) return change.kind === "set" ? change.value : value;
  if (Array.isArray(value)) {
    return value.map((item, place) => (place === key ? withChange(item, rest, change) : item));
  }
  const { [String(key)]: field, ...others } = fieldsOf(value) ?? {};
  if (rest.length === 0 && change.kind === "remove") return others;
  return { ...others, [String(key)]: withChange(field, rest, change) };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null ? { ...value } : undefined;
}
