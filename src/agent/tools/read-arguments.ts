import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { isTooDeep, MAX_NESTING } from "#src/models/tool-calls.ts";
import { repaired } from "./repair-arguments.ts";

const MAX_ISSUES = 5;
const MAX_REPAIRS = 3;

type Arguments<T> = { ok: true; value: T } | { ok: false; error: string };

/**
 * Parses and checks the arguments of a call. An empty text counts as `{}`, because some models send it for a call
 * without arguments. A value of the wrong type is converted where the schema leaves no doubt (`repaired`), and reported
 * otherwise.
 */
export function readArguments<T>(
  text: string,
  schema: z.ZodType<T>,
  aliases: Readonly<Record<string, string>>,
): Arguments<T> {
  if (isTooDeep(text)) {
    return { ok: false, error: `The arguments nest more than ${MAX_NESTING} levels of objects and lists.` };
  }
  const json = text.trim() === "" ? { value: {} } : safeParseJson(text, z.unknown());
  if (!json) {
    return {
      ok: false,
      error: `The arguments are not valid JSON (${text.length} characters arrived; they may have been cut off).`,
    };
  }
  const parsed = checked(json.value, schema, aliases);
  if (parsed.success) return { ok: true, value: parsed.data };
  const issues = parsed.error.issues.slice(0, MAX_ISSUES).map(describeIssue);
  const more = parsed.error.issues.length - issues.length;
  const rest = more > 0 ? `; and ${more} more` : "";
  return { ok: false, error: `The arguments do not fit: ${issues.join("; ")}${rest}.` };
}

function checked<T>(
  value: unknown,
  schema: z.ZodType<T>,
  aliases: Readonly<Record<string, string>>,
): z.ZodSafeParseResult<T> {
  let written = renameFields(value, aliases);
  let parsed = schema.safeParse(written);
  // A repaired list or object may contain values that need a repair themselves.
  for (let round = 0; round < MAX_REPAIRS && !parsed.success; round += 1) {
    const better = repaired(written, parsed.error.issues);
    if (better === undefined) break;
    written = renameFields(better, aliases);
    parsed = schema.safeParse(written);
  }
  return parsed;
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${z.core.toDotPath(path)}: ${message}`;
}

/**
 * Renames fields to their canonical names; a field that is present under both names is not renamed, so the alias is
 * refused.
 */
function renameFields(value: unknown, aliases: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(value)) return value.map((item) => renameFields(item, aliases));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      const own = Object.hasOwn(aliases, key) ? aliases[key] : undefined;
      const name = own === undefined || Object.hasOwn(value, own) ? key : own;
      return [name, renameFields(field, aliases)];
    }),
  );
}
