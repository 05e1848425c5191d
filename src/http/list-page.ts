import { z } from "zod";
import { Reply } from "./endpoint.ts";

const MOST = 200;

/** The pages of such a list, for the description of its endpoint. */
export const PAGES =
  "Without `limit` all are returned; with it a page, whose `X-Next-Cursor` is the `cursor` of the next one";

/** The query of a list that is returned whole unless a page is requested. `cursor` parses a place in the list. */
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

/** A page of a list. `X-Next-Cursor` of a full page names the start of the next page, which may be empty. */
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
