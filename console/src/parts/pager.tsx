interface PagerProps {
  /** From 1. */
  page: number;
  /** How many there are, where that is known. */
  pages?: number;
  /** Whether there is a next page, where `pages` is not known. */
  hasMore?: boolean;
  go: (page: number) => void;
}

/** Leads through the pages of a list, the newest first. */
export function Pager({ page, pages, hasMore = pages !== undefined && page < pages, go }: PagerProps) {
  if (page === 1 && !hasMore) return null;
  return (
    <div class="row">
      <button type="button" disabled={page <= 1} onClick={() => go(page - 1)}>
        Newer
      </button>
      <span class="muted small">
        Page {page}
        {pages !== undefined && ` of ${Math.max(1, pages)}`}
      </span>
      <button type="button" disabled={!hasMore} onClick={() => go(page + 1)}>
        Older
      </button>
    </div>
  );
}
