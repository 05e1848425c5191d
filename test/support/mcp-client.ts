import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";

/** How a client speaks: the current revision of the protocol alone, or an older one with its handshake. */
export type Era = "2026-07-28" | "legacy";

const Result = z.record(z.string(), z.unknown());

/** The official client, connected to the service with a key. */
export async function connectMcp(
  { url, key }: { url: string; key: string },
  { era = "2026-07-28", path = "/mcp" }: { era?: Era; path?: string } = {},
): Promise<Client> {
  const mode = era === "legacy" ? "legacy" : { pin: era };
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(path, url), { requestInit }));
  return client;
}

/** What a tool has returned, or the sentence of its refusal as `error`. Throws for an answer whose text says something else. */
export async function useTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
  const [text] = content;
  if (text?.type !== "text") throw new Error(`${name} answered without text`);
  if (isError) return { error: text.text };
  const result = Result.parse(structuredContent);
  if (text.text !== JSON.stringify(result)) throw new Error(`${name} says two things`);
  return result;
}
