import { z } from "zod";
import type { Method } from "./endpoint.ts";

const CHANGING: ReadonlySet<Method> = new Set<Method>(["patch", "put"]);

/**
 * The schema that a body is checked by. One that changes something has known fields only: a field that is shown and cannot
 * be changed would be ignored without a word. Other bodies may have further fields, which older clients send.
 */
export function acceptedBody<B extends z.ZodType>(method: Method, schema: B): z.ZodType<z.output<B>> {
  const isOpen = schema instanceof z.ZodObject && schema.def.catchall === undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The same fields, and no others.
  return isOpen && CHANGING.has(method) ? (schema.strict() as unknown as z.ZodType<z.output<B>>) : schema;
}
