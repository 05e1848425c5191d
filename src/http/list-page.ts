import { z } from "zod";
import { Reply } from "./endpoint.ts";

const MOST = 200;

/** What the summary of such a list says of its pages. */
export const PAGES =
  "Without `limit` all are returned; with it a page, whose `X-Next-Cursor` is the `cursor` of the next one";

/** The query of a list that is answered whole unless a page of it is asked for. `cursor` reads a place in the list. */
export function pageQuery<C extends z.ZodType>(cursor: C) {
  return z.object({
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(MOST)
      .optional()
      .describe("Most entries to return; all when absent"),
    cursor: cursor.optional().describe("`X-Next-Cursor` of the previous page"),
  });
}

/** A page of a list. One that is full tells in `X-Next-Cursor` where the next one begins; that one may be empty. */
export function replyWithPage<T, Shown>(
  items: readonly T[],
  { limit }: { limit?: number | undefined },
  { describe, cursorOf }: { describe: (item: T) => Shown; cursorOf: (item: T) => string },
): Reply<Shown[]> {
  const last = items.length === limit ? items.at(-1) : undefined;
  return new Reply(
    items.map((item) => describe(item)),
    last === undefined ? {} : { "X-Next-Cursor": cursorOf(last) },
  );
}
