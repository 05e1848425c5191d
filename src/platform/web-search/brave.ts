import { z } from "zod";
import type { ProviderAccount, SearchProvider } from "./provider.ts";

/** `web` is absent when there are no results. */
const Answer = z.object({
  web: z
    .object({
      results: z.array(
        z.object({ title: z.string().nullish(), url: z.string(), description: z.string().nullish() }),
      ),
    })
    .nullish(),
});

/** https://api-dashboard.search.brave.com/app/documentation/web-search/query */
export function brave({ apiKey, baseUrl }: ProviderAccount): SearchProvider<z.output<typeof Answer>> {
  return {
    label: "Brave",
    request: (query, maxResults) => {
      // Without text decorations there are no <strong> tags around the matched words.
      const asked = new URLSearchParams({ q: query, count: String(maxResults), text_decorations: "false" });
      return {
        url: `${baseUrl}/web/search?${asked.toString()}`,
        method: "GET",
        headers: { accept: "application/json", "x-subscription-token": apiKey },
      };
    },
    answer: Answer,
    hits: ({ web }) =>
      (web?.results ?? []).map(({ title, url, description }) => ({
        title: title ?? url,
        url,
        snippet: description ?? "",
      })),
  };
}
