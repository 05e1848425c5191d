import { z } from "zod";
import type { ProviderAccount, SearchProvider } from "./provider.ts";

const Answer = z.object({
  results: z.array(z.object({ title: z.string().nullish(), url: z.string(), content: z.string().nullish() })),
});

/** https://docs.tavily.com/documentation/api-reference/endpoint/search */
export function tavily({ apiKey, baseUrl }: ProviderAccount): SearchProvider<z.output<typeof Answer>> {
  return {
    label: "Tavily",
    request: (query, maxResults) => ({
      url: `${baseUrl}/search`,
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ query, max_results: maxResults, search_depth: "basic" }),
    }),
    answer: Answer,
    hits: ({ results }) =>
      results.map(({ title, url, content }) => ({ title: title ?? url, url, snippet: content ?? "" })),
  };
}
