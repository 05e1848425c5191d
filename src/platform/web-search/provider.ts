import type { z } from "zod";
import type { SearchHit } from "./web-search.ts";

/** The differences between search providers: how a query is sent, and which fields of the response are read. */
export interface SearchProvider<Answer> {
  /** Display name. */
  label: string;
  request(query: string, maxResults: number): ProviderRequest;
  /** Schema of a successful response; loose, so that unread fields may change. */
  answer: z.ZodType<Answer>;
  hits(answer: Answer): SearchHit[];
}

export interface ProviderRequest {
  url: string;
  method: "GET" | "POST";
  headers: Readonly<Record<string, string>>;
  body?: string;
}

/** An account at a provider: the address of its API, and the key. */
export interface ProviderAccount {
  apiKey: string;
  /** Without a trailing slash. */
  baseUrl: string;
}
