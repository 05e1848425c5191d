import { trusted } from "../json.ts";
import { bodyOf } from "../http/answer.ts";
import type { CallOptions } from "../http/route.ts";
import type { Transport } from "../http/transport.ts";

/** Entries of one request. */
const SIZE = 100;

/** A list that is read to its end. */
export interface ListCall extends CallOptions {
  template: string;
  path?: object | undefined;
  query?: object | undefined;
}

/** The entries of a list whose pages are named by `X-Next-Cursor`. */
export function byCursor<T>(transport: Transport, call: ListCall): AsyncGenerator<T, void, undefined> {
  return entries(transport, call, {}, (answer, { headers }) => {
    const cursor = headers.get("x-next-cursor");
    return [trusted<T[]>(answer), cursor === null ? undefined : { cursor }];
  });
}

/** The entries of a list whose pages are numbered. */
export function byPage<T>(transport: Transport, call: ListCall): AsyncGenerator<T, void, undefined> {
  return entries(transport, call, { page: 1 }, (answer) => {
    const { items, page, total_pages } = trusted<{ items: T[]; page: number; total_pages: number }>(answer);
    return [items, page < total_pages ? { page: page + 1 } : undefined];
  });
}

/** The entries of a list that is read from a position. */
export function byOffset<T>(transport: Transport, call: ListCall): AsyncGenerator<T, void, undefined> {
  let offset = 0;
  return entries(transport, call, { offset }, (answer) => {
    const items = trusted<T[]>(answer);
    offset += items.length;
    return [items, items.length < SIZE ? undefined : { offset }];
  });
}

/** Reads page after page. `read` gives a page's entries, and the query of the next one if there is one. */
async function* entries<T>(
  transport: Transport,
  call: ListCall,
  first: object,
  read: (answer: unknown, response: Response) => [items: T[], next: object | undefined],
): AsyncGenerator<T, void, undefined> {
  let place: object | undefined = first;
  while (place) {
    const query: object = { ...call.query, limit: SIZE, ...place };
    const page: [items: T[], next: object | undefined] = await transport.send(
      { ...call, method: "GET", query },
      async (response) => read(await bodyOf(response), response),
    );
    yield* page[0];
    place = page[1];
  }
}
