/** One page that a search found. */
export interface SearchHit {
  title: string;
  url: string;
  /** The page's excerpt for the query, in plain text. */
  snippet: string;
}

/** A search engine of the public web, from the configured provider. */
export interface WebSearch {
  /** Number of results when the caller does not specify it. */
  readonly defaultResults: number;
  /**
   * Returns the best results first. Throws `rate_limited` when the provider's quota is used up, and `unavailable` when
   * it does not respond in time or as expected, or refuses the service's key.
   */
  search(query: string, maxResults: number): Promise<SearchHit[]>;
}
