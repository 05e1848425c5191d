import { describe, expect, it } from "vitest";
import { toolDefinitions } from "#src/agent/tools/index.ts";
import { runTool } from "#src/agent/tools/run-tool.ts";
import { toModelText } from "#src/agent/tools/to-model-text.ts";
import { AppError } from "#src/lib/errors.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";
import { textPage, toolCall, toolContext } from "#test/support/tool-context.ts";

const hits = [1, 2, 3, 4].map((number) => ({
  title: `Page ${number}`,
  url: `https://found.test/${number}`,
  snippet: `About ${number}`,
}));

async function search(
  args: Record<string, unknown>,
  safeFetch: SafeFetch = async (url) => textPage(url, url),
) {
  const asked: [string, number][] = [];
  const webSearch = {
    defaultResults: 4,
    async search(query: string, maxResults: number) {
      asked.push([query, maxResults]);
      return hits.slice(0, maxResults);
    },
  };
  const context = toolContext({ webSearch, safeFetch });
  return { ...(await runTool(toolCall("web_search", args), context)), asked };
}

/** Of the pages found, one is silent and one is gone. */
const mixed: SafeFetch = async (url) => {
  if (url.endsWith("/2")) throw new AppError("unavailable", "found.test did not answer in time");
  if (url.endsWith("/3")) return { ...textPage(url, "gone"), status: 410 };
  return textPage(url, "z".repeat(20_000));
};

describe("web_search", () => {
  it("gives what the provider found, as many as the service says or the call asks for", async () => {
    const { asked, result } = await search({ query: " garden beds " });
    expect(result).toMatchObject({ success: true, message: "Found 4 pages.", results: hits });
    expect((await search({ query: "x", max_results: 2 })).asked).toEqual([["x", 2]]);
    expect(asked).toEqual([["garden beds", 4]]);
  });

  it("shows the model every result", async () => {
    const text = toModelText((await search({ query: "x" })).result);
    for (const { title, url, snippet } of hits)
      for (const part of [title, url, snippet]) expect(text).toContain(part);
  });

  it("reads the first three pages when it is asked to, and says of one why not", async () => {
    const { result } = await search({ query: "x", detailed: true }, mixed);
    expect(result["results"]).toEqual([
      { ...hits[0], content: "z".repeat(15_000) },
      { ...hits[1], content_error: "found.test did not answer in time" },
      { ...hits[2], content_error: "The page responded with status 410" },
      hits[3],
    ]);
  });

  it.each([
    { query: "" },
    { query: "x".repeat(401) },
    { query: "x", max_results: 11 },
    { query: "x", max_results: 0 },
  ])("sends no request for %j", async (args) => {
    const { success, asked } = await search(args);
    expect(success).toBe(false);
    expect(asked).toEqual([]);
  });

  it("does not exist where no provider is set up", async () => {
    const context = toolContext({ webSearch: undefined });
    expect(toolDefinitions(context, null).map(({ name }) => name)).not.toContain("web_search");
    expect(toolDefinitions(toolContext(), null).map(({ name }) => name)).toContain("web_search");
    const { result } = await runTool(toolCall("web_search", { query: "x" }), context);
    expect(result["error"]).toBe('There is no tool named "web_search".');
    expect(result["suggestion"]).not.toContain("web_search");
  });
});
