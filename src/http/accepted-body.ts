import { z } from "zod";

const CHANGING: ReadonlySet<string> = new Set(["patch", "put"]);

/**
 * The schema that a body is checked by. One that changes something has known fields only: a field that is shown and cannot
 * be changed would be ignored without a word. Other bodies may have further fields, which older clients send.
 */
export function acceptedBody(method: string, schema: z.ZodType): z.ZodType {
  const isOpen = schema instanceof z.ZodObject && schema.def.catchall === undefined;
  return isOpen && CHANGING.has(method) ? schema.strict() : schema;
}
