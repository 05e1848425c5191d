import { z } from "zod";
import { Reply } from "./endpoint.ts";

/** Most entries of a response: one with thousands is a megabyte. */
const MOST = 1_000;

/** The pages of such a list, for the description of its endpoint. */
export const PAGES =
  "At most `limit`; when more may follow, `X-Next-Cursor` is the `cursor` of the next page";

/** The query of a list that comes in pages. `cursor` parses a place in the list. */
export function pageQuery<C extends z.ZodType>(cursor: C) {
  return z.object({
    limit: z.coerce.number().int().min(1).max(MOST).default(MOST).describe("Most entries to return"),
    cursor: cursor.optional().describe("`X-Next-Cursor` of the previous page"),
  });
}

/** A page of a list. `X-Next-Cursor` of a full page names the start of the next page, which may be empty. */
export function replyWithPage<T, Shown>(
  items: readonly T[],
  { limit }: { limit: number },
  { describe, cursorOf }: { describe: (item: T) => Shown; cursorOf: (item: T) => string },
): Reply<Shown[]> {
  const last = items.length === limit ? items.at(-1) : undefined;
  return new Reply(
    items.map((item) => describe(item)),
    last === undefined ? {} : { "X-Next-Cursor": cursorOf(last) },
  );
}
