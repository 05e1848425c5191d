import { useState } from "preact/hooks";

/** What a list that comes in pages is narrowed to. A change of that begins at the first page. */
export function useNarrowed<Filter>(whole: Filter) {
  const [{ filter, page }, set] = useState({ filter: whole, page: 1 });
  return {
    filter,
    page,
    narrow: (next: Filter) => set({ filter: next, page: 1 }),
    go: (next: number) => set({ filter, page: next }),
  };
}
