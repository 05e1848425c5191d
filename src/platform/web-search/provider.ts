import type { z } from "zod";
import type { SearchHit } from "./web-search.ts";

/** What differs between search providers: how a query is put, and what is read of the answer. */
export interface SearchProvider<Answer> {
  /** As people know it. */
  label: string;
  request(query: string, maxResults: number): ProviderRequest;
  /** Of a successful answer; loose, so that what is not read may change. */
  answer: z.ZodType<Answer>;
  hits(answer: Answer): SearchHit[];
}

export interface ProviderRequest {
  url: string;
  method: "GET" | "POST";
  headers: Readonly<Record<string, string>>;
  body?: string;
}

/** An account at a provider: where its API is, and the key that opens it. */
export interface ProviderAccount {
  apiKey: string;
  /** Without a slash at the end. */
  baseUrl: string;
}
