/** The requested page of a list, from 1. */
export interface Page {
  page: number;
  pageSize: number;
}

export function boundsOf({ page, pageSize }: Page): { limit: number; offset: number } {
  return { limit: pageSize, offset: (page - 1) * pageSize };
}

/** The number of pages of a list; 0 for an empty one. */
export function pagesOf(total: number, { pageSize }: Page): number {
  return Math.ceil(total / pageSize);
}
