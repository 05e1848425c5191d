/** One page that a search found. */
export interface SearchHit {
  title: string;
  url: string;
  /** What the page says about the query, in plain text. */
  snippet: string;
}

/** A search engine of the public web, behind whichever provider the service has a key of. */
export interface WebSearch {
  /** Results at most, where the caller asks for no number. */
  readonly defaultResults: number;
  /**
   * The best first. Throws `rate_limited` when the provider's quota is used up for now, and `unavailable` when it does not
   * answer in time or as expected, or refuses the service's key.
   */
  search(query: string, maxResults: number): Promise<SearchHit[]>;
}
