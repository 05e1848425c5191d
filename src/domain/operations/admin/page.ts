/** Which part of a list is asked for; the first page is 1. */
export interface Page {
  page: number;
  pageSize: number;
}

export function boundsOf({ page, pageSize }: Page): { limit: number; offset: number } {
  return { limit: pageSize, offset: (page - 1) * pageSize };
}

/** How many pages a list of this length has; an empty one has none. */
export function pagesOf(total: number, { pageSize }: Page): number {
  return Math.ceil(total / pageSize);
}
