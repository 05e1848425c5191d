import { z } from "zod";

/**
 * The schema that a body is checked by. A PATCH has known fields only: a field that is shown and cannot be changed would be
 * ignored without a word. Other bodies may have further fields: older clients send them, and who replaces a resource (PUT)
 * sends back what was shown.
 */
export function acceptedBody(method: string, schema: z.ZodType): z.ZodType {
  const isOpen = schema instanceof z.ZodObject && schema.def.catchall === undefined;
  return isOpen && method === "patch" ? schema.strict() : schema;
}
