/** Where a tool's schema says which arguments are sent as headers, too. */
const DECLARATION = "x-mcp-header";
/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);
/** Nesting beyond this is not looked at. Such a schema is offered to no model either. */
const MAX_DEPTH = 32;

/**
 * Why the headers that a schema declares are not those that the protocol allows; undefined for none. Clients must leave such a tool
 * out: a name in a header is read by whatever is on the way. https://modelcontextprotocol.io, SEP-2243
 */
export function headerProblem(schema: unknown): string | undefined {
  const names = new Set<string>();
  const look = (part: unknown, depth: number, isArgument: boolean): string | undefined => {
    if (typeof part !== "object" || part === null || depth > MAX_DEPTH) return undefined;
    if (!Array.isArray(part) && Object.hasOwn(part, DECLARATION)) {
      const name: unknown = Reflect.get(part, DECLARATION);
      const isAllowed = isArgument && depth > 0 && TYPES.has(Reflect.get(part, "type"));
      if (!isAllowed || typeof name !== "string" || !TOKEN.test(name) || names.has(name.toLowerCase())) {
        return "it declares a header that the protocol does not allow";
      }
      names.add(name.toLowerCase());
    }
    for (const [keyword, child] of Object.entries(part)) {
      const isFields = keyword === "properties" && !Array.isArray(part) && isObject(child);
      const found = isFields
        ? first(Object.values(child).map((field) => look(field, depth + 1, isArgument)))
        : look(child, depth + 1, false);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return look(schema, 0, true);
}

const first = (problems: readonly (string | undefined)[]) =>
  problems.find((problem) => problem !== undefined);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
